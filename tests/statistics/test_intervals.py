"""Rates and Wilson intervals, against statsmodels and by hand."""

from dataclasses import asdict
from math import nan

import numpy as np
import pytest

from tests.statistics.oracles import wilson
from userside.errors import StatisticsError
from userside.statistics import IntervalMethod, rate_of, wilson_interval


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_is_what_statsmodels_says(level: float) -> None:
    generator = np.random.default_rng(1)
    for _ in range(300):
        n = int(generator.integers(1, 500))
        k = int(generator.integers(0, n + 1))
        interval = wilson_interval(k, denominator=n, level=level)
        assert interval is not None
        expected = wilson(k, denominator=n, level=level)
        assert (interval.low, interval.high) == pytest.approx(expected, abs=1e-12)
        assert 0 <= interval.low <= k / n <= interval.high <= 1
        assert interval.width == interval.high - interval.low
        assert (interval.level, interval.method) == (level, IntervalMethod.WILSON)


def test_an_edge_is_reached_exactly() -> None:
    for n in range(1, 300):
        none, every = wilson_interval(0, denominator=n), wilson_interval(n, denominator=n)
        assert none is not None
        assert every is not None
        assert (none.low, every.high) == (0, 1)


def test_a_rate_of_nothing_has_no_value_and_no_interval() -> None:
    rate = rate_of(0, denominator=0, excluded={"unscored": 4})
    assert rate.value is None
    assert rate.interval is None
    assert rate.excluded == {"unscored": 4}


def test_a_rate_does_not_follow_later_changes_of_its_exclusions() -> None:
    excluded = {"unscored": 4}
    rate = rate_of(3, denominator=4, excluded=excluded)
    excluded["unscored"] = 5
    assert rate.excluded == {"unscored": 4}
    assert rate.value == 0.75
    assert hash(rate) == hash(rate_of(3, denominator=4))
    assert asdict(rate)["excluded"] == {"unscored": 4}


@pytest.mark.parametrize(
    ("numerator", "denominator", "level", "message"),
    [
        (3, 2, 0.95, "numerator: must be from 0 to the denominator 2, not 3"),
        (-1, 2, 0.95, "numerator: must be from 0 to the denominator 2, not -1"),
        (0, -1, 0.95, "numerator: must be from 0 to the denominator -1, not 0"),
        (1, 2, 95, "level: must be between 0 and 1, not 95"),
        (1, 2, nan, "level: must be between 0 and 1, not nan"),
        (1, 0, 0.95, "numerator: must be from 0 to the denominator 0, not 1"),
    ],
)
def test_impossible_counts_are_refused(numerator: int, denominator: int, level: float, message: str) -> None:
    with pytest.raises(StatisticsError) as caught:
        wilson_interval(numerator, denominator=denominator, level=level)
    assert str(caught.value) == message


def test_a_negative_exclusion_is_refused() -> None:
    with pytest.raises(StatisticsError, match="'unscored' must be 0 or more, not -1"):
        rate_of(1, denominator=2, excluded={"unscored": -1})
