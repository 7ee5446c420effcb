"""How far two labellings of the same rows agree."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from userside.statistics.columns import Labels
from userside.statistics.confusion import ConfusionMatrix, confusion_matrix
from userside.statistics.intervals import Rate, rate_of


class Disagreement(StrEnum):
    """How much a pair of different classes counts against agreement.

    The last two need classes in a meaningful order; the distance is counted in places.
    """

    NOMINAL = "nominal"
    LINEAR = "linear"
    QUADRATIC = "quadratic"


def raw_agreement(
    first: Labels,
    *,
    second: Labels,
    labels: Sequence[str],
    excluded: Mapping[str, int] | None = None,
) -> Rate:
    """Return the share of rows on which both labellings gave the same class.

    It is easy to explain and easy to inflate: when nearly every row has one class, read it beside
    `cohen_kappa`.

    >>> raw_agreement(["a", "b"], second=["a", "a"], labels=["a", "b"]).value
    0.5

    Raises:
        StatisticsError: The columns differ in length, or a label is not in the class list.
    """
    table = confusion_matrix(first, second=second, labels=labels)
    return rate_of(sum(table.diagonal), denominator=table.n, excluded=excluded)


def cohen_kappa(table: ConfusionMatrix, *, disagreement: Disagreement = Disagreement.NOMINAL) -> float | None:
    """Return Cohen's kappa, or None when chance alone would give full agreement.

    With counts O, margins r and c, n rows, and w the weight of a disagreement (0 on the diagonal),

        kappa = 1 - n Σ w_ij O_ij / Σ w_ij r_i c_j

    With w = 1 off the diagonal this is (p_o - p_e) / (1 - p_e). The denominator is 0 when both
    labellings give one and the same class throughout, or when there are no rows: kappa has no value
    then, neither 0 nor 1. The sums are of whole numbers, hence exact.

    Source: Cohen (1960), Educational and Psychological Measurement 20, 37-46; weights from Cohen
    (1968), Psychological Bulletin 70, 213-220.

    >>> cohen_kappa(confusion_matrix(["a", "a", "b", "b"], second=["a", "b", "b", "b"], labels=["a", "b"]))
    0.5

    Args:
        table: The two labellings, counted by `confusion_matrix`.
        disagreement: What a pair of different classes weighs.
    """
    rows, columns = table.row_totals, table.column_totals
    places = range(len(table.labels))
    weights = {(i, j): _weight(abs(i - j), disagreement) for i in places for j in places}
    observed = table.n * sum(weight * table.counts[i][j] for (i, j), weight in weights.items())
    by_chance = sum(weight * rows[i] * columns[j] for (i, j), weight in weights.items())
    return (by_chance - observed) / by_chance if by_chance else None


def _weight(distance: int, disagreement: Disagreement) -> int:
    match disagreement:
        case Disagreement.NOMINAL:
            return min(distance, 1)
        case Disagreement.LINEAR:
            return distance
        case Disagreement.QUADRATIC:
            return distance**2
