"""Messages of `from` and `value`, as ShareGPT had them and fine-tuning sets still do.

The messages stand under `conversations`, in older files under `conversation` or `items`. Who speaks is taken from each
message and never from its place: many files begin with the assistant, or have two turns of one speaker in a row.
"""

import json
from collections.abc import Iterator
from typing import Any

from userside.conversations.json_rows import Layout, first_values, json_layout
from userside.conversations.readers.protocol import Entries, ReadOptions, read_each
from userside.conversations.readers.said import said
from userside.conversations.readers.value_rows import (
    fields_of,
    first_of,
    gather_messages,
    messages_of,
    read_value_rows,
    text_of,
)
from userside.conversations.record import Conversation, Speaker
from userside.conversations.sources import Head, Source, read_head
from userside.conversations.speakers import read_speaker
from userside.conversations.tally import Notes
from userside.conversations.wire import Fields, conversation_from_dict, shown
from userside.errors import FormatError

_MESSAGES = ("conversations", "conversation", "items")
_PROMPTS = ("system", "system_prompt")
_TEXTS = (*_PROMPTS, "model", "title")
_COLUMNS = frozenset({"conversations", "items"})
_OF_MESSAGE = frozenset({"from", "role", "value", "content"})


class SharegptReader:
    """Reads every message; keys it does not know are kept, a rating among them in `metadata` under `extra`."""

    name = "sharegpt"
    about = "messages of from and value under `conversations`"
    labels = None

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:  # noqa: ARG002
        """Tell whether one of the first values holds such messages, or is one."""
        if head.columns:
            return "turns" not in head.columns and not _COLUMNS.isdisjoint(head.columns)
        return any(_is_message(value) or _is_conversation(value) for value in first_values(head))

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:  # noqa: ARG002
        """Yield one conversation a row; an array of bare messages is one conversation."""

        def build(value: Any) -> Conversation:
            return conversation_from_dict(_record(value, notes=notes), notes=notes)

        rows = read_value_rows(source)
        if json_layout(read_head(source).text) is Layout.ARRAY:
            rows = gather_messages(rows, is_message=_is_message)
        yield from read_each(rows, path=str(source.path), build=build)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and "from" in value and "value" in value


def _is_conversation(value: object) -> bool:
    return _is_message(first_of(value)) or _place(fields_of(value)) is not None


def _place(record: Fields) -> str | None:
    """Return the name under which a row holds messages; `role` and `content` are taken under `conversations` only."""
    for name in _MESSAGES:
        first = fields_of(first_of(record.get(name)))
        if "from" in first or (name == "conversations" and "role" in first):
            return name
    return None


def _record(value: object, *, notes: Notes) -> Fields:
    record: Fields = {"conversations": value} if isinstance(value, list) else fields_of(value)
    place = _place(record) or "conversations"
    messages = messages_of(record, place)
    turns = [*_prompts(record), *_turns(messages, place=place, model=_text(record, "model"))]
    metadata = fields_of(record.get("metadata"))
    taken = {place, "id", *(name for name in _TEXTS if _text(record, name) is not None)}
    kept = {name: held for name, held in record.items() if name not in taken and held is not None}
    extra = {name: held for name, held in kept.items() if held is not metadata}
    return {
        "id": record.get("id"),
        "source": "sharegpt",
        "title": _text(record, "title"),
        "turns": list(said(turns, notes=notes)),
        "metadata": {**metadata, "extra": extra} if extra else metadata,
    }


def _text(record: Fields, name: str) -> str | None:
    held = record.get(name)
    return held if isinstance(held, str) else None


def _prompts(record: Fields) -> Iterator[Fields]:
    for name in _PROMPTS:
        if text := (_text(record, name) or "").strip():
            yield {"speaker": Speaker.SYSTEM, "text": text}


def _turns(messages: list[Fields], *, place: str, model: str | None) -> Iterator[Fields]:
    for number, message in enumerate(messages):
        turn = _turn(message, where=f"{place}[{number}]")
        yield turn | {"model": model} if model and turn["speaker"] is Speaker.ASSISTANT else turn


def _turn(message: Fields, *, where: str) -> Fields:
    key = "from" if "from" in message else "role"
    name = message.get(key)
    speaker = read_speaker(name) if isinstance(name, str) else None
    if speaker is None:
        wanted = "wanted a speaker such as human, gpt, system or tool"
        raise FormatError(f"{where}.{key}: {wanted}, not {shown(name)}")
    text = text_of(message, "value" if "value" in message else "content", where=where)
    extra = {name: held for name, held in message.items() if name not in _OF_MESSAGE and held is not None}
    return {
        "speaker": speaker,
        "text": text,
        "name": _tool_name(text) if speaker is Speaker.TOOL else None,
        "metadata": {"extra": extra} if extra else {},
    }


def _tool_name(text: str) -> str | None:
    """Return the tool that a call written as JSON names; a tool's answer seldom does."""
    try:
        name = fields_of(json.loads(text)).get("name")
    except (ValueError, RecursionError):
        return None
    return name if isinstance(name, str) else None
