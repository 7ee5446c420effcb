"""What a ChatGPT message holds: its text, and parts for what is more than text.

Every kind of content that an export was seen to have is read; of a kind nobody has met yet the text is taken if there
is any, else it stays as an `unknown` part, raw.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, cast

from userside.conversations.readers.value_rows import fields_of, list_of, string_of
from userside.conversations.wire import Fields, shown
from userside.errors import FormatError

type Content = tuple[list[str], list[Fields]]
"""Texts, and parts of the record."""

_POINTERS = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "real_time_user_audio_video_asset_pointer": "audio",
}
_MEASURES = {"width": "width", "height": "height", "size_bytes": "bytes"}
_PLACES_OF_TEXT = ("text", "result", "content", "summary")


def read_content(message: Fields) -> Content:
    """Return the texts and parts of a message.

    Raises:
        FormatError: The content is no object, or its parts are no list.
    """
    content = message.get("content")
    if content is None:
        return [], []
    if not isinstance(content, dict):
        raise FormatError(f"content: wanted an object, not {shown(content)}")
    held = cast("Fields", content)
    read = _READ_AS.get(str(held.get("content_type")), _text)
    return read(held)


def read_attachments(message: Fields, *, parts: list[Fields]) -> list[Fields]:
    """Return a part for each attached file; a picture that is already among the parts gets the file's name instead."""
    found: list[Fields] = []
    for attachment in list_of(fields_of(message.get("metadata")).get("attachments")):
        held = fields_of(attachment)
        described = {"name": string_of(held.get("name")), "media_type": string_of(held.get("mime_type"))}
        identity = string_of(held.get("id"))
        same = next((part for part in parts if identity and identity in str(part.get("url"))), None)
        if same is not None:
            same.update(described)
            continue
        kind = "image" if str(described["media_type"]).startswith("image/") else "file"
        size = {"bytes": held["size"]} if isinstance(held.get("size"), int) else {}
        found.append({"kind": kind, **described, "metadata": size})
    return found


def read_call(recipient: str, *, text: str) -> Fields:
    """Return what the assistant sent to a tool: a call, or the document where the tool is the canvas."""
    if recipient.startswith("canmore."):
        document = fields_of(_json(text))
        written = document.get("content") or document.get("updates")
        if written:
            return {
                "kind": "artifact",
                "name": string_of(document.get("name")),
                "text": written if isinstance(written, str) else json.dumps(written, ensure_ascii=False),
                "metadata": {"tool": recipient, "type": document.get("type")},
            }
    return {"kind": "tool_call", "name": recipient, "text": text}


def read_report(message: Fields) -> str | None:
    """Return the report that deep research left in a tool's message; None where there is none."""
    widget = fields_of(fields_of(message.get("metadata")).get("chatgpt_sdk")).get("widget_state")
    state = fields_of(_json(widget)) if isinstance(widget, str) else {}
    parts = list_of(fields_of(fields_of(state.get("report_message")).get("content")).get("parts"))
    return "\n\n".join(part for part in parts if isinstance(part, str)) or None


def _text(content: Fields) -> Content:
    parts: Any = content.get("parts")
    if isinstance(parts, list):
        return _pieces(cast("list[object]", parts))
    if parts is not None:
        raise FormatError(f"content.parts: wanted a list, not {shown(parts)}")
    texts = [text for name in _PLACES_OF_TEXT if (text := string_of(content.get(name)))]
    if texts or str(content.get("content_type")) in {"text", "code", "execution_output"}:
        return texts[:1], []
    return [], [_unknown(content)]


def _code(content: Fields) -> Content:
    text, language = string_of(content.get("text")) or "", string_of(content.get("language"))
    if not text or language in {None, "unknown"}:
        return _text(content)
    return [text], [{"kind": "code", "text": text, "language": language}]


def _thoughts(content: Fields) -> Content:
    thoughts = [fields_of(thought) for thought in list_of(content.get("thoughts"))]
    texts = [string_of(thought.get("content")) or string_of(thought.get("summary")) for thought in thoughts]
    text = "\n\n".join(filter(None, [*texts, string_of(content.get("content"))]))
    return [], [{"kind": "thinking", "text": text}] if text else []


def _quote(content: Fields) -> Content:
    source = {"url": string_of(content.get("url")), "title": string_of(content.get("title"))}
    texts, parts = _text(content)
    return texts, [*parts, {"kind": "citations", "metadata": {"sources": [source]}}] if source["url"] else parts


def _pieces(pieces: list[object]) -> Content:
    texts: list[str] = []
    parts: list[Fields] = []
    for piece in pieces:
        if isinstance(piece, str):
            texts.append(piece)
        elif piece is not None:
            text, part = _piece(fields_of(piece) or {"held": piece})
            texts += text
            parts += part
    return [text for text in texts if text.strip()], parts


def _piece(piece: Fields) -> Content:
    kind = str(piece.get("content_type"))
    if kind in _POINTERS:
        return [], list(_pointers(piece, kind=_POINTERS[kind]))
    text = string_of(piece.get("text"))
    return ([text], []) if text is not None else ([], [_unknown(piece)])


def _pointers(piece: Fields, *, kind: str) -> Iterator[Fields]:
    # What was said aloud stands beside it as a transcription, which is the text.
    inner = fields_of(piece.get("audio_asset_pointer"))
    measures = {name: piece[theirs] for theirs, name in _MEASURES.items() if isinstance(piece.get(theirs), int)}
    address = string_of(piece.get("asset_pointer")) or string_of(inner.get("asset_pointer"))
    yield {"kind": kind, "url": address, "metadata": measures}


def _unknown(content: Fields) -> Fields:
    return {"kind": "unknown", "name": string_of(content.get("content_type")), "raw": content}


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_READ_AS: dict[str, Callable[[Fields], Content]] = {
    "code": _code,
    "thoughts": _thoughts,
    "reasoning_recap": _thoughts,
    "tether_quote": _quote,
}
