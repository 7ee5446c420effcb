"""Turns of a transcript, cut into pieces that can be marked and folded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from userside.render.blocks import Highlight, TranscriptTurn

FOLD_BEYOND = 900
"""Characters: longer turns fold."""

SHOWN = 500
"""Characters of a folded turn that stay in view."""

LINES_SHOWN = 12
"""Lines of a folded turn that stay in view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of text and the mark on it, if any."""

    text: str
    mark: Highlight | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedTurn:
    """A turn's pieces in view, and those folded away."""

    shown: tuple[Piece, ...]
    folded: tuple[Piece, ...] = ()

    @property
    def folded_length(self) -> int:
        """How many characters are folded away."""
        return sum(len(piece.text) for piece in self.folded)

    @property
    def folds_a_mark(self) -> bool:
        """Whether a marked passage is out of view."""
        return any(piece.mark for piece in self.folded)


def fold(turn: TranscriptTurn) -> FoldedTurn:
    """Return a turn cut for display: whole when it is short, else with its end folded away."""
    cut = _cut(turn.text)
    spans = _spans(turn.highlights, length=len(turn.text))
    shown = tuple(_pieces(turn.text, spans, start=0, end=cut))
    return FoldedTurn(shown=shown, folded=tuple(_pieces(turn.text, spans, start=cut, end=len(turn.text))))


def _cut(text: str) -> int:
    lines = text.split("\n", LINES_SHOWN)
    is_long = len(text) > FOLD_BEYOND or text.count("\n") > 2 * LINES_SHOWN
    if not is_long:
        return len(text)
    limit = min(SHOWN, sum(len(line) + 1 for line in lines[:LINES_SHOWN]))
    space = max(text.rfind(" ", 0, limit), text.rfind("\n", 0, limit))
    return space + 1 if space > limit // 2 else limit


def _spans(highlights: Sequence[Highlight], *, length: int) -> list[Highlight]:
    """Return highlights in order, inside the text; of overlapping ones the first keeps its place."""
    kept: list[Highlight] = []
    for highlight in sorted(highlights, key=lambda mark: (mark.start, -mark.end)):
        free_from = kept[-1].end if kept else 0
        if max(highlight.start, 0) >= free_from and highlight.start < min(highlight.end, length):
            kept.append(highlight)
    return kept


def _pieces(text: str, spans: Sequence[Highlight], *, start: int, end: int) -> Iterator[Piece]:
    at = start
    for mark in spans:
        low, high = max(mark.start, start), min(mark.end, end)
        if low >= high:
            continue
        if low > at:
            yield Piece(text=text[at:low])
        yield Piece(text=text[low:high], mark=mark)
        at = high
    if at < end:
        yield Piece(text=text[at:end])
