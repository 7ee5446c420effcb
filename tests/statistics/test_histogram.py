"""Histograms against numpy, and edges that a reader can name."""

from math import inf, nan

import numpy as np
import pytest

from userside.errors import StatisticsError
from userside.statistics import histogram, mean_statistic, round_edges


def test_counts_are_numpys_whatever_the_values() -> None:
    generator = np.random.default_rng(40)
    for _ in range(100):
        values = generator.normal(size=int(generator.integers(0, 60))) * 10.0 ** generator.integers(-3, 4)
        edges = round_edges(values, most=int(generator.integers(2, 30)))
        if not len(values):
            assert edges == ()
            continue
        assert histogram(values, edges=edges) == tuple(np.histogram(values, bins=np.array(edges))[0])
        assert sum(histogram(values, edges=edges)) == len(values)


@pytest.mark.parametrize(
    ("values", "most", "expected"),
    [
        ([-3, 12], 5, (-5, 0, 5, 10, 15)),
        ([0, 10], 10, tuple(range(11))),
        ([0, 10], 9, (0, 2, 4, 6, 8, 10)),
        ([7], 20, (7, 8)),
        ([-0.5, -0.5], 20, (-1, 0)),
        ([0, 0.3], 3, (0, 0.1, 0.2, 0.3)),
        ([-100, 100], 20, tuple(range(-100, 101, 10))),
        ([1, 4], 2, (0, 2, 4)),
    ],
)
def test_edges_are_round(values: list[float], most: int, expected: tuple[float, ...]) -> None:
    assert round_edges(values, most=most) == pytest.approx(expected)


def test_edges_enclose_all_values_in_few_bins_with_zero_among_them() -> None:
    generator = np.random.default_rng(41)
    for _ in range(300):
        values = generator.normal(generator.normal(), size=9) * 10.0 ** generator.integers(-6, 7)
        most = int(generator.integers(2, 40))
        edges = round_edges(values, most=most)
        assert len(edges) - 1 <= most
        assert edges[0] <= values.min() <= values.max() <= edges[-1]
        if values.min() < 0 < values.max():
            assert 0 in edges


@pytest.mark.parametrize(
    ("values", "edges", "message"),
    [
        ([1], [0], "edges: must be two or more rising numbers"),
        ([1], [0, 0], "edges: must be two or more rising numbers"),
        ([3], [0, 2], "values: must be from 0 to 2, not 3 to 3"),
        ([nan], [0, 2], "values: row 0 must be a number, not nan"),
        ([inf], [0, 2], "values: row 0 must be finite, not inf"),
    ],
)
def test_what_cannot_be_counted_is_refused(values: list[float], edges: list[float], message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        histogram(values, edges=edges)


def test_one_bin_is_too_few_to_be_round() -> None:
    with pytest.raises(StatisticsError, match="most: must be 2 or more, not 1"):
        round_edges([1, 2], most=1)


def test_the_mean_is_undefined_on_no_rows() -> None:
    statistic = mean_statistic([1, 2, 6])
    assert (statistic.n, statistic.estimate, statistic.at(np.array([0, 0, 2]))) == (3, 3.0, pytest.approx(8 / 3))
    assert mean_statistic([]).estimate is None
