"""What an import took, what it skipped row by row, and what it mended."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

type Notes = Counter[str]
"""How often something was mended, by what it was (a `Note`, or a sentence of a reader's own)."""


class Note(StrEnum):
    """Something mended on the way in that took no conversation away."""

    SURROGATE = "text with lone surrogates: replaced by U+FFFD"
    NOT_FINITE = "numbers in metadata that are not finite: left out"
    EMPTY_TURN = "empty turns left out"
    LOST_ANSWER = "answers that are a program's object instead of text: left out"
    ID_AGAIN = "ids that had occurred before: made unique"
    RATING_LEFT_OUT = "ratings that are no number on their scale: left out"
    SPEAKERLESS = "lines before the first speaker: left out"
    SORTED = "conversations whose turns were put in order of time"
    RAW_LEFT_OUT = "attached data (images, audio, files): left out, its size kept"
    UNCLEAR_LABEL = "labels, thumbs and scores that could not be read: left out"
    UNCLEAR_TIME = "times that could not be read: left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A row that was not taken, and why.

    Attributes:
        path: The file.
        row: Counts from 1: a line of a text file, an element of a JSON array, a row of a Parquet file.
        reason: One sentence, with the place inside the row where there is one.
    """

    path: str
    row: int
    reason: str

    def __str__(self) -> str:
        """Return `path:row: reason`."""
        return f"{self.path}:{self.row}: {self.reason}"


@dataclass(slots=True)
class Tally:
    """What an import took, skipped and mended so far; complete once the import was read to its end.

    Attributes:
        taken: Conversations handed on.
        skipped: Rows not taken, in order.
        notes: What was mended, and how often.
        formats: The format that each file was read as, by path.
    """

    taken: int = 0
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    notes: Notes = field(default_factory=Counter[str])
    formats: dict[str, str] = field(default_factory=dict[str, str])

    def lines(self) -> tuple[str, ...]:
        """Return the tally as lines for a person: the counts first, then every note, then every skipped row."""
        head = f"{self.taken} conversations read, {len(self.skipped)} rows skipped"
        notes = (f"{what}: {number}" for what, number in sorted(self.notes.items()))
        return (head, *notes, *map(str, self.skipped))
