"""Calibration against scikit-learn, and on scores that have little to say."""

from math import inf, nan

import numpy as np
import pytest

from tests.statistics import oracles
from userside.errors import StatisticsError
from userside.statistics import brier_score, calibration_error, fit_calibration, reliability_curve


def test_the_curve_is_what_scikit_learn_fits() -> None:
    generator = np.random.default_rng(30)
    for _ in range(20):
        n = int(generator.integers(10, 200))
        scores = generator.normal(size=n) * generator.uniform(0.5, 4) + generator.normal()
        outcomes = generator.random(n) < 1 / (1 + np.exp(-scores))
        outcomes[:2] = [True, False]
        ours = fit_calibration(scores, outcomes=outcomes)
        theirs = oracles.platt(scores, outcomes=outcomes)
        assert ours is not None
        assert ours.n == n
        assert ours.slope == pytest.approx(theirs.slope, rel=1e-4, abs=1e-4)
        assert ours.intercept == pytest.approx(theirs.intercept, rel=1e-4, abs=1e-4)


def test_a_known_curve_is_found_again() -> None:
    generator = np.random.default_rng(31)
    scores = generator.uniform(-30, 50, size=20_000)
    outcomes = generator.random(20_000) < 1 / (1 + np.exp(1.5 - 0.2 * scores))
    curve = fit_calibration(scores, outcomes=outcomes)
    assert curve is not None
    assert (curve.intercept, curve.slope) == pytest.approx((-1.5, 0.2), abs=0.1)
    predicted = curve.probabilities(scores)
    assert predicted.mean() == pytest.approx(outcomes.mean(), abs=0.001)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_score_that_separates_gets_a_finite_slope(scale: float) -> None:
    scores = np.array([1.0, 2, 3, 7, 8, 9]) * scale
    curve = fit_calibration(scores, outcomes=[0, 0, 0, 1, 1, 1])
    assert curve is not None
    probabilities = curve.probabilities(scores)
    assert (np.diff(probabilities) >= 0).all()
    # At its optimum the mean prediction equals the mean of Platt's targets, here 0.2 and 0.8.
    assert probabilities.mean() == pytest.approx(0.5, abs=1e-6)
    assert probabilities[:3].mean() == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 + 0.1, -3.118409499644938])
def test_a_score_without_spread_gives_the_base_rate(value: float) -> None:
    """The mean of 180 times the last value is not quite that value: a spread of a hair."""
    curve = fit_calibration([value] * 180, outcomes=[1] * 167 + [0] * 13)
    assert curve is not None
    assert curve.slope == 0
    assert curve.probabilities([value])[0] == pytest.approx(167 / 180, abs=0.01)


def test_a_score_that_points_down_gets_a_negative_slope() -> None:
    curve = fit_calibration([1, 2, 3, 4], outcomes=[1, 1, 0, 0])
    assert curve is not None
    assert curve.slope < 0


@pytest.mark.parametrize("outcomes", [[], [1, 1, 1], [0, 0, 0]])
def test_one_outcome_gives_no_curve(outcomes: list[bool]) -> None:
    assert fit_calibration([1.0, 2.0, 3.0][: len(outcomes)], outcomes=outcomes) is None


def test_far_scores_do_not_overflow() -> None:
    curve = fit_calibration([-1, 1, 0, 2], outcomes=[0, 0, 1, 1])
    assert curve is not None
    far = curve.probabilities([-1e9, 1e9])
    assert far.tolist() == [0, 1]


def test_reliability_is_what_scikit_learn_says() -> None:
    generator = np.random.default_rng(32)
    for _ in range(50):
        probabilities = generator.random(200)
        outcomes = generator.random(200) < probabilities
        curve = reliability_curve(probabilities, outcomes=outcomes, bins=10)
        observed, predicted = oracles.reliability(probabilities, outcomes=outcomes, bins=10)
        assert [point.observed.value for point in curve] == pytest.approx(observed)
        assert [point.mean_predicted for point in curve] == pytest.approx(predicted)
        assert [point.n for point in curve] == [20] * 10


def test_the_calibration_error_is_the_weighted_distance_from_the_diagonal() -> None:
    generator = np.random.default_rng(35)
    for _ in range(20):
        probabilities = generator.random(100)
        outcomes = generator.random(100) < probabilities**2
        observed, predicted = oracles.reliability(probabilities, outcomes=outcomes, bins=5)
        expected = np.mean(np.abs(np.array(observed) - np.array(predicted)))  # bins of equal count
        ours = calibration_error(reliability_curve(probabilities, outcomes=outcomes, bins=5))
        assert ours == pytest.approx(expected)
    # By hand: bins of 3 and 1 rows, off by |0.2 - 1/3| and |0.9 - 0|.
    bins = reliability_curve([0.2, 0.2, 0.2, 0.9], outcomes=[1, 0, 0, 0], bins=2)
    assert [part.n for part in bins] == [3, 1]
    assert calibration_error(bins) == pytest.approx((3 * (1 / 3 - 0.2) + 0.9) / 4)
    assert calibration_error([]) is None


def test_reliability_does_not_depend_on_the_order_of_ties() -> None:
    generator = np.random.default_rng(33)
    probabilities = generator.integers(0, 5, size=60) / 4
    outcomes = generator.random(60) < 0.5
    shuffled = generator.permutation(60)
    curve = reliability_curve(probabilities, outcomes=outcomes)
    assert curve == reliability_curve(probabilities[shuffled], outcomes=outcomes[shuffled])
    assert [point.low for point in curve] == [point.high for point in curve]
    assert sum(point.n for point in curve) == 60


def test_reliability_of_few_rows() -> None:
    assert reliability_curve([], outcomes=[]) == ()
    assert [point.n for point in reliability_curve([0.2, 0.9], outcomes=[0, 1])] == [1, 1]
    assert [point.n for point in reliability_curve([0.5] * 7, outcomes=[1] * 7)] == [7]


def test_brier_is_what_scikit_learn_says() -> None:
    generator = np.random.default_rng(34)
    for _ in range(100):
        n = int(generator.integers(2, 90))
        probabilities = generator.random(n)
        outcomes = generator.random(n) < 0.5
        outcomes[:2] = [True, False]
        ours = brier_score(probabilities, outcomes=outcomes)
        assert ours == pytest.approx(oracles.brier(probabilities, outcomes=outcomes), abs=1e-12)


def test_brier_at_its_edges() -> None:
    assert brier_score([], outcomes=[]) is None
    assert brier_score([0, 1], outcomes=[False, True]) == 0
    assert brier_score([0, 1], outcomes=[True, False]) == 1


@pytest.mark.parametrize(
    ("probabilities", "outcomes", "message"),
    [
        ([0.1, 1.1], [0, 1], "probabilities: row 1 must be from 0 to 1, not 1.1"),
        ([-0.1], [0], "probabilities: row 0 must be from 0 to 1, not -0.1"),
        ([nan], [0], "probabilities: row 0 must be a number, not nan"),
        ([0.5], [0, 1], "outcomes: must have 1 rows as probabilities has, not 2"),
    ],
)
def test_what_is_no_probability_is_refused(probabilities: list[float], outcomes: list[bool], message: str) -> None:
    for measure in (brier_score, reliability_curve):
        with pytest.raises(StatisticsError) as caught:
            measure(probabilities, outcomes=outcomes)
        assert str(caught.value) == message


def test_no_curve_goes_through_infinity() -> None:
    with pytest.raises(StatisticsError, match="scores: row 1 must be finite, not inf"):
        fit_calibration([0, inf], outcomes=[0, 1])
    with pytest.raises(StatisticsError, match="bins: must be 1 or more, not 0"):
        reliability_curve([0.5], outcomes=[1], bins=0)
