"""One row a turn: rows are gathered into conversations, which need not stand together.

The file is read twice. The first time tells where each conversation ends, so that the second can hand it on there
and memory holds only the conversations that are still open.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

from userside.conversations.readers.cells import read_cell_rating, read_cell_thumb, read_statement, read_time
from userside.conversations.readers.protocol import Entries, ReadOptions
from userside.conversations.record import Completeness
from userside.conversations.sources import Source
from userside.conversations.speakers import read_speaker
from userside.conversations.tables import Row, Table, read_rows
from userside.conversations.tally import Note, Notes, Skipped
from userside.conversations.wire import Fields, conversation_from_dict
from userside.errors import FormatError

_OF_CONVERSATION = ("platform", "language", "title", "contributor")
_WHOLE_FILE = ""


@dataclass(slots=True, kw_only=True)
class _Open:
    """A conversation of which rows may still come."""

    rows: list[Row] = field(default_factory=list[Row])
    lost: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRows:
    """A table with a speaker and a text in each row."""

    source: Source
    table: Table
    options: ReadOptions
    notes: Notes

    def conversations(self) -> Entries:
        """Yield every conversation at its last row, and what is wrong with a row where it stands."""
        key, last = self._key()
        held: dict[str, _Open] = {}
        for row in read_rows(self.source, self.table):
            if isinstance(row, Skipped):
                yield row
                continue
            id_ = row.get(key) if key else _WHOLE_FILE
            if key and not id_:
                yield self._skipped(row, f"has no {key} id")
                continue
            conversation = held.setdefault(id_, _Open())
            if row.get("text") and read_speaker(row.get("speaker")) is None:
                yield self._skipped(row, _unknown_speaker(row))
                conversation.lost.append(f"row {row.line} could not be read")
            else:
                conversation.rows.append(row)
            if row.line == last[id_]:
                yield from self._finish(held.pop(id_), id_=id_, row=row)

    def _key(self) -> tuple[str | None, dict[str, int]]:
        """Return the column that tells conversations apart, and the line at which each ends.

        A column `id` does so only where values come again; else it numbers the messages.
        """
        key = next((name for name in ("conversation", "id") if self.table.holds(name)), None)
        last: dict[str, int] = {}
        rows = 0
        for row in read_rows(self.source, self.table):
            if isinstance(row, Row):
                rows += 1
                last[row.get(key) if key else _WHOLE_FILE] = row.line
        if key == "id" and len(last) == rows > 1:
            return None, {_WHOLE_FILE: max(last.values())}
        return key, last

    def _skipped(self, row: Row, reason: str) -> Skipped:
        return Skipped(path=str(self.source.path), row=row.line, reason=reason)

    def _finish(self, conversation: _Open, *, id_: str, row: Row) -> Entries:
        try:
            record = self._record(conversation, id_=id_)
            yield conversation_from_dict(record, notes=self.notes)
        except FormatError as error:
            yield self._skipped(row, f"conversation {id_!r}: {error}" if id_ else str(error))

    def _record(self, conversation: _Open, *, id_: str) -> Fields:
        rows = self._in_order(conversation.rows)
        said = [row for row in rows if row.get("text")]
        if not said:
            raise FormatError("wanted text, and no turn has any")
        record: Fields = {name: _first(rows, name) for name in _OF_CONVERSATION}
        record |= {"id": id_ or None, "source": "csv", "turns": [self._turn(row) for row in said]}
        record["feedback"] = [*self._verdicts(rows, said=said), *self._statements(rows)]
        if conversation.lost:
            record |= {"completeness": Completeness.PARTIAL, "completeness_reasons": conversation.lost}
        return record

    def _in_order(self, rows: list[Row]) -> list[Row]:
        times = [read_time(row.get("time"), notes=self.notes) for row in rows]
        known = [_comparable(time) for time in times if time is not None]
        if len(known) < len(rows) or known == sorted(known):
            return rows
        self.notes[Note.SORTED] += 1
        return [rows[place] for place in sorted(range(len(rows)), key=known.__getitem__)]

    def _turn(self, row: Row) -> Fields:
        extra = dict(row.extra)
        return {
            "speaker": read_speaker(row.get("speaker")),
            "text": row.get("text"),
            "at": read_time(row.get("time"), notes=Counter[str]()),
            "model": row.get("model") or None,
            "metadata": {"extra": extra} if extra else {},
        }

    def _verdicts(self, rows: list[Row], *, said: list[Row]) -> list[Fields]:
        """Return the ratings and thumbs: of the conversation where all rows repeat one, else of their turns."""
        verdicts = [self._verdict(row) for row in rows]
        empty = sum(not row.get("text") and not verdict for row, verdict in zip(rows, verdicts, strict=True))
        if empty:
            self.notes[Note.EMPTY_TURN] += empty
        if len(rows) > 1 and verdicts[0] and all(verdict == verdicts[0] for verdict in verdicts):
            return [{"by": "user", **verdicts[0]}]
        places = {row.line: place for place, row in enumerate(said)}
        judged = zip(rows, verdicts, strict=True)
        return [{"by": "user", "turn": places.get(row.line), **verdict} for row, verdict in judged if verdict]

    def _verdict(self, row: Row) -> Fields:
        rating = read_cell_rating(row, scale=self.options.scale, notes=self.notes)
        return rating | read_cell_thumb(row, notes=self.notes)

    def _statements(self, rows: list[Row]) -> list[Fields]:
        statement: Fields = {}
        for row in rows:
            statement |= read_statement(row, scale=self.options.scale, notes=self.notes)
        return [{"by": "user", **statement}] if statement else []


def _first(rows: list[Row], name: str) -> str | None:
    return next((row.get(name) for row in rows if row.get(name)), None)


def _comparable(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _unknown_speaker(row: Row) -> str:
    return f"speaker: wanted a name such as user or assistant, not {row.get('speaker')[:60]!r}"
