"""How R is spread, by what users said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from userside.conversations import Label
from userside.rubrics.evaluation.rows import EvaluatedRow
from userside.statistics import histogram, round_edges

MOST_BINS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDistribution:
    """R of the evaluated conversations, counted into bins of equal width.

    Attributes:
        edges: The bins' edges, one more than there are bins; a bin holds its lower edge, the last one both. Empty
            without conversations.
        counts: How many conversations of each label lie in each bin.
    """

    edges: tuple[float, ...]
    counts: Mapping[Label, tuple[int, ...]]


def distribute(rows: Sequence[EvaluatedRow]) -> ScoreDistribution:
    """Return how R is spread over rows, by label."""
    edges = round_edges([row.R for row in rows], most=MOST_BINS)
    if not edges:
        return ScoreDistribution(edges=(), counts=dict.fromkeys(Label, ()))
    return ScoreDistribution(
        edges=edges,
        counts={label: histogram([row.R for row in rows if row.truth is label], edges=edges) for label in Label},
    )
