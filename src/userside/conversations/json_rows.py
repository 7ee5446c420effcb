"""JSON values one after another: JSON Lines, one array, or objects set over several lines.

Which of the three a file is, its beginning tells. JSON Lines is read line by line, so that one bad line costs itself
only; in the others a bad value is passed over where its brackets still say where it ends.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import IO, Any, cast

import regex
from pydantic_core import from_json

from userside.conversations.json_window import EndOfJsonError, JsonWindow
from userside.conversations.sources import Head, Source
from userside.conversations.tally import Skipped
from userside.conversations.wire import parse_json
from userside.errors import FormatError

_SAMPLE = 5
_ESCAPED_SURROGATE = regex.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
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
    enclosing = Layout.ARRAY if text.lstrip("\ufeff \t\r\n").startswith("[") else Layout.DOCUMENT
    if next(_values(text, start=_start(text)), None) is not None:
        return enclosing
    if any(_is_record(line) for line in lines[:_SAMPLE]):
        return Layout.LINES
    return enclosing if _cut_off(text) else None


def first_values(head: Head) -> tuple[Any, ...]:
    """Return up to five of the first JSON values of a file; none where it holds none.

    A first value that is longer than the head is there as far as it goes.
    """
    layout = json_layout(head.text)
    if layout is None:
        return ()
    if layout is not Layout.LINES:
        return tuple(islice(_values(head.text, start=_start(head.text)), _SAMPLE)) or _cut_off(head.text)
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
    """Yield value by value; one that is damaged but whole costs itself only."""
    window, number = JsonWindow(file), 0
    if layout is Layout.ARRAY:
        window.pass_bracket()
    while True:
        number += 1
        try:
            yield JsonRow(number=number, value=window.take())
        except EndOfJsonError:
            break
        except FormatError as error:
            if not window.pass_over():
                reason = f"{error}; nothing after this place can be read"
                yield Skipped(path=path, row=number, reason=reason)
                return
            yield Skipped(path=path, row=number, reason=str(error))
    rest = window.rest()
    if rest != ("]" if layout is Layout.ARRAY else ""):
        reason = "not JSON from here to the end of the file" if rest else "the file ends before its array does"
        yield Skipped(path=path, row=number, reason=reason)


def _values(text: str, *, start: int) -> Iterator[Any]:
    position: int | None = start
    while position is not None:
        position = cast("regex.Match[str]", _BETWEEN.match(text, position)).end()
        value, position = _decode(text, position)
        if position is not None:
            yield value


def _cut_off(text: str) -> tuple[Any, ...]:
    """Return the object, or the elements of the array, that a text begins though it breaks off; none for other text."""
    try:
        # This parser refuses lone surrogates, and here no text matters.
        whole = _ESCAPED_SURROGATE.sub(r"\\u0020", text.lstrip("\ufeff"))
        begun: Any = from_json(whole, allow_partial="trailing-strings")
    except ValueError:
        return ()
    values: list[Any] = cast("list[Any]", begun) if isinstance(begun, list) else [begun]
    return tuple(values) if values and isinstance(values[0], list | dict) and values[0] else ()


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
    # The first line of an export may be all of it: to try megabytes that were cut off anywhere would take seconds.
    if not line.rstrip().endswith(("}", "]")):
        return False
    try:
        return isinstance(parse_json(line.lstrip("\ufeff")), dict | list)
    except FormatError:
        return False
