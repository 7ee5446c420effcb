"""Tables as text: the delimiter, the header, and which column holds what."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO

import regex

from userside.conversations.sources import Head, Source
from userside.conversations.tally import Skipped
from userside.errors import FormatError

DELIMITERS = ",;\t|"
_GUESSES = {
    "conversation": "conversation_id conversation conv_id chat_id session_id session dialogue_id dialog_id thread_id "
    "thread interaction_id ticket_id case_id conversationid chatid sessionid",
    "id": "id",
    "speaker": "speaker role sender author from who sender_type participant_type",
    "text": "text message content utterance body msg message_text",
    "time": "time timestamp created_at sent_at datetime date at created",
    "rating": "rating score stars csat user_rating satisfaction_score satisfaction_rating",
    "label": "label satisfaction satisfied",
    "thumb": "thumb thumbs vote feedback reaction",
    "transcript": "transcript dialogue dialog chat chat_log conversation_text chat_transcript",
    "question": "question prompt query input user_message user_input request",
    "answer": "answer response reply output completion bot_message assistant_message model_response",
    "purpose": "purpose goal",
    "outcome": "outcome",
    "platform": "platform channel",
    "model": "model model_name",
    "language": "language lang locale",
    "title": "title subject",
    "contributor": "contributor user_id customer_id",
}
FIELDS = tuple(_GUESSES)
_LONGEST_CELL = 1 << 28
_ROWS_SNIFFED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One record of a table: the line it begins at, its cells by our names, and the other columns' by theirs."""

    line: int
    cells: Mapping[str, str]
    extra: Mapping[str, str]

    def get(self, field: str) -> str:
        """Return what stands in a field's column, without space around it; empty where there is no such column."""
        return self.cells.get(field, "").strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """How a table is laid out.

    Attributes:
        delimiter: What stands between cells.
        header: The columns' own names.
        fields: The place of the column that holds each field.
    """

    delimiter: str
    header: tuple[str, ...]
    fields: Mapping[str, int]

    def holds(self, *fields: str) -> bool:
        """Tell whether there is a column for each of the fields."""
        return all(field in self.fields for field in fields)


def read_table(head: Head, *, columns: Mapping[str, str]) -> Table:
    """Return how a table that begins so is laid out.

    Args:
        head: The beginning of the file.
        columns: Our name of a column to the file's own; the rest is guessed from the header's English names.

    Raises:
        FormatError: A column was named that we do not know, or that is not there.
    """
    unknown = sorted(set(columns) - set(FIELDS))
    if unknown:
        raise FormatError(f"no column is called {unknown[0]!r} here; there are: {', '.join(FIELDS)}")
    tables = [_table(head.text, delimiter=delimiter, columns=columns) for delimiter in DELIMITERS]
    table = max(tables, key=lambda table: (len(table.fields), len(table.header)))
    missing = [f"{field}={name}" for field, name in columns.items() if field not in table.fields]
    if missing:
        raise FormatError(f"wanted a column for {', '.join(missing)}; there are: {', '.join(table.header)}")
    return table


def read_rows(source: Source, table: Table) -> Iterator[Row | Skipped]:
    """Yield the records of a table below its header, empty lines left out."""
    # The module's limit of 128 KiB a cell is too low for transcripts; there is no other way to raise it.
    csv.field_size_limit(_LONGEST_CELL)
    with source.text(newline="") as file:
        for number, (line, cells) in enumerate(_records(file, delimiter=table.delimiter)):
            if number == 0 or (isinstance(cells, list) and not any(cell.strip() for cell in cells)):
                continue
            if isinstance(cells, str):
                yield Skipped(path=str(source.path), row=line, reason=cells)
            elif len(cells) > len(table.header):
                reason = f"wanted at most {len(table.header)} cells, not {len(cells)}"
                yield Skipped(path=str(source.path), row=line, reason=reason)
            else:
                yield _row(cells, line=line, table=table)


def _records(file: IO[str], *, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield each record's first line and its cells, or what is wrong with it."""
    reader = csv.reader(file, delimiter=delimiter)
    while True:
        line = reader.line_num + 1
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"not readable as a table: {error}"


def _row(cells: list[str], *, line: int, table: Table) -> Row:
    places = {place: field for field, place in table.fields.items()}
    known = {places[place]: cell for place, cell in enumerate(cells) if place in places}
    extra = {table.header[place]: cell for place, cell in enumerate(cells) if place not in places and cell.strip()}
    return Row(line=line, cells=known, extra=extra)


def _table(text: str, *, delimiter: str, columns: Mapping[str, str]) -> Table:
    records = _records(io.StringIO(text, newline=""), delimiter=delimiter)
    header = next((cells for _, cells in records if isinstance(cells, list)), list[str]())
    names = tuple(name.strip().lstrip("\ufeff") for name in header)
    return Table(delimiter=delimiter, header=names, fields=_fields(names, columns=columns))


def _fields(header: tuple[str, ...], *, columns: Mapping[str, str]) -> dict[str, int]:
    plain = [_plain(name) for name in header]
    fields = {field: place for field, name in columns.items() if (place := _place(name, header, plain)) is not None}
    for field, names in _GUESSES.items():
        places = [plain.index(name) for name in names.split() if name in plain]
        free = [place for place in places if place not in fields.values()]
        if field not in columns and free:
            fields[field] = free[0]
    return fields


def _place(name: str, header: tuple[str, ...], plain: list[str]) -> int | None:
    if name in header:
        return header.index(name)
    return plain.index(_plain(name)) if _plain(name) in plain else None


def _plain(name: str) -> str:
    return regex.sub(r"[^\p{L}\p{N}]+", "_", name.casefold()).strip("_")
