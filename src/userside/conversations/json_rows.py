"""JSON values one after another: JSON Lines, one array, or objects set over several lines.

Which of the three a file is, its beginning tells. JSON Lines is read line by line, so that one bad line costs itself
only; in the others nothing after a bad place can be found again.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import IO, Any, cast

import regex

from userside.conversations.sources import Head, Source
from userside.conversations.tally import Skipped
from userside.conversations.wire import parse_json
from userside.errors import FormatError

_SAMPLE = 5
_CHUNK = 1 << 16
_BETWEEN = regex.compile(r"[\s,\ufeff]*")


class Layout(StrEnum):
    """How JSON values lie in a file."""

    LINES = "lines"
    ARRAY = "array"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRow:
    """A value and its number, which counts from 1."""

    number: int
    value: Any


def json_layout(text: str) -> Layout | None:
    """Return how JSON values lie in a file that begins so, or None where there are none.

    Args:
        text: The beginning of a file, which ends with a whole line. Only line feeds end one here: JSON text may hold
            other separators as they are.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines or not lines[0].lstrip("\ufeff").lstrip().startswith(("{", "[")):
        return Layout.LINES if any(_is_record(line) for line in lines[1:_SAMPLE]) else None
    if _is_record(lines[0]):
        only_one = len(lines) == 1 and lines[0].lstrip().startswith("[")
        return Layout.ARRAY if only_one else Layout.LINES
    first = next(_values(text, start=_start(text)), None)
    if first is not None:
        return Layout.ARRAY if text.lstrip().startswith("[") else Layout.DOCUMENT
    return Layout.LINES if any(_is_record(line) for line in lines[:_SAMPLE]) else None


def first_values(head: Head) -> tuple[Any, ...]:
    """Return up to five of the first JSON values of a file; none where it holds none."""
    layout = json_layout(head.text)
    if layout is None:
        return ()
    if layout is not Layout.LINES:
        return tuple(islice(_values(head.text, start=_start(head.text)), _SAMPLE))
    lines = islice((line for line in head.text.split("\n") if _is_record(line)), _SAMPLE)
    return tuple(parse_json(line) for line in lines)


def read_json_rows(source: Source, *, layout: Layout) -> Iterator[JsonRow | Skipped]:
    """Yield the values of a file, and for what is no JSON the reason."""
    with source.text() as file:
        if layout is Layout.LINES:
            yield from _lines(file, path=str(source.path))
        else:
            yield from _stream(file, path=str(source.path), layout=layout)


def _lines(file: IO[str], *, path: str) -> Iterator[JsonRow | Skipped]:
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            yield JsonRow(number=number, value=parse_json(line))
        except FormatError as error:
            yield Skipped(path=path, row=number, reason=str(error))


def _stream(file: IO[str], *, path: str, layout: Layout) -> Iterator[JsonRow | Skipped]:
    """Decode value by value; the buffer doubles until it holds a whole one."""
    buffer, number, wanted = file.read(_CHUNK), 0, _CHUNK
    position = _start(buffer) if layout is Layout.ARRAY else 0
    while True:
        position = cast("regex.Match[str]", _BETWEEN.match(buffer, position)).end()
        value, end = _decode(buffer, position)
        if end is not None:
            number, position, wanted = number + 1, end, _CHUNK
            yield JsonRow(number=number, value=value)
            continue
        more = file.read(wanted)
        if not more:
            break
        buffer, position, wanted = buffer[position:] + more, 0, wanted * 2
    rest = buffer[position:].strip()
    closing = "]" if layout is Layout.ARRAY else ""
    if rest != closing:
        reason = "not JSON from here to the end of the file" if rest else "the file ends before its array does"
        yield Skipped(path=path, row=number + 1, reason=reason)


def _values(text: str, *, start: int) -> Iterator[Any]:
    position: int | None = start
    while position is not None:
        position = cast("regex.Match[str]", _BETWEEN.match(text, position)).end()
        value, position = _decode(text, position)
        if position is not None:
            yield value


def _start(text: str) -> int:
    """Return where the first value begins: behind the bracket of an array, else at the first character."""
    position = cast("regex.Match[str]", _BETWEEN.match(text)).end()
    return position + 1 if text[position : position + 1] == "[" else position


def _decode(text: str, position: int) -> tuple[Any, int | None]:
    try:
        return json.JSONDecoder().raw_decode(text, position)
    except (ValueError, RecursionError):
        return None, None


def _is_record(line: str) -> bool:
    try:
        return isinstance(parse_json(line.lstrip("\ufeff")), dict | list)
    except FormatError:
        return False
