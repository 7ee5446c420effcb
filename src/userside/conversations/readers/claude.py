"""Claude's data export: conversations with their messages in a list or, where branches were kept, in a tree.

The export names no model. Thinking, tools and their answers, artifacts and files become parts; a block of a kind nobody
has met yet stays as an `unknown` part, raw. Accounts, projects and users are not read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from userside.conversations.json_rows import first_values
from userside.conversations.readers.cells import read_time
from userside.conversations.readers.claude_content import read_blocks
from userside.conversations.readers.message_tree import (
    MessagePath,
    Parents,
    completeness,
    count_forks,
    find_path,
    has_branches,
)
from userside.conversations.readers.protocol import Entries, ReadOptions
from userside.conversations.readers.said import said
from userside.conversations.readers.value_rows import fields_of, messages_of, read_objects
from userside.conversations.sources import Head, Source
from userside.conversations.tally import Notes
from userside.conversations.wire import Fields, shown
from userside.errors import FormatError

_SENDERS = {"human": "user", "assistant": "assistant"}
_FORKS = {"human": "edited", "assistant": "regenerated"}
_PARENT = "parent_message_uuid"
_NOBODY = "00000000-"
_LOST = "Viewing artifacts created via the Analysis Tool"


class ClaudeReader:
    """Reads messages in order; of a tree the path to the current message, else to the last one."""

    name = "claude"
    about = "Claude's data export: conversations.json, the folder or the zip"
    labels = None

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:  # noqa: ARG002
        """Tell whether one of the first values has a list of `chat_messages`."""
        return any(isinstance(fields_of(value).get("chat_messages"), list) for value in first_values(head))

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:  # noqa: ARG002
        """Yield one conversation an element; those that nothing was said in have no turns."""
        yield from read_objects(source, notes=notes, record=lambda given: _record(given, notes=notes))


def _record(given: Fields, *, notes: Notes) -> Fields:
    ordered = _in_order(_messages(given))
    messages = {str(message.get("uuid") or place): message for place, message in enumerate(ordered)}
    parents = _parents(messages)
    path = _path(messages, parents=parents, last=given.get("current_leaf_message_uuid"))
    on_path = [messages[identity] for identity in path.ids]
    turns = list(said(_turns(on_path, notes=notes), notes=notes))
    kinds = {identity: _FORKS[str(message.get("sender"))] for identity, message in messages.items()}
    created = _time(given.get("created_at"), notes=notes)
    return {
        "id": given.get("uuid"),
        "source": "claude",
        "platform": "claude",
        "title": given.get("name") or None,
        "started_at": created or next((turn["at"] for turn in turns if turn["at"]), None),
        "turns": turns,
        **completeness(path, turns=turns, losses=_losses(on_path, turns=turns)),
        "metadata": count_forks(parents, kinds=kinds),
    }


def _messages(given: Fields) -> list[Fields]:
    # A chat that was opened and never used is exported with an empty list.
    messages = [] if given.get("chat_messages") == [] else messages_of(given, "chat_messages")
    for place, message in enumerate(messages):
        if message.get("sender") not in tuple(_SENDERS):
            wanted = f"wanted one of {', '.join(_SENDERS)}"
            raise FormatError(f"chat_messages[{place}].sender: {wanted}, not {shown(message.get('sender'))}")
    return messages


def _in_order(messages: list[Fields]) -> list[Fields]:
    """Return messages by `index` or by time; as they stand where a message lacks both."""
    by_index, by_time = ("index", int), ("created_at", str)
    # In a tree only the time says which message is the newest: every branch counts on from where it begins.
    is_tree = any(message.get(_PARENT) for message in messages)
    for name, kind in (by_time, by_index) if is_tree else (by_index, by_time):
        if all(isinstance(message.get(name), kind) for message in messages):
            return sorted(messages, key=lambda message, name=name: message[name])
    return messages


def _parents(messages: Mapping[str, Fields]) -> dict[str, str | None]:
    """Return the tree; a message that names no parent follows the one before it."""
    parents: dict[str, str | None] = {}
    before: str | None = None
    for identity, message in messages.items():
        named = message.get(_PARENT)
        parents[identity] = before if not isinstance(named, str) else None if named.startswith(_NOBODY) else named
        before = identity
    return parents


def _path(messages: Mapping[str, Fields], *, parents: Parents, last: object) -> MessagePath:
    if not messages:
        return MessagePath(ids=())
    if isinstance(last, str) and last in messages:
        return find_path(parents, last=last)
    newest = find_path(parents, last=list(messages)[-1])
    return replace(newest, is_guessed=has_branches(parents))


def _turns(messages: list[Fields], *, notes: Notes) -> Iterator[Fields]:
    for message in messages:
        text, parts = read_blocks(message)
        yield {
            "speaker": _SENDERS[str(message["sender"])],
            "text": text,
            "parts": parts or None,
            "at": _time(message.get("created_at"), notes=notes),
        }


def _losses(messages: list[Fields], *, turns: list[Fields]) -> Iterator[str]:
    if any(message.get("truncated") is True for message in messages):
        yield "a message was cut off"
    if any(_LOST in turn["text"] for turn in turns):
        yield "the export left out artifacts"


def _time(value: object, *, notes: Notes) -> Any:
    return read_time(value, notes=notes) if isinstance(value, str) else None
