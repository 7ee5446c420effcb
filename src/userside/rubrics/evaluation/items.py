"""What each item is worth: how often it applies, and how it goes with users' own labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, pstdev

from userside.conversations import Label
from userside.rubrics.evaluation.rows import EvaluatedRow
from userside.rubrics.evaluation.tables import Resampling
from userside.rubrics.rubric import Rubric, RubricItem, Side
from userside.rubrics.scores import ItemScore
from userside.statistics import (
    Association,
    Bootstrap,
    Rate,
    adjust_p_values,
    auc_statistic,
    bootstrap,
    fourfold_table,
    measure_association,
    rate_of,
)

APPLIES = 0.5
"""The P(Y) from which an item counts as applying."""
LEAST_SPREAD = 0.5
"""The standard deviation of a score of 0 to 10 below which an item tells conversations hardly apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScore:
    """The mean score of an item over conversations of one label; None without any."""

    n: int
    mean: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemEvaluation:
    """What one item is worth.

    Attributes:
        name: The item.
        side: Which way it counts in R.
        prevalence: The share of evaluated conversations it applies to; those without a score for it are excluded.
        means: Mean score (0 to 10) by label.
        spread: Standard deviation of its scores; None without any.
        has_no_spread: Whether it gives all conversations nearly the same score.
        auc: Of its score, signed as in R, satisfied against dissatisfied: below 0.5 it works against the rubric. None
            unless both are there.
        association: Whether it applies × whether the user is satisfied, neutral left out.
        adjusted_p: Its p-value, adjusted for the number of items (Benjamini and Hochberg); None where nothing was
            tested.
    """

    name: str
    side: Side
    prevalence: Rate
    means: Mapping[Label, MeanScore]
    spread: float | None
    has_no_spread: bool
    auc: Bootstrap | None
    association: Association
    adjusted_p: float | None = None


def evaluate_items(
    rows: Sequence[EvaluatedRow], *, rubric: Rubric, resampling: Resampling
) -> tuple[ItemEvaluation, ...]:
    """Return what each item is worth on these rows, in the order of the rubric."""
    items = [_evaluate(item, rows, resampling=resampling) for item in rubric.items]
    adjusted = adjust_p_values([item.association.p_value for item in items])
    return tuple(replace(item, adjusted_p=p) for item, p in zip(items, adjusted, strict=True))


@dataclass(frozen=True, slots=True)
class _Judged:
    row: EvaluatedRow
    score: ItemScore

    @property
    def applies(self) -> bool:
        return self.score.yes >= APPLIES


def _evaluate(item: RubricItem, rows: Sequence[EvaluatedRow], *, resampling: Resampling) -> ItemEvaluation:
    verdicts = [(row, row.score.items.get(item.name)) for row in rows]
    judged = [_Judged(row, verdict) for row, verdict in verdicts if isinstance(verdict, ItemScore)]
    clear = [one for one in judged if one.row.is_clear]
    scores = [one.score.score for one in judged]
    unscored = len(rows) - len(judged)
    return ItemEvaluation(
        name=item.name,
        side=item.side,
        prevalence=rate_of(
            sum(one.applies for one in judged),
            denominator=len(judged),
            excluded={"unscored": unscored} if unscored else {},
        ),
        means={label: _mean(judged, label=label) for label in Label},
        spread=pstdev(scores) if scores else None,
        has_no_spread=bool(scores) and pstdev(scores) < LEAST_SPREAD,
        auc=_auc(clear, item=item, resampling=resampling),
        association=measure_association(
            fourfold_table([one.applies for one in clear], second=[one.row.is_satisfied for one in clear])
        ),
    )


def _mean(judged: Sequence[_Judged], *, label: Label) -> MeanScore:
    scores = [one.score.score for one in judged if one.row.truth is label]
    return MeanScore(n=len(scores), mean=fmean(scores) if scores else None)


def _auc(clear: Sequence[_Judged], *, item: RubricItem, resampling: Resampling) -> Bootstrap | None:
    positive = [one.row.is_satisfied for one in clear]
    if len(set(positive)) < 2:  # noqa: PLR2004 - both sides
        return None
    sign = 1.0 if item.side is Side.SATISFIED else -1.0
    statistic = auc_statistic([sign * one.score.score for one in clear], positive=positive)
    return bootstrap(statistic, resamples=resampling([one.row for one in clear]))
