"""Made-up exports of ChatGPT and Claude for tests."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.conversations.talk import read_text
from userside.conversations import Conversation, ImportResult, Part, Turn

type Fields = dict[str, Any]


def node(message: object, *, parent: str | None, **fields: Any) -> Fields:
    return {"message": message, "parent": parent, **fields}


def said(role: str, *parts: Any, **fields: Any) -> Fields:
    """Return a ChatGPT message with those parts; `metadata`, `content` and the rest are the message's own fields."""
    content = {"content_type": "multimodal_text" if any(isinstance(part, dict) for part in parts) else "text"}
    return {"author": {"role": role}, "content": content | {"parts": list(parts)}, "recipient": "all", **fields}


def chain(*messages: Fields | None, **fields: Any) -> Fields:
    """Return a ChatGPT conversation of one path, whose nodes are called `0`, `1` and so on."""
    mapping = {
        str(place): node(message, parent=str(place - 1) if place else None, children=[str(place + 1)])
        for place, message in enumerate(messages)
    }
    return tree(mapping, **{"current_node": str(len(messages) - 1), **fields})


def tree(mapping: Any, **fields: Any) -> Fields:
    return {"conversation_id": "c", "title": "A talk", "create_time": 1_700_000_000.5, "mapping": mapping, **fields}


HI = said("user", "hi")
CHATGPT = chain(None, HI, said("assistant", "hello"))
CLAUDE: Fields = {
    "uuid": "k",
    "name": "A talk",
    "created_at": "2026-01-02T03:04:05.678Z",
    "account": {"uuid": "somebody"},
    "chat_messages": [
        {"uuid": "1", "sender": "human", "text": "hi", "content": [{"type": "text", "text": "hi"}]},
        {"uuid": "2", "sender": "assistant", "text": "hello", "content": [{"type": "text", "text": "hello"}]},
    ],
}
GEMINI: Fields = {
    "header": "Gemini Apps",
    "title": "Prompted hi",
    "time": "2026-02-02T07:24:02.806Z",
    "products": ["Gemini Apps"],
    "safeHtmlItem": [{"html": "<p>hello</p>"}],
}


def write_folder(folder: Path, files: Mapping[str, object]) -> Path:
    """Write JSON, text or bytes under those names, and return the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(content))
    return folder


def write_zip(path: Path, files: Mapping[str, object]) -> Path:
    """Write the same as a zip, and return its path."""
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, as_bytes(content))
    return path


def read_chatgpt(folder: Path, *given: Any) -> ImportResult:
    """Return what is read from a ChatGPT export of those conversations."""
    return read_text(folder, json.dumps(list(given)), name="conversations.json")


def read_one_chatgpt(folder: Path, given: Fields) -> Conversation:
    """Return what a ChatGPT export of one conversation holds, nothing skipped."""
    result = read_chatgpt(folder, given)
    assert result.tally.formats.popitem()[1] == "chatgpt"
    (conversation,) = result.conversations()
    assert result.tally.skipped == []
    return conversation


def the_part(turn: Turn) -> Part:
    """Return the only part of a turn."""
    assert turn.parts is not None
    (part,) = turn.parts
    return part


def as_bytes(content: object) -> bytes:
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode()
