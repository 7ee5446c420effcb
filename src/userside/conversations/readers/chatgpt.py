"""ChatGPT's data export: conversations as trees of messages, of which the path that the user saw last is read.

An export is a list of conversations, one object, or the folder or zip in which `conversations.json` or its numbered
parts lie. What the user never saw is left out and counted under `dropped`: hidden messages, system prompts, custom
instructions and memory, whose text is not kept. Other branches are counted as `edited` and `regenerated`.

Not read: thumbs, which lie in a file of their own whose form we have not verified.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from userside.conversations.json_rows import first_values
from userside.conversations.readers.cells import read_time
from userside.conversations.readers.chatgpt_content import (
    Content,
    read_attachments,
    read_call,
    read_content,
    read_report,
)
from userside.conversations.readers.marks import read_sources, take_out_marks
from userside.conversations.readers.message_tree import (
    MessagePath,
    Parents,
    completeness,
    count_forks,
    deepest_path,
    find_path,
    has_branches,
)
from userside.conversations.readers.protocol import Entries, ReadOptions
from userside.conversations.readers.said import said
from userside.conversations.readers.value_rows import fields_of, list_of, read_objects, string_of
from userside.conversations.sources import Head, Source
from userside.conversations.tally import Notes
from userside.conversations.wire import Fields, shown
from userside.errors import FormatError

_ROLES = ("user", "assistant", "system", "tool")
_FORKS = {"user": "edited", "assistant": "regenerated", "tool": "regenerated"}
_CONTEXTS = frozenset({"user_editable_context", "model_editable_context"})
_KEPT = ("gizmo_id", "conversation_template_id")
_BROKEN_OFF = frozenset({"interrupted", "max_tokens"})


class ChatgptReader:
    """Reads the path to `current_node`, or to the deepest message where the export does not say."""

    name = "chatgpt"
    about = "ChatGPT's data export: conversations.json, its numbered parts, the folder or the zip"
    labels = None

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:  # noqa: ARG002
        """Tell whether one of the first values has a tree of messages under `mapping`."""
        return any(isinstance(fields_of(value).get("mapping"), dict) for value in first_values(head))

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:  # noqa: ARG002
        """Yield one conversation an element."""
        yield from read_objects(source, notes=notes, record=lambda given: _record(given, notes=notes))


def _record(given: Fields, *, notes: Notes) -> Fields:
    nodes = _nodes(given)
    parents = _parents(nodes)
    path = _path(nodes, parents=parents, current=given.get("current_node"))
    messages = [held for identity in path.ids if (held := _message(nodes[identity], at=identity))]
    why = [_why_dropped(message) for message in messages]
    dropped = Counter(filter(None, why))
    seen = (message for message, reason in zip(messages, why, strict=True) if reason is None)
    turns = list(said((_turn(message, given=given, notes=notes) for message in seen), notes=notes))
    created = _time(given.get("create_time"), notes=notes)
    return {
        "id": given.get("conversation_id") or given.get("id"),
        "source": "chatgpt",
        "platform": "chatgpt",
        "title": given.get("title"),
        "started_at": created or next((turn["at"] for turn in turns if turn["at"]), None),
        "turns": turns,
        **completeness(path, turns=turns),
        "metadata": {
            **{name: given[name] for name in _KEPT if given.get(name)},
            **_forks(nodes, parents=parents),
            **({"dropped": dict(dropped)} if dropped else {}),
        },
    }


def _nodes(given: Fields) -> dict[str, Fields]:
    held: dict[str, object] = fields_of(given.get("mapping"))
    if not held:
        raise FormatError(f"mapping: wanted a tree of messages, not {shown(given.get('mapping'))}")
    return {identity: fields_of(node) or {"message": node} for identity, node in held.items()}


def _parents(nodes: Mapping[str, Fields]) -> dict[str, str | None]:
    """Return the tree; where a node does not name its parent, from the `children` of the others."""
    parents = {identity: string_of(node.get("parent")) for identity, node in nodes.items()}
    for identity, node in nodes.items():
        for child in list_of(node.get("children")):
            if isinstance(child, str) and child in nodes and "parent" not in nodes[child]:
                parents[child] = identity
    return parents


def _path(nodes: Mapping[str, Fields], *, parents: Parents, current: object) -> MessagePath:
    if isinstance(current, str) and current in nodes:
        return find_path(parents, last=current)
    by_age = sorted(nodes, key=lambda identity: _seconds(fields_of(nodes[identity].get("message"))))
    return deepest_path(parents, order=by_age)


def _forks(nodes: Mapping[str, Fields], *, parents: Parents) -> dict[str, int]:
    if not has_branches(parents):
        return {}
    messages = {identity: fields_of(node.get("message")) for identity, node in nodes.items()}
    roles = {identity: _role(message) for identity, message in messages.items() if not _why_dropped(message)}
    kinds = {identity: _FORKS[role] for identity, role in roles.items() if role in _FORKS}
    return count_forks(parents, kinds=kinds)


def _message(node: Fields, *, at: str) -> Fields | None:
    """Return a node's message, None for a root without one."""
    message: object = node.get("message")
    if message is None:
        return None
    role = _role(fields_of(message))
    if role not in _ROLES:
        wanted = f"wanted a message whose author's role is one of {', '.join(_ROLES)}"
        raise FormatError(f"mapping.{at}.message: {wanted}, not {shown(role or message)}")
    return fields_of(message)


def _why_dropped(message: Fields) -> str | None:
    """Return what a message is that its user never saw; None for one that belongs to what was said."""
    metadata, role = fields_of(message.get("metadata")), _role(message)
    if str(fields_of(message.get("content")).get("content_type")) in _CONTEXTS:
        return "context"
    if role == "user" and (metadata.get("is_user_system_message") or metadata.get("user_context_message_data")):
        return "context"
    if metadata.get("is_visually_hidden_from_conversation"):
        return "hidden"
    return "system" if role == "system" else None


def _turn(message: Fields, *, given: Fields, notes: Notes) -> Fields:
    role, metadata = _role(message), fields_of(message.get("metadata"))
    texts, parts = _tool_content(message) if role == "tool" else _content(message)
    parts += read_attachments(message, parts=parts)
    is_shown = role == "tool" and (bool(read_report(message)) or any(part["kind"] == "image" for part in parts))
    speaker = "assistant" if is_shown else role
    finish = str(fields_of(metadata.get("finish_details")).get("type"))
    return {
        "speaker": speaker,
        "text": "\n\n".join(texts),
        "parts": parts or None,
        "name": fields_of(message.get("author")).get("name") if role == "tool" else None,
        "at": _time(message.get("create_time"), notes=notes),
        "model": metadata.get("model_slug") or given.get("default_model_slug") if speaker == "assistant" else None,
        "metadata": {
            **({"finish": finish} if finish in _BROKEN_OFF else {}),
            **({"redacted": True} if metadata.get("is_redacted") else {}),
        },
    }


def _content(message: Fields) -> Content:
    texts, parts = read_content(message)
    metadata, recipient = fields_of(message.get("metadata")), message.get("recipient")
    if _role(message) != "assistant":
        return texts, parts
    if isinstance(recipient, str) and recipient not in {"all", ""}:
        return [], [*(part for part in parts if part["kind"] != "code"), read_call(recipient, text="\n".join(texts))]
    sources = read_sources(metadata)
    cited: list[Fields] = [{"kind": "citations", "metadata": {"sources": sources}}] if sources else []
    return [take_out_marks(text, metadata).strip() for text in texts], [*parts, *cited]


def _tool_content(message: Fields) -> Content:
    """Return what a tool answered; deep research's report is what its user reads."""
    report = read_report(message)
    texts, parts = read_content(message)
    return ([take_out_marks(report, fields_of(message.get("metadata")))] if report else texts), parts


def _role(message: Fields) -> str | None:
    return string_of(fields_of(message.get("author")).get("role"))


def _seconds(message: Fields) -> float:
    time = message.get("create_time")
    return time if isinstance(time, int | float) else float("-inf")


def _time(value: object, *, notes: Notes) -> Any:
    return read_time(str(value), notes=notes) if value is not None and value != 0 else None
