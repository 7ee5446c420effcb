"""Intervals by resampling whole clusters, such as dialogues or contributors.

Rows of one cluster are not independent, so clusters are what is drawn, with replacement, and every
row of a drawn cluster comes along. Resamples are drawn once and shared: statistics measured on the
same ones can be paired.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isnan

import numpy as np

from userside.errors import StatisticsError
from userside.statistics.columns import Integers, check_fraction
from userside.statistics.intervals import LEVEL, Interval, IntervalMethod

REPLICATES = 2000
"""How many resamples are drawn where no number is named."""

type Measured[Subject] = Callable[[Subject], float | None]
"""A function with a number as its value, or None where it is undefined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample[Subject]:
    """What many statistics are measured on, such as a table, for any selection of rows.

    Attributes:
        n: The number of rows it knows.
        at: The subject made of the rows with these indices (repeats allowed).
    """

    n: int
    at: Callable[[Integers], Subject]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """A number that can be measured on any selection of rows.

    Attributes:
        n: The number of rows it knows.
        at: The value on the rows with these indices (repeats allowed), or None where it is
            undefined.
    """

    n: int
    at: Measured[Integers]

    @property
    def estimate(self) -> float | None:
        """The value on all rows."""
        return self.at(np.arange(self.n))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Resamples:
    """Clusters drawn with replacement, again and again.

    Iterating gives the row indices of one resample after another.

    Attributes:
        members: The row indices of each cluster.
        replicates: How many resamples there are.
        seed: What they are drawn from, anew on each pass, so that none of them is kept.
    """

    members: tuple[Integers, ...]
    replicates: int
    seed: int

    @property
    def n(self) -> int:
        """The number of rows."""
        return sum(len(rows) for rows in self.members)

    def __iter__(self) -> Iterator[Integers]:
        """Yield the row indices of each resample, the same on every pass."""
        generator, size = np.random.default_rng(self.seed), len(self.members)
        is_single = size == self.n
        first_rows = np.array([rows[0] for rows in self.members], dtype=np.intp)
        for _ in range(self.replicates):
            clusters: Integers = generator.integers(size, size=size)
            if is_single:  # one row a cluster, the common case, needs no joining
                yield first_rows[clusters]
            else:
                drawn: list[int] = clusters.tolist()
                yield np.concatenate([self.members[cluster] for cluster in drawn])


class NoInterval(StrEnum):
    """Why a bootstrap gives no interval."""

    UNDEFINED_ESTIMATE = "undefined_estimate"
    TOO_FEW_CLUSTERS = "too_few_clusters"
    TOO_OFTEN_UNDEFINED = "too_often_undefined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """What resampling says about one statistic.

    Attributes:
        estimate: The statistic on all rows, or None where it is undefined.
        interval: The percentile interval, or None for the reason in `no_interval`.
        no_interval: Why there is no interval; None when there is one.
        clusters: How many clusters there are.
        replicates: How many resamples were drawn.
        undefined: On how many of them the statistic was undefined.
    """

    estimate: float | None
    interval: Interval | None
    no_interval: NoInterval | None
    clusters: int
    replicates: int
    undefined: int


def draw_resamples(
    clusters: Sequence[Hashable], *, generator: np.random.Generator, replicates: int = REPLICATES
) -> Resamples:
    """Return resamples by cluster, the same ones for the same generator state.

    Args:
        clusters: The cluster of each row, such as its dialogue's id. For independent rows pass
            `range(n)`.
        generator: Where chance comes from.
        replicates: How many resamples to draw.

    Raises:
        StatisticsError: There are no rows, or fewer than one resample is wanted.
    """
    if isinstance(clusters, str) or len(clusters) == 0:
        raise StatisticsError(f"clusters: must be a list with at least one row, not {clusters!r}")
    if replicates < 1:
        raise StatisticsError(f"replicates: must be 1 or more, not {replicates!r}")
    rows_of: dict[Hashable, list[int]] = {}
    for row, cluster in enumerate(clusters):
        if cluster is None or isinstance(cluster, float | np.floating):
            raise StatisticsError(f"clusters: row {row} must name its cluster, not {cluster!r}")
        rows_of.setdefault(cluster, []).append(row)
    members = tuple(np.array(rows, dtype=np.intp) for rows in rows_of.values())
    return Resamples(members=members, replicates=replicates, seed=int(generator.integers(2**63 - 1)))


def bootstrap(statistic: Statistic, *, resamples: Resamples, level: float = LEVEL) -> Bootstrap:
    """Return a statistic with its percentile interval over resamples.

    The ends are the (1 - level)/2 and (1 + level)/2 quantiles of the replicates, interpolated. A
    replicate without a value is counted in `undefined`. When such replicates alone could fill one
    tail (their share exceeds (1 - level)/2), the ends rest on what was left out, and there is no
    interval.

    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13; whole clusters as
    in Davison and Hinkley (1997), Bootstrap Methods and their Application,
    section 3.8. With few clusters (say under 20) percentile intervals are too narrow; with one
    there is none.

    Raises:
        StatisticsError: The statistic and the resamples have different numbers of rows, or the
            level is not between 0 and 1; or the statistic is NaN, which is no way to be undefined.
    """
    measures = {"statistic": statistic.at}
    return bootstrap_each(measures, of=Sample(n=statistic.n, at=_itself), resamples=resamples, level=level)["statistic"]


def bootstrap_each[Subject](
    measures: Mapping[str, Measured[Subject]], *, of: Sample[Subject], resamples: Resamples, level: float = LEVEL
) -> dict[str, Bootstrap]:
    """Return `bootstrap` of each measure; what they are measured on is made once a resample, and shared.

    Raises:
        StatisticsError: As `bootstrap`.
    """
    check_fraction(level, name="level")
    if of.n != resamples.n:
        raise StatisticsError(f"statistic: must have {resamples.n} rows as the resamples have, not {of.n}")
    values: dict[str, list[float | None]] = {name: [] for name in measures}
    for rows in resamples:
        subject = of.at(rows)
        for name, measure in measures.items():
            values[name].append(measure(subject))
    whole, clusters = of.at(np.arange(of.n)), len(resamples.members)
    return {
        name: _summary(measure(whole), values[name], clusters=clusters, level=level)
        for name, measure in measures.items()
    }


def paired_bootstrap(first: Statistic, *, minus: Statistic, resamples: Resamples, level: float = LEVEL) -> Bootstrap:
    """Return the difference of two statistics, both measured on one resample after another.

    What makes a resample easy or hard for both cancels, so the interval is narrower than two
    intervals side by side suggest. The difference is undefined where either statistic is.

    Raises:
        StatisticsError: The statistics and the resamples have different numbers of rows, or the
            level is not between 0 and 1.
    """
    if first.n != minus.n:
        raise StatisticsError(f"minus: must have {first.n} rows as the first statistic has, not {minus.n}")

    def difference(rows: Integers) -> float | None:
        one, other = first.at(rows), minus.at(rows)
        return None if one is None or other is None else one - other

    return bootstrap(Statistic(n=first.n, at=difference), resamples=resamples, level=level)


def _itself(rows: Integers) -> Integers:
    return rows


def _summary(estimate: float | None, values: Sequence[float | None], *, clusters: int, level: float) -> Bootstrap:
    defined = [value for value in values if value is not None]
    if any(isnan(value) for value in defined):
        raise StatisticsError("statistic: must be None where it is undefined, not nan")
    obstacle = _obstacle(estimate, clusters=clusters, share=1 - len(defined) / len(values), level=level)
    return Bootstrap(
        estimate=estimate,
        interval=None if obstacle else _percentile_interval(defined, level=level),
        no_interval=obstacle,
        clusters=clusters,
        replicates=len(values),
        undefined=len(values) - len(defined),
    )


def _obstacle(estimate: float | None, *, clusters: int, share: float, level: float) -> NoInterval | None:
    """Return why there can be no interval, if so; `share` is that of the undefined replicates."""
    if estimate is None:
        return NoInterval.UNDEFINED_ESTIMATE
    if clusters == 1:
        return NoInterval.TOO_FEW_CLUSTERS
    return NoInterval.TOO_OFTEN_UNDEFINED if share > (1 - level) / 2 else None


def _percentile_interval(values: Sequence[float], *, level: float) -> Interval:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(low=low, high=high, level=level, method=IntervalMethod.PERCENTILE_BOOTSTRAP)
