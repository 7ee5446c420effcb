"""What a model can be asked: one of several words, a number, some text, a record of those, or a listing.

A question says what a usable answer is. `formats` puts it into a schema or into words, `reading` holds an answer
against it, `asking` does both around one model.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from userside.llm.verdicts import Verdict

type Check = Callable[[Mapping[str, Verdict[Any]]], str]
"""Returns what is wrong with a record as one sentence, "" when nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of several words; the value is the option as written here.

    Attributes:
        options: What may be answered.
        synonyms: Other words for an option, in the languages declared.
    """

    options: tuple[str, ...]
    synonyms: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if len(set(self.options)) < 2 or len(set(self.options)) < len(self.options):  # noqa: PLR2004
            raise ValueError(f"a choice needs two or more different options, not {self.options!r}")
        if not set(self.synonyms.values()) <= set(self.options):
            raise ValueError(f"a synonym stands for none of the options {self.options!r}: {self.synonyms!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number from `low` to `high`, both included; the value is an int when `whole`, else a float."""

    low: float
    high: float
    whole: bool = True

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"a range needs low < high, not {self.low!r} and {self.high!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Free text, cut after `max_chars` characters. Where it is optional, its absence is no reason to ask again."""

    max_chars: int
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Where one row of a table stands: `number` counts through the table from 1, `place` through its group."""

    key: str
    number: int
    group: int
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Several answers under their names; the value is a dict of verdicts, each scored or unscored.

    Text comes before choices and choices before numbers, whatever order is given: a model that must write its
    evidence first contradicts itself less. A record whose fields are all records of one shape is a table.

    Attributes:
        fields: The questions by name.
        groups: Sizes of consecutive groups of rows, for answers that count each group from 1; () is one group.
        numbers: What the rows are called where they do not count from 1 (part of a larger table); () counts.
        check: Says what is wrong with this record. By default every answer must be there, except optional text.
    """

    fields: Mapping[str, "Field"]
    groups: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    check: Check | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not self.fields:
            raise ValueError("a record needs a field")
        if self.groups and sum(self.groups) != len(self.fields):
            raise ValueError(f"groups of {self.groups!r} do not add up to {len(self.fields)} rows")
        if self.numbers and len(self.numbers) != len(self.fields):
            raise ValueError(f"{len(self.numbers)} numbers for {len(self.fields)} rows")
        object.__setattr__(self, "fields", dict(sorted(self.fields.items(), key=lambda item: _rank(item[1]))))

    @property
    def is_table(self) -> bool:
        """Tell whether the fields are all records of one shape."""
        first = next(iter(self.fields.values()))
        return (
            isinstance(first, Record) and not _has_records(first) and all(one == first for one in self.fields.values())
        )

    @property
    def row(self) -> "Record":
        """Return the shape that the rows of a table share."""
        first = next(iter(self.fields.values()))
        if not isinstance(first, Record):
            raise TypeError("only a table has rows")
        return first

    @property
    def rows(self) -> tuple[Row, ...]:
        """Return where each row of a table stands, in order."""
        numbers = self.numbers or tuple(range(1, len(self.fields) + 1))
        places = [(group, place) for group, size in enumerate(self._sizes) for place in range(1, size + 1)]
        return tuple(
            Row(key=key, number=number, group=group, place=place)
            for key, number, (group, place) in zip(self.fields, numbers, places, strict=True)
        )

    @property
    def _sizes(self) -> tuple[int, ...]:
        return self.groups or (len(self.fields),)

    def only(self, keys: Collection[str]) -> Self:
        """Return the record with just these fields, rows keeping their numbers.

        >>> seven = Record(fields={"a": Number(low=1, high=9), "b": Number(low=1, high=9)}).only({"b"})
        >>> list(seven.fields), seven.numbers
        (['b'], (2,))
        """
        kept = {key: question for key, question in self.fields.items() if key in keys}
        return replace(self, fields=kept, groups=(), numbers=tuple(row.number for row in self.rows if row.key in kept))


type Entry = Mapping[str, str]
"""One entry of a listing: its texts by field; a field that was not given is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Any number of entries, each of a few short texts; the value is a tuple of `Entry`, () for an answer of NONE.

    How many entries there may be is said to the model and not enforced in reading: what is too much is a matter of
    the `check`, and of whoever asked.

    Attributes:
        fields: The texts of an entry, in the order in which they are to be written.
        key: The field that every entry has; where an entry is one text without a mark in it, it is this.
        most: How many entries are wanted at most.
        least: How many at least, for models that are held to their schema; 0 lets NONE be an answer.
        max_chars: The length of a text, beyond which it is cut.
        leads: The field that may stand before a colon, as in `Thanks: the user says thank you.`, or None.
        quotes: The field that is a quotation, and is looked for between quotation marks, or None.
        allowed: The texts that a field may hold, for fields that choose; an entry with another has not got the field.
        check: Says what is wrong with the entries as one sentence, "" when nothing is.
    """

    fields: tuple[str, ...]
    key: str
    most: int
    least: int = 0
    max_chars: int = 300
    leads: str | None = None
    quotes: str | None = None
    allowed: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    check: Callable[[tuple[Entry, ...]], str] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        named = {self.key, self.leads or self.key, self.quotes or self.key}
        if len(set(self.fields)) < len(self.fields) or not named <= set(self.fields) or self.most < 1:
            raise ValueError(f"a listing needs different fields and a key among them, not {self!r}")


type Field = Choice | Number | Text | Record
"""What a record can hold."""

type Question = Field | Listing


def _rank(question: Field) -> int:
    match question:
        case Text() | Record():
            return 0
        case Choice():
            return 1
        case Number():
            return 2


def _has_records(record: Record) -> bool:
    return any(isinstance(one, Record) for one in record.fields.values())
