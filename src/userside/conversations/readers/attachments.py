"""Parts of a message's content: text stays text, what is attached is named and sized, its data left out."""

from collections.abc import Callable
from typing import Any, cast

from userside.conversations.tally import Note, Notes
from userside.conversations.wire import Fields

type PartRead = tuple[str | None, Fields | None]
"""The text that belongs to the turn, and the part; each may be absent."""

_TEXTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_BASE64 = 3 / 4


def read_part(piece: Fields, *, notes: Notes) -> PartRead:
    """Return what a part of a content list adds to its turn.

    Args:
        piece: A part as chat APIs have it, with a `type`.
        notes: Counts data that was left out.
    """
    kind = piece.get("type")
    if kind in _TEXTS:
        held: object = piece.get(_TEXTS[cast("str", kind)])
        return (held if isinstance(held, str) else str(held or "")), None
    read = _READ_AS.get(kind) if isinstance(kind, str) else None
    part = read(piece) if read else _unknown(piece)
    if "bytes" in part.get("metadata", {}):
        notes[Note.RAW_LEFT_OUT] += 1
    return None, {name: value for name, value in part.items() if value is not None}


def _image(piece: Fields) -> Fields:
    held: Any = piece.get("image_url")
    address: Any = cast("Fields", held).get("url") if isinstance(held, dict) else held
    return {"kind": "image", **_addressed(address)}


def _audio(piece: Fields) -> Fields:
    held: object = piece.get("input_audio") or piece.get("audio")
    audio = cast("Fields", held) if isinstance(held, dict) else {}
    form = audio.get("format")
    part: Fields = {"kind": "audio", "media_type": f"audio/{form}" if isinstance(form, str) else None}
    transcript = audio.get("transcript")
    part["text"] = transcript if isinstance(transcript, str) else None
    return part | {"metadata": _size(audio.get("data"))}


def _file(piece: Fields) -> Fields:
    held: object = piece.get("file", piece)
    file = cast("Fields", held) if isinstance(held, dict) else {}
    name = file.get("filename")
    return {"kind": "file", "name": name if isinstance(name, str) else None, **_addressed(file.get("file_data"))}


def _thinking(piece: Fields) -> Fields:
    text = piece.get("thinking", piece.get("text"))
    return {"kind": "thinking", "text": text if isinstance(text, str) else None}


def _unknown(piece: Fields) -> Fields:
    kind = piece.get("type")
    return {"kind": "unknown", "name": kind if isinstance(kind, str) else None, "metadata": _size(str(piece))}


def _addressed(address: object) -> Fields:
    """Return a link as a link, and of a `data:` address the media type and the size only."""
    if not isinstance(address, str):
        return {}
    if not address.startswith("data:"):
        is_link = "://" in address[:12]
        return {"url": address} if is_link else {"metadata": _size(address)}
    before, _, data = address.partition(",")
    media_type = before.removeprefix("data:").partition(";")[0]
    return {"media_type": media_type or None, "metadata": _size(data)}


def _size(data: object) -> Fields:
    return {"bytes": int(len(data.rstrip("=")) * _BASE64)} if isinstance(data, str) and data else {}


_READ_AS: dict[str, Callable[[Fields], Fields]] = {
    "image_url": _image,
    "input_image": _image,
    "input_audio": _audio,
    "audio": _audio,
    "file": _file,
    "input_file": _file,
    "thinking": _thinking,
    "reasoning": _thinking,
}
