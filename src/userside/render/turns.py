"""Turns of a transcript, cut into pieces that can be marked and folded, and the way they run."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from userside.render.blocks import Highlight, TranscriptTurn
from userside.render.tokens import Tone

FOLD_BEYOND = 900
"""Characters: longer turns fold."""

SHOWN = 500
"""Characters of a folded turn that stay in view."""

LINES_SHOWN = 12
"""Lines of a folded turn that stay in view."""


LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}")
"""A tag that may stand in an attribute; anything else that was declared is left out."""

RIGHT_TO_LEFT = frozenset(("ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"))
"""Languages written from right to left, in their usual script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of text and the marks on it: several where passages overlap."""

    text: str
    marks: tuple[Highlight, ...] = ()

    @property
    def tone(self) -> Tone:
        """Return the marks' colour; where they differ, one that takes no side."""
        tones = {mark.tone for mark in self.marks}
        return tones.pop() if len(tones) == 1 else Tone.ACCENT

    @property
    def note(self) -> str:
        """Return why the piece is marked, each reason once."""
        return ", ".join(dict.fromkeys(mark.note for mark in self.marks if mark.note))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedTurn:
    """A turn's pieces in view, and those folded away."""

    shown: tuple[Piece, ...]
    folded: tuple[Piece, ...] = ()
    language: str | None = None
    direction: str = "auto"

    @property
    def folded_length(self) -> int:
        """How many characters are folded away."""
        return sum(len(piece.text) for piece in self.folded)

    @property
    def folds_a_mark(self) -> bool:
        """Whether a marked passage is out of view."""
        return any(piece.marks for piece in self.folded)


def fold(turn: TranscriptTurn) -> FoldedTurn:
    """Return a turn cut for display: whole when it is short, else with its end folded away."""
    cut = _cut(turn.text)
    language = turn.language if turn.language and LANGUAGE.fullmatch(turn.language) else None
    return FoldedTurn(
        shown=tuple(_pieces(turn.text, turn.highlights, start=0, end=cut)),
        folded=tuple(_pieces(turn.text, turn.highlights, start=cut, end=len(turn.text))),
        language=language,
        direction=direction(turn.text, language=language),
    )


def direction(text: str, *, language: str | None) -> str:
    """Return which way a text runs: by its first letter, and where it has none by its language.

    >>> direction("4471", language="ar"), direction("OK", language="ar"), direction("4471", language=None)
    ('rtl', 'auto', 'auto')
    """
    has_letters = any(unicodedata.bidirectional(character) in {"L", "R", "AL"} for character in text)
    is_reversed = language is not None and language.split("-")[0].lower() in RIGHT_TO_LEFT
    return "rtl" if is_reversed and not has_letters else "auto"


def _cut(text: str) -> int:
    lines = text.split("\n", LINES_SHOWN)
    is_long = len(text) > FOLD_BEYOND or text.count("\n") > 2 * LINES_SHOWN
    if not is_long:
        return len(text)
    limit = min(SHOWN, sum(len(line) + 1 for line in lines[:LINES_SHOWN]))
    space = max(text.rfind(" ", 0, limit), text.rfind("\n", 0, limit))
    return space + 1 if space > limit // 2 else limit


def _pieces(text: str, highlights: Sequence[Highlight], *, start: int, end: int) -> Iterator[Piece]:
    """Yield the text between two places, cut wherever a mark begins or ends."""
    marks = [mark for mark in highlights if max(mark.start, start) < min(mark.end, end)]
    ends = {start, end, *(place for mark in marks for place in (mark.start, mark.end) if start < place < end)}
    for low, high in pairwise(sorted(ends)):
        yield Piece(text=text[low:high], marks=tuple(mark for mark in marks if mark.start < high and mark.end > low))
