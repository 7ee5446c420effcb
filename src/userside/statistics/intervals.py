"""Rates that carry what they were counted from, and intervals that say how they were made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import sqrt
from statistics import NormalDist

from userside.errors import StatisticsError
from userside.statistics.columns import check_fraction

LEVEL = 0.95
"""The confidence level where none is named."""


class IntervalMethod(StrEnum):
    """How an interval was made."""

    WILSON = "wilson"
    PERCENTILE_BOOTSTRAP = "percentile_bootstrap"
    WOOLF = "woolf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval, both ends included.

    Attributes:
        low: The lower end, in the unit of the estimate.
        high: The upper end.
        level: The confidence level, such as 0.95.
        method: How the interval was made.
    """

    low: float
    high: float
    level: float
    method: IntervalMethod

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A proportion together with what it was counted from.

    Attributes:
        numerator: How many rows had the property.
        denominator: How many rows were looked at.
        excluded: How many rows were left out of the denominator, by reason.
        interval: A confidence interval, or None when nothing was looked at.
    """

    numerator: int
    denominator: int
    excluded: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    interval: Interval | None = None

    @property
    def value(self) -> float | None:
        """The proportion, or None when nothing was looked at: no rows is not a rate of zero."""
        return self.numerator / self.denominator if self.denominator else None


def rate_of(
    numerator: int,
    *,
    denominator: int,
    excluded: Mapping[str, int] | None = None,
    level: float = LEVEL,
) -> Rate:
    """Return a rate with its Wilson interval.

    >>> rate_of(8, denominator=25, excluded={"no answer": 3}).value
    0.32

    Raises:
        StatisticsError: As `wilson_interval`, or a count of excluded rows is negative.
    """
    excluded = dict(excluded or {})
    for reason, count in excluded.items():
        if count < 0:
            raise StatisticsError(f"excluded: {reason!r} must be 0 or more, not {count!r}")
    interval = wilson_interval(numerator, denominator=denominator, level=level)
    return Rate(numerator=numerator, denominator=denominator, excluded=excluded, interval=interval)


def wilson_interval(numerator: int, *, denominator: int, level: float = LEVEL) -> Interval | None:
    """Return Wilson's score interval of a proportion, or None when the denominator is 0.

    With p = k/n and z the normal quantile of (1 + level)/2, the ends are

        (p + z²/2n ± z √(p(1 - p)/n + z²/4n²)) / (1 + z²/n)

    Source: Wilson (1927), JASA 22, 209-212; recommended for small n by Brown, Cai and DasGupta
    (2001), Statistical Science 16, 101-133. The rows are taken to be independent; where they are
    not, use a bootstrap by cluster.

    >>> interval = wilson_interval(8, denominator=25)
    >>> f"{interval.low:.3f} to {interval.high:.3f}"
    '0.172 to 0.516'

    Raises:
        StatisticsError: The numerator is not from 0 to the denominator, or the level not between 0
            and 1.
    """
    check_fraction(level, name="level")
    if not 0 <= numerator <= denominator:
        raise StatisticsError(f"numerator: must be from 0 to the denominator {denominator!r}, not {numerator!r}")
    if denominator == 0:
        return None
    share = numerator / denominator
    z = NormalDist().inv_cdf((1 + level) / 2)
    shrinkage = 1 + z**2 / denominator
    centre = (share + z**2 / (2 * denominator)) / shrinkage
    half = z * sqrt(share * (1 - share) / denominator + z**2 / (4 * denominator**2)) / shrinkage
    # At the two edges the end is exactly 0 or 1; rounding would leave a hair outside.
    low = 0.0 if numerator == 0 else centre - half
    high = 1.0 if numerator == denominator else centre + half
    return Interval(low=low, high=high, level=level, method=IntervalMethod.WILSON)
