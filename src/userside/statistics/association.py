"""Whether two yes-or-no columns go together, and what many such tests at once are worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb, erfc, exp, log, sqrt
from statistics import NormalDist

import numpy as np

from userside.errors import StatisticsError
from userside.statistics.columns import Outcomes, as_outcomes, check_fraction, check_same_length
from userside.statistics.intervals import LEVEL, Interval, IntervalMethod

LEAST_EXPECTED = 5.0
"""The smallest expected count at which the chi-square distribution is trusted (Cochran 1954)."""


class AssociationTest(StrEnum):
    """Which test gave a p-value."""

    CHI_SQUARE = "chi_square"
    FISHER_EXACT = "fisher_exact"


@dataclass(frozen=True, slots=True, kw_only=True)
class FourfoldTable:
    """How often two yes-or-no columns met.

    Attributes:
        both: Rows where both are true.
        first_only: Rows where only the first is.
        second_only: Rows where only the second is.
        neither: Rows where neither is.
    """

    both: int
    first_only: int
    second_only: int
    neither: int

    def __post_init__(self) -> None:
        if min(self.cells) < 0:
            raise StatisticsError(f"fourfold table: every count must be 0 or more, not {self.cells!r}")

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """The counts, first row first: both, first only, second only, neither."""
        return self.both, self.first_only, self.second_only, self.neither

    @property
    def n(self) -> int:
        """The number of rows."""
        return sum(self.cells)

    @property
    def margins(self) -> tuple[int, int, int, int]:
        """How often the first is true and false, then the second."""
        a, b, c, d = self.cells
        return a + b, c + d, a + c, b + d


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """What a fourfold table says.

    Attributes:
        table: The counts.
        p_value: Two-sided; None when a column has one value only, since nothing can be tested then.
        test: Which test gave it.
        odds_ratio: The odds of the second being true where the first is, over those where it is not.
        interval: Of the odds ratio.
        is_corrected: Whether one half was added to each cell for the odds ratio, because one was 0.
    """

    table: FourfoldTable
    p_value: float | None
    test: AssociationTest | None
    odds_ratio: float | None
    interval: Interval | None
    is_corrected: bool


def fourfold_table(first: Outcomes, *, second: Outcomes) -> FourfoldTable:
    """Return how often two yes-or-no columns met.

    >>> fourfold_table([True, True, False], second=[True, False, False]).cells
    (1, 1, 0, 1)

    Raises:
        StatisticsError: The columns differ in length, or a value is neither true nor false.
    """
    check_same_length(first, second, columns=("first", "second"))
    one, other = as_outcomes(first, column="first"), as_outcomes(second, column="second")
    counts: list[int] = np.bincount(2 * ~one + ~other, minlength=4).tolist()
    both, first_only, second_only, neither = counts
    return FourfoldTable(both=both, first_only=first_only, second_only=second_only, neither=neither)


def measure_association(table: FourfoldTable, *, level: float = LEVEL) -> Association:
    """Return the test and the odds ratio of a fourfold table.

    Pearson's chi-square with one degree of freedom and no continuity correction, or Fisher's exact test where an
    expected count is below 5. The interval of the odds ratio is Woolf's, on the logarithm; where a cell is 0, one half
    is added to every cell first (Haldane and Anscombe), for estimate and interval.

    Source: Cochran (1954), Biometrics 10, 417-451; Woolf (1955), Annals of Human Genetics 19, 251-253; Anscombe (1956),
    Biometrika 43, 461-464.

    Raises:
        StatisticsError: The level is not between 0 and 1.
    """
    check_fraction(level, name="level")
    if not all(table.margins):
        return Association(table=table, p_value=None, test=None, odds_ratio=None, interval=None, is_corrected=False)
    exact = _least_expected(table) < LEAST_EXPECTED
    odds_ratio, interval = _odds_ratio(table, level=level)
    return Association(
        table=table,
        p_value=fisher_exact(table) if exact else chi_square(table),
        test=AssociationTest.FISHER_EXACT if exact else AssociationTest.CHI_SQUARE,
        odds_ratio=odds_ratio,
        interval=interval,
        is_corrected=not all(table.cells),
    )


def chi_square(table: FourfoldTable) -> float | None:
    """Return the p-value of Pearson's chi-square without correction, or None when a margin is 0."""
    a, b, c, d = table.cells
    if not all(table.margins):
        return None
    product = table.margins[0] * table.margins[1] * table.margins[2] * table.margins[3]
    statistic = table.n * (a * d - b * c) ** 2 / product
    return erfc(sqrt(statistic / 2))


def fisher_exact(table: FourfoldTable) -> float:
    """Return the two-sided p-value of Fisher's exact test; 1 when a margin is 0.

    The tables with the same margins that are at most as likely as this one, together. Likelihoods are compared as whole
    numbers, so ties are exact.

    >>> fisher_exact(FourfoldTable(both=3, first_only=1, second_only=1, neither=3))
    0.4857142857142857
    """
    first, not_first, second, _ = table.margins

    def ways(both: int) -> int:
        return comb(first, both) * comb(not_first, second - both)

    possible = [ways(both) for both in range(max(0, second - not_first), min(first, second) + 1)]
    seen = ways(table.both)
    return sum(count for count in possible if count <= seen) / sum(possible)


def adjust_p_values(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return p-values adjusted for the number of tests, in the same order; None stays None and is no test.

    Calling significant what is at most q here keeps the expected share of false findings at q, for independent or
    positively dependent tests.

    Source: Benjamini and Hochberg (1995), Journal of the Royal Statistical Society B 57, 289-300.

    >>> adjust_p_values([0.01, None, 0.04])
    (0.02, None, 0.04)

    Raises:
        StatisticsError: A p-value is not from 0 to 1.
    """
    tested = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    if tested and not (tested[0][0] >= 0 and tested[-1][0] <= 1):
        raise StatisticsError(f"p-values: must be from 0 to 1, not {tested[0][0]!r} to {tested[-1][0]!r}")
    adjusted: list[float | None] = [None] * len(p_values)
    least = 1.0
    for rank, (p, place) in reversed(list(enumerate(tested, start=1))):
        least = min(least, p * len(tested) / rank)
        adjusted[place] = least
    return tuple(adjusted)


def _least_expected(table: FourfoldTable) -> float:
    first, not_first, second, not_second = table.margins
    return min(first, not_first) * min(second, not_second) / table.n


def _odds_ratio(table: FourfoldTable, *, level: float) -> tuple[float, Interval]:
    added = 0.0 if all(table.cells) else 0.5
    a, b, c, d = (cell + added for cell in table.cells)
    centre = log(a * d / (b * c))
    half = NormalDist().inv_cdf((1 + level) / 2) * sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    interval = Interval(low=exp(centre - half), high=exp(centre + half), level=level, method=IntervalMethod.WOOLF)
    return a * d / (b * c), interval
