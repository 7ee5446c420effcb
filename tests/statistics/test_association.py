"""Fourfold tables against scipy and statsmodels."""

from typing import Any, cast

import numpy as np
import pytest
from statsmodels.stats import contingency_tables, multitest

from tests.statistics.oracles import SCIPY
from userside.errors import StatisticsError
from userside.statistics import (
    AssociationTest,
    FourfoldTable,
    adjust_p_values,
    chi_square,
    fisher_exact,
    fourfold_table,
    measure_association,
)

TABLES = cast("Any", contingency_tables)
MULTITEST = cast("Any", multitest)


def table(a: int, b: int, c: int, d: int) -> FourfoldTable:
    return FourfoldTable(both=a, first_only=b, second_only=c, neither=d)


CELLS = [(3, 1, 1, 3), (30, 10, 12, 48), (0, 5, 7, 9), (1, 0, 0, 1), (12, 5, 29, 2), (200, 180, 190, 230), (8, 2, 1, 5)]


@pytest.mark.parametrize("cells", CELLS)
def test_both_p_values_are_scipys(cells: tuple[int, int, int, int]) -> None:
    counts = np.array(cells).reshape(2, 2)
    assert fisher_exact(table(*cells)) == pytest.approx(SCIPY.fisher_exact(counts)[1], rel=1e-9)
    assert chi_square(table(*cells)) == pytest.approx(SCIPY.chi2_contingency(counts, correction=False)[1], rel=1e-9)


@pytest.mark.parametrize("cells", [cells for cells in CELLS if all(cells)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_odds_ratio_and_interval_are_statsmodels(cells: tuple[int, int, int, int], level: float) -> None:
    theirs = TABLES.Table2x2(np.array(cells).reshape(2, 2))
    ours = measure_association(table(*cells), level=level)
    assert ours.odds_ratio == pytest.approx(theirs.oddsratio)
    assert ours.interval is not None
    assert (ours.interval.low, ours.interval.high) == pytest.approx(theirs.oddsratio_confint(1 - level))
    assert not ours.is_corrected


def test_an_empty_cell_gets_one_half() -> None:
    ours = measure_association(table(0, 5, 7, 9))
    assert ours.is_corrected
    assert ours.odds_ratio == pytest.approx(0.5 * 9.5 / (5.5 * 7.5))


@pytest.mark.parametrize(
    ("cells", "test"),
    [((5, 5, 5, 5), AssociationTest.CHI_SQUARE), ((4, 5, 5, 5), AssociationTest.FISHER_EXACT)],
)
def test_small_expected_counts_are_tested_exactly(cells: tuple[int, int, int, int], test: AssociationTest) -> None:
    assert measure_association(table(*cells)).test is test


@pytest.mark.parametrize("cells", [(3, 4, 0, 0), (0, 4, 0, 9), (0, 0, 0, 0)])
def test_a_column_of_one_value_is_not_tested(cells: tuple[int, int, int, int]) -> None:
    ours = measure_association(table(*cells))
    assert (ours.p_value, ours.test, ours.odds_ratio, ours.interval) == (None, None, None, None)


def test_columns_are_counted() -> None:
    first, second = [True, True, True, False, False, False], [1, 1, 0, 1, 0, 0]
    assert fourfold_table(first, second=second).cells == (2, 1, 1, 2)
    assert fourfold_table([], second=[]).n == 0


def test_adjusted_p_values_are_statsmodels() -> None:
    p_values = np.random.default_rng(3).uniform(size=25).round(2).tolist()
    theirs = MULTITEST.multipletests(p_values, method="fdr_bh")[1]
    assert adjust_p_values(p_values) == pytest.approx(theirs.tolist())
    with_gaps = [None, *p_values, None]
    assert adjust_p_values(with_gaps) == (None, *adjust_p_values(p_values), None)
    assert adjust_p_values([]) == ()


@pytest.mark.parametrize("bad", [[0.5, 1.2], [-0.1]])
def test_a_p_value_out_of_range_is_refused(bad: list[float]) -> None:
    with pytest.raises(StatisticsError, match="from 0 to 1"):
        adjust_p_values(bad)


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(StatisticsError, match="0 or more"):
        table(-1, 2, 3, 4)
