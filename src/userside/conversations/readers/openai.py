"""Chat messages as OpenAI's API and fine-tuning files have them.

One conversation a line or an element: `{"messages": […]}`, or a bare list of messages. What is attached (images,
audio, files) becomes a part without its data: a judge never needs base64, and it would cost a fortune.
"""

from collections.abc import Iterator
from typing import Any, cast

from userside.conversations.json_rows import Layout, first_values, json_layout, read_json_rows
from userside.conversations.readers.attachments import read_part
from userside.conversations.readers.protocol import Entries, ReadOptions, read_each
from userside.conversations.readers.said import said
from userside.conversations.readers.value_rows import fields_of, gather_messages
from userside.conversations.record import Conversation
from userside.conversations.sources import Head, Source, read_head
from userside.conversations.tally import Notes
from userside.conversations.wire import Fields, conversation_from_dict, shown
from userside.errors import FormatError

SPEAKERS = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_READ = frozenset(
    {"role", "content", "name", "tool_calls", "function_call", "tool_call_id", "refusal", "reasoning_content", "audio"}
)


class OpenaiReader:
    """Reads `messages`; keys it does not know are kept, a rating among them in `metadata` under `extra`."""

    name = "openai"
    about = "chat messages: role and content, with parts and tool calls"
    labels = None

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:  # noqa: ARG002
        """Tell whether one of the first values holds messages, or is one."""
        return any(_is_conversation(value) or _is_message(value) for value in first_values(head))

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:  # noqa: ARG002
        """Yield one conversation a line or element; an array of messages is one conversation."""

        def build(value: Any) -> Conversation:
            return conversation_from_dict(_record(value, notes=notes), notes=notes)

        layout = json_layout(read_head(source).text) or Layout.LINES
        rows = read_json_rows(source, layout=layout)
        if layout is Layout.ARRAY:
            rows = gather_messages(rows, is_message=_is_message)
        yield from read_each(rows, path=str(source.path), build=build)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and "role" in value and ("content" in value or "tool_calls" in value)


def _is_conversation(value: object) -> bool:
    if isinstance(value, list):
        return any(_is_message(message) for message in cast("list[object]", value))
    return isinstance(value, dict) and isinstance(cast("Fields", value).get("messages"), list)


def _record(value: object, *, notes: Notes) -> Fields:
    record = fields_of(value) or {"messages": value}
    if not isinstance(record.get("messages"), list):
        raise FormatError("wanted an object with a list of `messages`, or a list of messages")
    messages = cast("list[object]", record["messages"])
    if not messages:
        raise FormatError("messages: wanted at least one message, not an empty list")
    given_model = record.get("model")
    model = given_model if isinstance(given_model, str) else None
    turns = list(said(_turns(messages, model=model, notes=notes), notes=notes))
    kept = {name: held for name, held in record.items() if name not in {"messages", "model", "id", "metadata"}}
    extra = kept if model is not None or given_model is None else kept | {"model": given_model}
    metadata = _metadata(record.get("metadata"), extra=extra)
    return {"id": record.get("id"), "source": "openai", "turns": turns, "metadata": metadata}


def _metadata(given: object, *, extra: Fields) -> Fields:
    metadata: Fields = dict(cast("Fields", given)) if isinstance(given, dict) else {}
    if given is not None and not isinstance(given, dict):
        extra = {**extra, "metadata": given}
    return {**metadata, "extra": extra} if extra else metadata


def _turns(messages: list[object], *, model: str | None, notes: Notes) -> Iterator[Fields]:
    called: dict[str, str] = {}
    for place, message in enumerate(messages):
        turn = _turn(message, where=f"messages[{place}]", called=called, notes=notes)
        if turn["speaker"] == "assistant" and model:
            turn["model"] = model
        yield turn


def _turn(message: object, *, where: str, called: dict[str, str], notes: Notes) -> Fields:
    """Return a message as the record's turn; `called` remembers the names of the tools by the id of the call."""
    if not isinstance(message, dict):
        raise FormatError(f"{where}: wanted a message, not {shown(message)}")
    held = cast("Fields", message)
    role = held.get("role")
    if not isinstance(role, str) or role not in SPEAKERS:
        raise FormatError(f"{where}.role: wanted one of {', '.join(sorted(SPEAKERS))}, not {role!r}")
    texts, parts = _content(held, where=where, notes=notes)
    parts += _calls(held, where=where, called=called)
    call = held.get("tool_call_id")
    name = held.get("name") or (called.get(call) if isinstance(call, str) else None)
    extra = {key: value for key, value in held.items() if key not in _READ}
    metadata = {"tool_call_id": call, "refusal": bool(held.get("refusal")) or None, "extra": extra or None}
    return {
        "speaker": SPEAKERS[role],
        "text": "\n".join(texts),
        "parts": parts or None,
        "name": name,
        "metadata": {key: value for key, value in metadata.items() if value is not None},
    }


def _content(message: Fields, *, where: str, notes: Notes) -> tuple[list[str], list[Fields]]:
    texts: list[str] = []
    parts: list[Fields] = []
    for place, piece in enumerate(_pieces(message, where=where)):
        if isinstance(piece, str):
            texts.append(piece)
        elif not isinstance(piece, dict):
            raise FormatError(f"{where}.content[{place}]: wanted a part, not {shown(piece)}")
        else:
            text, part = read_part(cast("Fields", piece), notes=notes)
            texts += [text] if text else []
            parts += [part] if part else []
    return texts, parts


def _pieces(message: Fields, *, where: str) -> list[object]:
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        raise FormatError(f"{where}.content: wanted text, null or a list of parts, not {shown(content)}")
    pieces: list[object] = cast("list[object]", content) if isinstance(content, list) else [content or ""]
    pieces = [piece for piece in pieces if piece != ""]
    if message.get("refusal"):
        pieces = [*pieces, str(message["refusal"])]
    if isinstance(message.get("reasoning_content"), str):
        pieces = [*pieces, {"type": "thinking", "text": message["reasoning_content"]}]
    if isinstance(message.get("audio"), dict):
        pieces = [*pieces, {"type": "audio", "audio": message["audio"]}]
    return pieces


def _calls(message: Fields, *, where: str, called: dict[str, str]) -> list[Fields]:
    listed: object = message.get("tool_calls") or []
    if not isinstance(listed, list):
        raise FormatError(f"{where}.tool_calls: wanted a list, not {shown(message.get('tool_calls'))}")
    calls = cast("list[object]", listed)
    if message.get("function_call"):
        calls = [*calls, {"function": message["function_call"]}]
    return [_call(call, where=f"{where}.tool_calls[{place}]", called=called) for place, call in enumerate(calls)]


def _call(call: object, *, where: str, called: dict[str, str]) -> Fields:
    held = fields_of(call)
    function = fields_of(held.get("function") or held.get("custom"))
    if not isinstance(function.get("name"), str):
        raise FormatError(f"{where}: wanted a call with the name of its function, not {shown(call)}")
    identity = held.get("id")
    if isinstance(identity, str):
        called[identity] = function["name"]
    arguments = function.get("arguments", function.get("input"))
    text = arguments if isinstance(arguments, str) or arguments is None else str(arguments)
    metadata = {"id": identity} if identity else {}
    return {"kind": "tool_call", "name": function["name"], "text": text, "metadata": metadata}
