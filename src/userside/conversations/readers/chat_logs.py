"""What WildChat and LMSYS share: messages of a role and a content, and a lot beside them that is nobody's business.

Only what is named here is taken. Addresses (hashed ones too), countries, states, browsers and moderation scores are
never copied, nor what a turn holds beside its text and its time. What a label rule can read is kept.
"""

from collections.abc import Iterator
from typing import Any

from userside.conversations.labels import LABEL_FIELDS
from userside.conversations.languages import language_tag
from userside.conversations.readers.cells import read_time
from userside.conversations.readers.openai import SPEAKERS
from userside.conversations.readers.protocol import Entries, read_each
from userside.conversations.readers.said import said
from userside.conversations.readers.value_rows import fields_of, first_of, messages_of, read_value_rows, text_of
from userside.conversations.record import Conversation
from userside.conversations.sources import Source
from userside.conversations.tally import Notes
from userside.conversations.wire import Fields, conversation_from_dict, shown
from userside.errors import FormatError

_FLAGS = ("toxic", "redacted")
_COLUMNS = frozenset({"conversation", "model", "language", "timestamp", *_FLAGS, *LABEL_FIELDS})


def read_chat_logs(source: Source, *, name: str, identity: str, notes: Notes) -> Entries:
    """Yield one conversation a row.

    Args:
        source: JSON of any layout, or Parquet.
        name: What the record's `source` becomes.
        identity: The column that holds the id.
        notes: Counts what was mended.
    """

    def build(value: Any) -> Conversation:
        row = fields_of(value)
        record = _record(row, notes=notes) | {"id": row.get(identity), "source": name}
        return conversation_from_dict(record, notes=notes)

    rows = read_value_rows(source, columns=_COLUMNS | {identity})
    yield from read_each(rows, path=str(source.path), build=build)


def has_messages(value: object) -> bool:
    """Tell whether a row holds messages with a role under `conversation`."""
    return "role" in fields_of(first_of(fields_of(value).get("conversation")))


def _record(row: Fields, *, notes: Notes) -> Fields:
    turns = list(said(_turns(row, notes=notes), notes=notes))
    return {
        "turns": turns,
        "language": language_tag(row.get("language")),
        "started_at": turns[0]["at"] if turns else None,
        "metadata": _metadata(row, notes=notes),
    }


def _turns(row: Fields, *, notes: Notes) -> Iterator[Fields]:
    model = row.get("model") if isinstance(row.get("model"), str) else None
    for place, message in enumerate(messages_of(row, "conversation")):
        where = f"conversation[{place}]"
        role = message.get("role")
        if not isinstance(role, str) or role not in SPEAKERS:
            raise FormatError(f"{where}.role: wanted one of {', '.join(sorted(SPEAKERS))}, not {shown(role)}")
        yield {
            "speaker": SPEAKERS[role],
            "text": text_of(message, "content", where=where),
            "at": read_time(_written(message.get("timestamp")), notes=notes),
            "model": model if role == "assistant" else None,
        }


def _metadata(row: Fields, *, notes: Notes) -> Fields:
    """Return the flags, when the last turn was, a language that has no tag, and under `extra` what may be a label."""
    last = read_time(_written(row.get("timestamp")), notes=notes)
    language = row.get("language")
    said_of_it = {
        **{name: row.get(name) for name in _FLAGS},
        "last_turn_at": last.isoformat() if last else None,
        "language_name": language if language_tag(language) is None else None,
        "extra": {name: row[name] for name in LABEL_FIELDS if row.get(name) is not None} or None,
    }
    return {name: held for name, held in said_of_it.items() if held is not None}


def _written(time: object) -> str:
    return "" if time is None else str(time)
