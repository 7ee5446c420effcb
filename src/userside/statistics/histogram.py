"""Counting numbers into bins, and choosing bins that a reader can name."""

from collections.abc import Sequence
from math import ceil, floor, log10

import numpy as np

from userside.errors import StatisticsError
from userside.statistics.columns import Numbers, as_finite

_ROUND = (1.0, 2.0, 5.0, 10.0)


def histogram(values: Numbers, *, edges: Sequence[float]) -> tuple[int, ...]:
    """Return how many values lie in each bin: from its lower edge up to its upper one, which only the last includes.

    >>> histogram([0, 1, 1.5, 3], edges=[0, 1, 2, 3])
    (1, 2, 1)

    Raises:
        StatisticsError: A value is missing or outside the edges, or the edges do not rise.
    """
    column, bounds = as_finite(values, column="values"), as_finite(edges, column="edges")
    if len(bounds) < 2 or not (np.diff(bounds) > 0).all():  # noqa: PLR2004 - one bin has two edges
        raise StatisticsError(f"edges: must be two or more rising numbers, not {list(edges)!r}")
    if len(column) and not bounds[0] <= column.min() <= column.max() <= bounds[-1]:
        raise StatisticsError(
            f"values: must be from {bounds[0]:g} to {bounds[-1]:g}, not {column.min():g} to {column.max():g}"
        )
    counts: list[int] = np.histogram(column, bins=bounds)[0].tolist()
    return tuple(counts)


def round_edges(values: Numbers, *, most: int = 20) -> tuple[float, ...]:
    """Return edges of at most so many equal bins around values, at multiples of 1, 2 or 5 times a power of ten.

    0 is an edge where values lie on both sides of it. No values give no edges.

    >>> round_edges([-3, 12], most=5)
    (-5.0, 0.0, 5.0, 10.0, 15.0)

    Raises:
        StatisticsError: A value is missing or infinite, or fewer than two bins are allowed.
    """
    if most < 2:  # noqa: PLR2004 - values on both sides of an edge want two
        raise StatisticsError(f"most: must be 2 or more, not {most!r}")
    column = as_finite(values, column="values")
    if not len(column):
        return ()
    low, high = float(column.min()), float(column.max())
    step = _step(low, high, most=most)
    first, last = _ends(low, high, step=step)
    return tuple(place * step for place in range(first, last + 1))


def _step(low: float, high: float, *, most: int) -> float:
    if high == low:
        return 1.0
    power = 10.0 ** floor(log10((high - low) / most))
    steps = [factor * power for factor in (*_ROUND, *(10 * factor for factor in _ROUND))]
    fitting = (step for step in steps if _bins(low, high, step=step) <= most)
    return next(fitting, steps[-1])


def _bins(low: float, high: float, *, step: float) -> int:
    first, last = _ends(low, high, step=step)
    return last - first


def _ends(low: float, high: float, *, step: float) -> tuple[int, int]:
    first, last = floor(low / step), ceil(high / step)
    # A quotient may be rounded to the wrong side of a whole number.
    first -= first * step > low
    last += last * step < high
    return first, max(last, first + 1)
