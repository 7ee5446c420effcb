"""Tables: one row a turn, or one row a conversation (a transcript, or a question and its answer)."""

from collections.abc import Callable

from userside.conversations.readers.cells import read_verdict
from userside.conversations.readers.protocol import Entries, ReadOptions
from userside.conversations.readers.table_turns import TurnRows
from userside.conversations.sources import Head, Source, read_head
from userside.conversations.speakers import read_transcript
from userside.conversations.tables import DELIMITERS, Row, Table, read_rows, read_table
from userside.conversations.tally import Note, Notes, Skipped
from userside.conversations.wire import Fields, conversation_from_dict
from userside.errors import FormatError

type Layout = Callable[[Row, Notes], list[Fields]]

OF_CONVERSATION = ("platform", "language", "title", "contributor")


class CsvReader:
    """Reads tables between commas, semicolons, tabs or strokes; the first row names the columns."""

    name = "csv"
    about = "a table with a header: speaker and text, or transcript, or question and answer"
    labels = None

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:
        """Tell whether the first row names columns that make a conversation."""
        if head.text.lstrip().startswith(("{", "[")) or not any(mark in head.text for mark in DELIMITERS):
            return False
        try:
            table = read_table(head, columns=options.columns)
        except FormatError:
            return False
        return table.holds("speaker", "text") or _layout(table) is not None

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:
        """Yield one conversation a row, or one for all rows of one conversation id.

        Raises:
            FormatError: A named column is not there, or none of the three layouts fits.
        """
        table = read_table(read_head(source), columns=options.columns)
        layout = _layout(table)
        if table.holds("speaker", "text"):
            return TurnRows(source=source, table=table, options=options, notes=notes).conversations()
        if layout is None:
            wanted = "wanted columns speaker and text, or transcript, or question and answer"
            raise FormatError(f"{source.path}: {wanted}; there are: {', '.join(table.header)}").with_note(
                "Say which is which, such as --column text=Message --column speaker=From."
            )
        return _conversations(source, table, layout=layout, options=options, notes=notes)


def _layout(table: Table) -> Layout | None:
    if table.holds("transcript"):
        return _transcript
    return _exchange if table.holds("question", "answer") else None


def _conversations(source: Source, table: Table, *, layout: Layout, options: ReadOptions, notes: Notes) -> Entries:
    for row in read_rows(source, table):
        if isinstance(row, Skipped):
            yield row
            continue
        try:
            record = _record(row, layout=layout, options=options, notes=notes)
            yield conversation_from_dict(record, notes=notes)
        except FormatError as error:
            yield Skipped(path=str(source.path), row=row.line, reason=str(error))


def _record(row: Row, *, layout: Layout, options: ReadOptions, notes: Notes) -> Fields:
    turns = layout(row, notes)
    verdict = read_verdict(row, scale=options.scale, notes=notes)
    known: Fields = {name: row.get(name) or None for name in OF_CONVERSATION}
    return known | {
        "id": row.get("conversation") or row.get("id") or None,
        "source": "csv",
        "turns": turns,
        "feedback": [{"by": "user", **verdict}] if verdict else [],
        "metadata": {"extra": dict(row.extra)} if row.extra else {},
    }


def _transcript(row: Row, notes: Notes) -> list[Fields]:
    turns = read_transcript(row.get("transcript"), notes=notes)
    return _said([dict(turn) for turn in turns], notes=notes)


def _exchange(row: Row, notes: Notes) -> list[Fields]:
    question: Fields = {"speaker": "user", "text": row.get("question")}
    answer: Fields = {"speaker": "assistant", "text": row.get("answer"), "model": row.get("model") or None}
    return _said([question, answer], notes=notes)


def _said(turns: list[Fields], *, notes: Notes) -> list[Fields]:
    said = [turn for turn in turns if turn["text"].strip()]
    if not said:
        raise FormatError("wanted text, and no turn has any")
    if len(said) < len(turns):
        notes[Note.EMPTY_TURN] += len(turns) - len(said)
    return said
