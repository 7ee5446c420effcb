"""The record's border: strangers' values become conversations, and conversations become JSON.

Pydantic validates against the record's own dataclasses. Before it come the steps that it has no place for: mending
text, positions for missing indices, nulls as absent fields, and unknown fields kept in `metadata` under `extra`.
After it comes what a type cannot say: that feedback points at a turn that is there. Every error is one sentence
with the path to the field.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from reprlib import Repr
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from userside.conversations.mending import mend
from userside.conversations.record import Conversation, Feedback, Part, Turn
from userside.conversations.tally import Notes
from userside.errors import FormatError

FORMAT = 1
_ID_LENGTH = 16
_EXACT = 2**53
_SHOWN = Repr(maxstring=60, maxother=60, maxdict=3, maxlist=3, maxlevel=2)

type Fields = dict[str, Any]


@cache
def _adapter() -> TypeAdapter[Conversation]:
    return TypeAdapter(Conversation)


@cache
def _names(kind: type[Conversation | Turn | Part | Feedback]) -> frozenset[str]:
    return frozenset(field.name for field in fields(kind))


def conversation_from_json(text: str | bytes, *, source: str = "jsonl", notes: Notes | None = None) -> Conversation:
    """Return the conversation that one JSON text holds.

    Args:
        text: One JSON object.
        source: What the record's `source` becomes where it is missing.
        notes: Counts what was mended.

    Raises:
        FormatError: The text is no JSON, or no conversation.
    """
    return conversation_from_dict(parse_json(text), source=source, notes=notes)


def parse_json(text: str | bytes) -> Any:
    """Return a JSON text's value.

    Raises:
        FormatError: The text is no JSON, or is nested too deeply.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not usable JSON: {error}") from None


def conversation_from_dict(value: object, *, source: str = "jsonl", notes: Notes | None = None) -> Conversation:
    """Return the conversation that a parsed JSON value holds.

    A missing id becomes a hash of the content.

    Args:
        value: What a JSON parser returned.
        source: What the record's `source` becomes where it is missing.
        notes: Counts what was mended.

    Raises:
        FormatError: The value is no conversation; one sentence says where, what was wanted and what came.
    """
    notes = Counter[str]() if notes is None else notes
    try:
        record = _mapping(value, where="the row")
        _refuse_other_formats(record)
        _refuse_not_finite(record)
        prepared = _prepare(mend(record, notes=notes), source=source)
        conversation = _adapter().validate_python(prepared)
    except ValidationError as error:
        raise FormatError(_sentence(error)) from None
    except RecursionError:
        raise FormatError("the row is nested too deeply") from None
    _check(conversation)
    return conversation if conversation.id else replace(conversation, id=content_id(conversation))


def conversation_to_dict(conversation: Conversation) -> Fields:
    """Return the conversation as JSON values, without fields at their defaults except `format`."""
    dumped = cast("Fields", _adapter().dump_python(conversation, mode="json", exclude_defaults=True))
    for feedback in dumped.get("feedback", ()):
        _shorten_numbers(feedback)
    return cast("Fields", mend({"format": FORMAT, **dumped}, notes=Counter()))


def conversation_to_json(conversation: Conversation) -> str:
    r"""Return the conversation as one line of JSON, without a line break at its end.

    Example:
        >>> conversation_to_json(Conversation(id="a", source="doc"))
        '{"format": 1, "id": "a", "source": "doc"}'
    """
    return json.dumps(conversation_to_dict(conversation), ensure_ascii=False, allow_nan=False)


def content_id(conversation: Conversation) -> str:
    """Return an id made of what the conversation holds: 16 hexadecimal digits of a SHA-256."""
    content = conversation_to_dict(replace(conversation, id=""))
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:_ID_LENGTH]


def conversation_schema() -> Fields:
    """Return the JSON Schema of one line of a conversations file, as `schemas/conversation.schema.json` holds it."""
    schema = _adapter().json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "required": ["format", *schema["required"]],
    }


def shown(value: object) -> str:
    """Return a stranger's value for an error message, shortened."""
    return _SHOWN.repr(value)


def _mapping(value: object, *, where: str) -> Fields:
    if not isinstance(value, Mapping):
        raise FormatError(f"{where}: wanted an object, not {shown(value)}")
    return dict(cast("Mapping[str, Any]", value))


def _mappings(record: Fields, name: str, *, where: str = "") -> list[Fields]:
    listed = record[name]
    if isinstance(listed, str | bytes | Mapping) or not isinstance(listed, Sequence):
        raise FormatError(f"{where}{name}: wanted a list, not {shown(record[name])}")
    values = cast("Sequence[object]", listed)
    return [_mapping(value, where=f"{where}{name}[{place}]") for place, value in enumerate(values)]


def _refuse_other_formats(record: Fields) -> None:
    if record.get("format") not in (None, FORMAT):
        raise FormatError(f"format: wanted {FORMAT}, not {record['format']!r}").with_note(
            "The file was written by a newer Userside; use that one."
        )


def _refuse_not_finite(record: Fields) -> None:
    # Mending would make NaN None, and a rating that nobody gave would look like one that was not asked for.
    if not isinstance(record.get("feedback"), list | tuple):
        return
    for place, feedback in enumerate(_mappings(record, "feedback")):
        scale = feedback.get("scale")
        bounds = cast("Sequence[object]", scale) if isinstance(scale, list | tuple) else ()
        for number in (feedback.get("rating"), *bounds):
            if isinstance(number, float) and not math.isfinite(number):
                raise FormatError(f"feedback[{place}].rating: wanted a finite number, not {number}")


def _prepare(record: Fields, *, source: str) -> Fields:
    conversation = _known(record, Conversation)
    given = conversation.get("id", "")
    conversation["id"] = str(given) if isinstance(given, int) and not isinstance(given, bool) else given
    conversation.setdefault("source", source)
    if "turns" in conversation:
        turns = enumerate(_mappings(conversation, "turns"))
        conversation["turns"] = [_turn(turn, position=position) for position, turn in turns]
    if "feedback" in conversation:
        conversation["feedback"] = [_known(entry, Feedback) for entry in _mappings(conversation, "feedback")]
    return conversation


def _turn(record: Fields, *, position: int) -> Fields:
    turn = _known(record, Turn)
    turn.setdefault("index", position)
    if "parts" in turn:
        parts = _mappings(turn, "parts", where=f"turns[{position}].")
        turn["parts"] = [_known(part, Part) for part in parts]
    return turn


def _known(record: Fields, kind: type[Conversation | Turn | Part | Feedback]) -> Fields:
    names = _names(kind)
    known = {name: value for name, value in record.items() if name in names and value is not None}
    if len(known) == len(record):
        return known
    unknown = {name: value for name, value in record.items() if name not in names}
    metadata = known.get("metadata", {})
    if unknown and isinstance(metadata, Mapping):
        known["metadata"] = _with_extra(cast("Mapping[str, Any]", metadata), unknown)
    return known


def _with_extra(metadata: Mapping[str, Any], unknown: Fields) -> Fields:
    held = metadata.get("extra", {})
    before = cast("Fields", held) if isinstance(held, dict) else {"extra": held}
    return {**metadata, "extra": {**before, **unknown}}


def _check(conversation: Conversation) -> None:
    for position, turn in enumerate(conversation.turns):
        if turn.index != position:
            raise FormatError(f"turns[{position}].index: wanted {position}, its position, not {turn.index}")
    for place, feedback in enumerate(conversation.feedback):
        _check_feedback(feedback, where=f"feedback[{place}]", turns=len(conversation.turns))


def _check_feedback(feedback: Feedback, *, where: str, turns: int) -> None:
    if feedback.turn is not None and not 0 <= feedback.turn < turns:
        raise FormatError(f"{where}.turn: wanted the index of one of {turns} turns, not {feedback.turn}")
    if feedback.until is not None and not 0 <= feedback.until <= turns:
        raise FormatError(f"{where}.until: wanted 0 to {turns}, not {feedback.until}")
    if feedback.scale is None:
        return
    low, high = feedback.scale
    if not low < high:
        raise FormatError(f"{where}.scale: wanted the lower bound first, not {[low, high]}")
    if feedback.rating is not None and not low <= feedback.rating <= high:
        raise FormatError(f"{where}.rating: wanted {low:g} to {high:g}, its scale, not {feedback.rating:g}")


def _shorten_numbers(feedback: Fields) -> None:
    if "rating" in feedback:
        feedback["rating"] = _shorten(feedback["rating"])
    if "scale" in feedback:
        feedback["scale"] = [_shorten(bound) for bound in feedback["scale"]]


def _shorten(number: float) -> float:
    return int(number) if float(number).is_integer() and abs(number) < _EXACT else number


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"]).lstrip(".")
    if first["type"] == "missing":
        return f"{where}: is missing"
    wanted = first["msg"].removeprefix("Input should be ")
    return f"{where}: wanted {wanted[:1].lower()}{wanted[1:]}, not {shown(first['input'])}"
