"""The area under the ROC curve, against scikit-learn and scipy."""

from math import inf, nan

import numpy as np
import pytest

from tests.statistics import oracles
from tests.statistics.tables import random_rankings
from userside.errors import StatisticsError
from userside.statistics import auc


def test_auc_is_what_scikit_learn_and_scipy_say() -> None:
    for ranked in random_rankings(300, seed=9):
        ours = auc(ranked.scores, positive=ranked.positive)
        assert ours == pytest.approx(oracles.roc_auc(ranked.scores, positive=ranked.positive), abs=1e-12)
        pairs = int(ranked.positive.sum()) * int((~ranked.positive).sum())
        assert ours == oracles.mann_whitney(ranked.scores, positive=ranked.positive) / pairs


@pytest.mark.parametrize(
    ("scores", "positive", "expected"),
    [
        ([], [], None),
        ([1, 2], [True, True], None),
        ([1, 2], [0, 0], None),
        ([3, 3, 3, 3], [True, False, True, False], 0.5),
        ([1, 2], [False, True], 1.0),
        ([2, 1], [False, True], 0.0),
        ([-inf, 0, inf], [False, True, True], 1.0),
    ],
)
def test_auc_at_its_edges(scores: list[float], positive: list[bool], expected: float | None) -> None:
    assert auc(scores, positive=positive) == expected


def test_turning_the_score_round_turns_the_area_round() -> None:
    for ranked in random_rankings(50, seed=10):
        there = auc(ranked.scores, positive=ranked.positive)
        back = auc(-ranked.scores, positive=ranked.positive)
        assert there is not None
        assert back == pytest.approx(1 - there, abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "positive", "message"),
    [
        ([1.0, nan], [True, False], "scores: row 1 must be a number, not nan"),
        ([1.0, None], [True, False], "scores: every row must be a number, not None"),
        (["1", "2"], [True, False], "scores: every row must be a number, not '1'"),
        ([[1.0], [2.0]], [True, False], "scores: must be one column, not of shape (2, 1)"),
        (
            [[1.0], [2.0, 3.0]],
            [True, False],
            "scores: must be one column, not rows of unequal length",
        ),
        ([1.0, 2.0], [True], "positive: must have 2 rows as scores has, not 1"),
        ([1.0, 2.0], [True, None], "positive: every row must be true or false, not None"),
        ([1.0, 2.0], [1, 2], "positive: row 1 must be true or false, not 2"),
        ([1.0, 2.0], ["yes", "no"], "positive: every row must be true or false, not 'yes'"),
        ([1.0, 2.0], [1.0, 0.5], "positive: every row must be true or false, not 1.0"),
    ],
)
def test_what_cannot_be_ranked_is_refused(scores: list[float], positive: list[bool], message: str) -> None:
    with pytest.raises(StatisticsError) as caught:
        auc(scores, positive=positive)
    assert str(caught.value) == message


def test_nothing_is_changed_in_place() -> None:
    scores, positive = np.array([2.0, 1.0]), np.array([True, False])
    auc(scores, positive=positive)
    assert scores.tolist() == [2.0, 1.0]
    assert positive.tolist() == [True, False]
