"""What a Claude message holds: text, and parts for thinking, tools, artifacts and files."""

import json
from collections.abc import Callable, Iterator
from typing import cast

import regex

from userside.conversations.readers.value_rows import fields_of, list_of, string_of
from userside.conversations.wire import Fields, shown
from userside.errors import FormatError

type Block = tuple[str | None, Fields | None]
"""The text that belongs to the turn, and the part; each may be absent."""

# An artifact of the first kind stands inside the text; one that was cut off has no closing tag.
_ARTIFACT = regex.compile(r"<antArtifact\b([^>]*)>(.*?)(?:</antArtifact>|\Z)", regex.DOTALL)
_ATTRIBUTE = regex.compile(r'(\w+)="([^"]*)"')


def read_blocks(message: Fields) -> tuple[str, list[Fields]]:
    """Return a message's text and its parts; `text` where it has no blocks.

    Raises:
        FormatError: The blocks are no list, or one of them is no object.
    """
    content: object = message.get("content")
    if content is not None and not isinstance(content, list | str):
        raise FormatError(f"content: wanted a list of blocks, not {shown(content)}")
    plain: object = content if isinstance(content, str) else message.get("text")
    blocks = list_of(cast("object", content)) or [{"type": "text", "text": plain}]
    texts: list[str] = []
    parts: list[Fields] = []
    for place, block in enumerate(blocks):
        if not isinstance(block, dict):
            raise FormatError(f"content[{place}]: wanted a block, not {shown(block)}")
        text, part = _block(cast("Fields", block))
        without, artifacts = _take_out_artifacts(text or "")
        texts += [without] if without else []
        parts += [*artifacts, *([part] if part else [])]
    return "\n\n".join(texts), [*parts, *_files(message)]


def _block(block: Fields) -> Block:
    return _READ_AS.get(str(block.get("type")), _unknown)(block)


def _text(block: Fields) -> Block:
    text = block.get("text")
    sources = [
        {name: held for name in ("title", "url") if isinstance(held := fields_of(citation).get(name), str)}
        for citation in list_of(block.get("citations"))
    ]
    cited: Fields | None = {"kind": "citations", "metadata": {"sources": sources}} if any(sources) else None
    return (text.strip() if isinstance(text, str) else None), cited


def _thinking(block: Fields) -> Block:
    return None, {"kind": "thinking", "text": string_of(block.get("thinking"))}


def _call(block: Fields) -> Block:
    name, given = string_of(block.get("name")), block.get("input")
    held = fields_of(given)
    if name == "artifacts" and isinstance(held.get("content"), str):
        return None, {
            "kind": "artifact",
            "name": string_of(held.get("title")) or string_of(held.get("id")),
            "text": held["content"],
            "language": string_of(held.get("language")),
            "metadata": {entry: held[entry] for entry in ("command", "type") if isinstance(held.get(entry), str)},
        }
    return None, {"kind": "tool_call", "name": name, "text": json.dumps(given, ensure_ascii=False)}


def _result(block: Fields) -> Block:
    content = block.get("content")
    pieces = [content] if isinstance(content, str) else [fields_of(piece).get("text") for piece in list_of(content)]
    failed = {"is_error": True} if block.get("is_error") is True else {}
    text = "\n".join(piece for piece in pieces if isinstance(piece, str))
    return None, {"kind": "tool_result", "name": string_of(block.get("name")), "text": text, "metadata": failed}


def _unknown(block: Fields) -> Block:
    text = block.get("text")
    if isinstance(text, str):  # such as a voice note, of which the text is what was said
        return text.strip(), None
    return None, {"kind": "unknown", "name": string_of(block.get("type")), "raw": block}


def _take_out_artifacts(text: str) -> tuple[str, list[Fields]]:
    artifacts: list[Fields] = []
    for found in _ARTIFACT.finditer(text):
        named = dict(_ATTRIBUTE.findall(found[1]))
        artifacts.append(
            {
                "kind": "artifact",
                "name": named.get("title") or named.get("identifier"),
                "text": found[2].strip(),
                "language": named.get("language"),
                "metadata": {"type": named["type"]} if "type" in named else {},
            }
        )
    return (_ARTIFACT.sub("", text).strip() if artifacts else text), artifacts


def _files(message: Fields) -> Iterator[Fields]:
    for attachment in list_of(message.get("attachments")):
        held = fields_of(attachment)
        kind = string_of(held.get("file_type"))
        size = {"bytes": held["file_size"]} if isinstance(held.get("file_size"), int) else {}
        yield {
            "kind": "file",
            "name": string_of(held.get("file_name")),
            "media_type": kind if kind and "/" in kind else None,
            "text": string_of(held.get("extracted_content")),
            "metadata": size,
        }
    for file in list_of(message.get("files")) or list_of(message.get("files_v2")):
        held = fields_of(file)
        yield {
            "kind": "image" if held.get("file_kind") == "image" else "file",
            "name": string_of(held.get("file_name")),
        }


_READ_AS: dict[str, Callable[[Fields], Block]] = {
    "text": _text,
    "thinking": _thinking,
    "tool_use": _call,
    "tool_result": _result,
}
