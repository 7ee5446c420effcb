"""Rows of data sets that come as JSON of any layout and as Parquet alike."""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, cast

from userside.conversations.columns import read_foreign_rows
from userside.conversations.json_rows import JsonRow, Layout, json_layout, read_json_rows
from userside.conversations.parquet_head import MAGIC
from userside.conversations.readers.protocol import Entries, read_each
from userside.conversations.record import Conversation
from userside.conversations.sources import Source, read_head
from userside.conversations.tally import Notes, Skipped
from userside.conversations.wire import Fields, conversation_from_dict, shown
from userside.errors import FormatError

type Rows = Iterator[JsonRow | Skipped]


def read_value_rows(source: Source, *, columns: Collection[str] | None = None) -> Rows:
    """Yield the rows of a file.

    Args:
        source: JSON Lines, an array, objects one after another, or Parquet.
        columns: What to take of a Parquet file, None for all; of JSON everything is there.
    """
    head = read_head(source)
    if head.magic.startswith(MAGIC):
        yield from read_foreign_rows(source.path, columns=columns)
    else:
        yield from read_json_rows(source, layout=json_layout(head.text) or Layout.LINES)


def gather_messages(rows: Iterable[JsonRow | Skipped], *, is_message: Callable[[object], bool]) -> Rows:
    """Yield the rows of an array, its bare messages as one row that holds them all."""
    messages: list[Any] = []
    for row in rows:
        if isinstance(row, JsonRow) and is_message(row.value):
            messages.append(row.value)
        else:
            yield row
    if messages:
        yield JsonRow(number=1, value=messages)


def read_objects(source: Source, *, notes: Notes, record: Callable[[Fields], Fields]) -> Entries:
    """Yield one conversation a JSON object, as `record` makes it of the object's fields."""

    def build(value: Any) -> Conversation:
        return conversation_from_dict(record(fields_of(value)), notes=notes)

    layout = json_layout(read_head(source).text) or Layout.ARRAY
    yield from read_each(read_json_rows(source, layout=layout), path=str(source.path), build=build)


def fields_of(value: object) -> Fields:
    """Return a JSON object's fields; none for anything else."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def first_of(value: object) -> object:
    """Return the first element of a list; None for an empty one, and for anything else."""
    return next(iter(list_of(value)), None)


def string_of(value: object) -> str | None:
    """Return a JSON string; None for anything else."""
    return value if isinstance(value, str) else None


def list_of(value: object) -> list[object]:
    """Return a JSON array's elements; none for anything else."""
    return cast("list[object]", value) if isinstance(value, list) else []


def messages_of(record: Fields, name: str) -> list[Fields]:
    """Return the messages that stand under a name, at least one.

    Raises:
        FormatError: There is no such list, it is empty, or holds something that is no object.
    """
    given: Any = record.get(name)
    held = list_of(given)
    if not held:
        raise FormatError(f"{name}: wanted a list with at least one message, not {shown(given)}")
    for place, message in enumerate(held):
        if not isinstance(message, dict):
            raise FormatError(f"{name}[{place}]: wanted a message, not {shown(message)}")
    return cast("list[Fields]", held)


def text_of(message: Fields, name: str, *, where: str) -> str:
    """Return the text that stands under a name; null and a missing one are empty.

    Raises:
        FormatError: Something other than text stands there.
    """
    text = message.get(name)
    if text is not None and not isinstance(text, str):
        raise FormatError(f"{where}.{name}: wanted text or null, not {shown(text)}")
    return text or ""
