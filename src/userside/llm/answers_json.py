"""JSON in a reply: the whole of it, fenced, in the middle of prose, or cut off."""

import json
import re
from dataclasses import dataclass
from typing import Any, cast

from pydantic_core import from_json

from userside.llm.values import Several, folded

_OPENING = re.compile(r"\{|\[(?=\s*\{)")
_LOOKS_LIKE_JSON = re.compile(r"\[\s*\{\s*[\"}]|\{\s*[\"}]")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.?)*+(?:"|\Z)|[{}\[\]]', re.DOTALL)  # a string that never ends goes to the end
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_FAILED_STARTS = 8  # each costs a pass over the rest of the text


@dataclass(frozen=True, slots=True)
class Found:
    """One JSON value of a reply and the text it was written as."""

    value: Any
    text: str


def by_name(value: object) -> dict[str, Any]:
    """Return the values of a JSON object by folded name; {} where the value is no object."""
    return {folded(name): one for name, one in cast("dict[str, Any]", value).items()} if isinstance(value, dict) else {}


def parsed(text: str) -> Found | None:
    """Return the object or array that `text` is as a whole, None when it is none.

    A name given twice in one object, with different values, becomes `Several`.

    >>> parsed('{"a": 1, "a": 2}').value
    {'a': Several(values=(1, 2))}
    """
    for attempt in (text, _TRAILING_COMMA.sub(r"\1", text)):
        try:
            value = json.loads(attempt, object_pairs_hook=_object, strict=False)
        except (ValueError, RecursionError):
            continue
        return Found(value, text) if isinstance(value, dict | list) else None
    return None


def objects_in(text: str) -> list[Found]:
    """Return every complete JSON object, or array of objects, in order; none that stands inside another one.

    What looks like JSON and is broken is passed over with all that is in it: an object inside it may be a quotation.
    """
    found: list[Found] = []
    position, failed = 0, 0
    while failed < _FAILED_STARTS and (opening := _OPENING.search(text, position)):
        start = opening.start()
        end = _end_of(text, start)
        whole = parsed(text[start:end]) if end is not None else None
        if whole is not None:
            found.append(whole)
        elif end is None and _LOOKS_LIKE_JSON.match(text, start):
            break
        failed += whole is None
        is_passed = end is not None and (whole is not None or _LOOKS_LIKE_JSON.match(text, start))
        position = end if end is not None and is_passed else start + 1
    return found


def salvaged(text: str, *, until: str) -> Found | None:
    """Return what is complete of a JSON value that was cut off, None where it is broken in another way.

    Args:
        text: The reply.
        until: The character after which everything before it is complete: `}` for rows, `,` for fields.
    """
    opening = _OPENING.search(text)
    if opening is None:
        return None
    complete = text[opening.start() : text.rfind(until) + (until == "}")]
    if not complete or not _is_beginning(complete):
        return None
    try:
        value: Any = from_json(complete, allow_partial=True)
    except ValueError:
        return None
    return Found(value, complete) if value else None


def _is_beginning(text: str) -> bool:
    """Tell whether only the end is missing. `from_json` would take `"Yes" or "No"` for a Yes."""
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        return False
    return True


def _end_of(text: str, start: int) -> int | None:
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += (token[0] in "{[") - (token[0] in "}]")
        if depth == 0:
            return token.end()
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        values[name] = value if name not in values or values[name] == value else Several((values[name], value))
    return values
