"""What R is held against: other scores of the same conversations, and labels made of them in the same way."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from userside.conversations import Label
from userside.errors import LabelError
from userside.rubrics.evaluation.cut_folds import LEAST_OF_EACH, REPEATS, deal_folds
from userside.rubrics.evaluation.cut_search import best_cuts
from userside.rubrics.evaluation.rows import LabelledRow
from userside.rubrics.signals import Signals, out_of_fold_signals

SIGNALS = "signals"
ZERO_SHOT = "zero-shot"


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalScores:
    """What R is to be held against; what is not given is not compared.

    Attributes:
        signals: The signals of each conversation, by id.
        zero_shot: A judge's direct answer, the higher the more satisfied, by id.
        beside: Further scores by their name, such as R of another run, each by id, the higher the more satisfied.
        seed: Decides the folds.
    """

    signals: Mapping[str, Signals] | None = None
    zero_shot: Mapping[str, float] | None = None
    beside: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalColumns:
    """The rivals as scores of conversations.

    Attributes:
        scores: By the rival's name, then by conversation id.
        missing: Why one that was wanted is not there, by name.
        seed: Decides the folds.
    """

    scores: Mapping[str, Mapping[str, float]]
    missing: Mapping[str, str]
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalLabels:
    """A rival's score as labels: by the two cuts, and by their middle where there is no neutral."""

    three: Mapping[str, Label]
    two: Mapping[str, Label]


def rival_columns(rows: Sequence[LabelledRow], rivals: RivalScores) -> RivalColumns:
    """Return the scores of every rival on these rows; the signals' come from folds that had not seen the row."""
    scores: dict[str, Mapping[str, float]] = {}
    missing: dict[str, str] = {}
    if rivals.signals is not None:
        try:
            scores[SIGNALS] = _signal_scores(rows, rivals.signals, seed=rivals.seed)
        except LabelError as error:
            missing[SIGNALS] = str(error)
    if rivals.zero_shot is not None:
        scores[ZERO_SHOT] = rivals.zero_shot
    return RivalColumns(scores={**scores, **rivals.beside}, missing=missing, seed=rivals.seed)


def _signal_scores(rows: Sequence[LabelledRow], signals: Mapping[str, Signals], *, seed: int) -> dict[str, float]:
    known = [row for row in rows if row.id in signals]
    return out_of_fold_signals(
        signals,
        satisfied={row.id: row.is_satisfied for row in known if row.is_clear},
        neither=[row.id for row in known if not row.is_clear],
        seed=seed,
    )


def held_out_labels(rows: Sequence[LabelledRow], scores: Mapping[str, float], *, name: str, seed: int) -> RivalLabels:
    """Return the label that each row's score gives, by cuts fitted to other rows as those of R are.

    Args:
        rows: Conversations that all have a score.
        scores: By conversation id.
        name: Whose they are, for messages.
        seed: Decides the folds.

    Raises:
        LabelError: There are too few labels to fit cuts to, or all scores are the same.
    """
    counts = Counter(row.truth for row in rows)
    if min(counts[Label.SATISFIED], counts[Label.DISSATISFIED]) < LEAST_OF_EACH:
        raise LabelError(
            f"{name}: wanted {LEAST_OF_EACH} satisfied and {LEAST_OF_EACH} dissatisfied conversations to fit its cuts "
            f"to, not {counts[Label.SATISFIED]} and {counts[Label.DISSATISFIED]}"
        )
    if len({scores[row.id] for row in rows}) == 1:
        raise LabelError(f"{name}: wanted scores that differ, and all {len(rows)} are the same")
    cuts = _held_out_cuts(rows, scores, seed=seed)
    placed = [(row.id, scores[row.id], *cuts[row.id]) for row in rows]
    return RivalLabels(
        three={id_: _label(score, low, high) for id_, score, low, high in placed},
        two={
            id_: Label.SATISFIED if score > (low + high) / 2 else Label.DISSATISFIED for id_, score, low, high in placed
        },
    )


def _held_out_cuts(
    rows: Sequence[LabelledRow], scores: Mapping[str, float], *, seed: int
) -> dict[str, tuple[float, float]]:
    """Return each row's two cuts, the medians over splits; rows of a rare label were in no fold and take them all."""
    counts = Counter(row.truth for row in rows)
    labels = tuple(label for label in Label if counts[label] >= LEAST_OF_EACH)
    kept = [row for row in rows if row.truth in labels]
    values = np.array([scores[row.id] for row in kept])
    codes = np.array([labels.index(row.truth) for row in kept], dtype=np.intp)
    cuts = np.empty((REPEATS, len(kept), 2))
    for fold in deal_folds(codes, generator=np.random.default_rng(seed)):
        cuts[fold.repeat, fold.out] = best_cuts(values[fold.used], codes=codes[fold.used], labels=labels)
    everyone = _pair(np.median(cuts.reshape(-1, 2), axis=0))
    own = {row.id: _pair(pair) for row, pair in zip(kept, np.median(cuts, axis=0), strict=True)}
    return {row.id: own.get(row.id, everyone) for row in rows}


def _pair(cuts: NDArray[np.float64]) -> tuple[float, float]:
    low, high = cuts.tolist()
    return low, high


def _label(score: float, low: float, high: float) -> Label:
    if score > high:
        return Label.SATISFIED
    return Label.DISSATISFIED if score < low else Label.NEUTRAL
