"""Google's My Activity as the HTML page that Takeout writes, one cell an entry, in the shape of its JSON form.

In a cell stand, on a line each, the title, the time in the account's language and format, and then the answer. The
time is not parsed: day and month cannot be told apart.
"""

from collections.abc import Iterator
from typing import IO, cast

import regex

from userside.conversations.json_rows import JsonRow
from userside.conversations.readers.html_text import html_to_text
from userside.conversations.sources import Source
from userside.conversations.tally import Skipped
from userside.conversations.wire import Fields

_CELL = '<div class="outer-cell'
_CHUNK = 1 << 18
_LONGEST_CELL = 1 << 24
_HEADER = regex.compile(r'class="[^"]*\bmdl-typography--title\b[^"]*"[^>]*>(.*?)</p>', regex.DOTALL)
_BODY = regex.compile(
    r'<div\s+class="content-cell[^"]*\bmdl-typography--body-1\b(?![^"]*text-right)[^"]*"\s*>(.*?)'
    r'(?:</div>\s*<div\s+class="content-cell|\Z)',
    regex.DOTALL,
)
_BREAK = regex.compile(r"<br\s*/?>")
_CLOCK = regex.compile(r"\d{4}.*\d{1,2}[:.]\d{2}|\d{1,2}[:.]\d{2}.*\d{4}")
_LONGEST_TIME = 80
_LONGEST_TITLE = 200  # lines


def is_activity_page(text: str) -> bool:
    """Tell whether a text begins a page of My Activity."""
    return text.lstrip("\ufeff \t\r\n").startswith("<") and _CELL in text


def read_activity_page(source: Source) -> Iterator[JsonRow | Skipped]:
    """Yield the page's entries as the JSON form has them, with the time as `written_at`."""
    with source.text() as file:
        for number, cell in enumerate(_cells(file), start=1):
            entry = _entry(cell)
            reason = "wanted a title, a time and an answer, a line each"
            yield (
                JsonRow(number=number, value=entry)
                if entry
                else Skipped(path=str(source.path), row=number, reason=reason)
            )


def _cells(file: IO[str]) -> Iterator[str]:
    """Yield what stands between the beginnings of two cells; what comes before the first is the page's head."""
    held, is_head = "", True
    while chunk := file.read(_CHUNK):
        *whole, held = (held + chunk).split(_CELL)
        if len(held) > _LONGEST_CELL:
            whole, held = [*whole, held], ""
        yield from whole[1:] if is_head else whole
        is_head = is_head and not whole
    if not is_head:
        yield held


def _entry(cell: str) -> Fields | None:
    header, body = _HEADER.search(cell), _BODY.search(cell)
    pieces = _BREAK.split(body[1]) if body else []
    lines = [html_to_text(piece).strip() for piece in pieces[:_LONGEST_TITLE]]
    clock = next((place for place, line in enumerate(lines) if place and _is_time(line)), None)
    if clock is None:
        return None
    answer = "<br>".join(pieces[clock + 1 :])
    return {
        "header": html_to_text(header[1]).strip() if header else "",
        "title": "\n".join(lines[:clock]),
        "time": "",
        "written_at": lines[clock],
        "products": [html_to_text(cell[cast("regex.Match[str]", body).end() :])],
        "safeHtmlItem": [{"html": answer}] if html_to_text(answer) else [],
    }


def _is_time(line: str) -> bool:
    return len(line) < _LONGEST_TIME and _CLOCK.search(line) is not None
