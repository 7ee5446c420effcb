"""What each item is worth: how often it applies, and how it goes with users' own labels."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import pstdev

from userside.conversations import Label
from userside.rubrics.evaluation.figures import Resampling
from userside.rubrics.evaluation.rows import LabelledRow
from userside.rubrics.rubric import Rubric, RubricItem, Side
from userside.rubrics.scores import HIGHEST, ItemScore, ItemVerdict
from userside.statistics import (
    Association,
    Bootstrap,
    Interval,
    Rate,
    adjust_p_values,
    auc,
    auc_statistic,
    bootstrap,
    fourfold_table,
    histogram,
    mean_statistic,
    measure_association,
    rate_of,
)

APPLIES = 0.5
"""The P(Y) from which an item counts as applying."""
LEAST_SPREAD = 0.5
"""The standard deviation of a score of 0 to 10 below which an item tells conversations hardly apart."""


SCORE_EDGES = tuple(place - 0.5 for place in range(HIGHEST + 2))
"""Between the bins of an item's histogram: one around each whole score from 0 to 10, so that N stands by itself."""
NO_ROW = "not in the scores"
"""Why there is no score where the item has no entry: the scores were made with another rubric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScore:
    """The mean score of an item over conversations of one label; None without any.

    The interval resamples what hangs together; it is None where that gives none, as with one conversation.
    """

    n: int
    mean: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemEvaluation:
    """What one item is worth, on the labelled conversations that have a score for it.

    Attributes:
        name: The item.
        side: Which way it counts in R.
        prevalence: The share it applies to (P(Y) of one half or more); those without a score for it are excluded, by
            reason.
        means: Mean score (0 to 10) by label.
        histogram: How many conversations of each label score 0, 1, …, 10, rounded to the nearest.
        spread: Standard deviation of its scores; None without any.
        has_no_spread: Whether it gives all conversations nearly the same score.
        auc: Of its score, signed as in R, satisfied against dissatisfied: below 0.5 it works against the rubric. None
            unless both are there.
        auc_of_yes: The same of whether it applies, without how strongly: where it is as large, the points add nothing.
        association: Whether it applies × whether the user is satisfied, neutral left out: chi-square, or Fisher's exact
            test where an expected count is below 5; the odds ratio with Woolf's interval, one half added to each cell
            where one is 0. Conversations are taken as independent.
        adjusted_p: Its p-value, adjusted for the number of items (Benjamini and Hochberg); None where nothing was
            tested.
    """

    name: str
    side: Side
    prevalence: Rate
    means: Mapping[Label, MeanScore]
    histogram: Mapping[Label, tuple[int, ...]] = field(default_factory=dict[Label, tuple[int, ...]])
    spread: float | None
    has_no_spread: bool
    auc: Bootstrap | None
    auc_of_yes: float | None = None
    association: Association
    adjusted_p: float | None = None


def evaluate_items(
    rows: Sequence[LabelledRow], *, rubric: Rubric, resampling: Resampling
) -> tuple[ItemEvaluation, ...]:
    """Return what each item is worth on these rows, in the order of the rubric.

    Source: SPUR, section 4.3 (figures 3 and 4); we add the correction for many tests, effect sizes and intervals.
    """
    items = [_evaluate(item, rows, resampling=resampling) for item in rubric.items]
    adjusted = adjust_p_values([item.association.p_value for item in items])
    return tuple(replace(item, adjusted_p=p) for item, p in zip(items, adjusted, strict=True))


@dataclass(frozen=True, slots=True)
class _Judged:
    row: LabelledRow
    score: ItemScore

    @property
    def applies(self) -> bool:
        return self.score.yes >= APPLIES


def _evaluate(item: RubricItem, rows: Sequence[LabelledRow], *, resampling: Resampling) -> ItemEvaluation:
    verdicts = [(row, row.score.items.get(item.name)) for row in rows]
    judged = [_Judged(row, verdict) for row, verdict in verdicts if isinstance(verdict, ItemScore)]
    clear = [one for one in judged if one.row.is_clear]
    spread = pstdev([one.score.score for one in judged]) if judged else None
    return ItemEvaluation(
        name=item.name,
        side=item.side,
        prevalence=rate_of(
            sum(one.applies for one in judged),
            denominator=len(judged),
            excluded=_unscored([verdict for _, verdict in verdicts]),
        ),
        means={label: _mean(judged, label=label, resampling=resampling) for label in Label},
        histogram={label: histogram(_scores(judged, label=label), edges=SCORE_EDGES) for label in Label},
        spread=spread,
        has_no_spread=spread is not None and spread < LEAST_SPREAD,
        auc=_auc(clear, item=item, resampling=resampling),
        auc_of_yes=auc([_sign(item) * one.applies for one in clear], positive=[one.row.is_satisfied for one in clear]),
        association=measure_association(
            fourfold_table([one.applies for one in clear], second=[one.row.is_satisfied for one in clear])
        ),
    )


def _unscored(verdicts: Sequence[ItemVerdict | None]) -> dict[str, int]:
    missing = [verdict for verdict in verdicts if not isinstance(verdict, ItemScore)]
    return dict(Counter(verdict.reason.value if verdict else NO_ROW for verdict in missing).most_common())


def _scores(judged: Sequence[_Judged], *, label: Label) -> list[float]:
    return [one.score.score for one in judged if one.row.truth is label]


def _mean(judged: Sequence[_Judged], *, label: Label, resampling: Resampling) -> MeanScore:
    scores = _scores(judged, label=label)
    if not scores:
        return MeanScore(n=0, mean=None)
    resamples = resampling([one.row for one in judged if one.row.truth is label])
    found = bootstrap(mean_statistic(scores), resamples=resamples)
    return MeanScore(n=len(scores), mean=found.estimate, interval=found.interval)


def _sign(item: RubricItem) -> float:
    return 1.0 if item.side is Side.SATISFIED else -1.0


def _auc(clear: Sequence[_Judged], *, item: RubricItem, resampling: Resampling) -> Bootstrap | None:
    positive = [one.row.is_satisfied for one in clear]
    if len(set(positive)) < 2:  # noqa: PLR2004 - both sides
        return None
    statistic = auc_statistic([_sign(item) * one.score.score for one in clear], positive=positive)
    return bootstrap(statistic, resamples=resampling([one.row for one in clear]))
