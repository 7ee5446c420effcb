"""From a score to a probability, and how far the probability can be believed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from userside.errors import StatisticsError
from userside.statistics.columns import (
    Floats,
    Integers,
    Numbers,
    Outcomes,
    as_finite,
    as_outcomes,
    as_probabilities,
    check_same_length,
)
from userside.statistics.intervals import Rate, rate_of

# The slope's penalty, on the standardised score: only there so that a score without spread has
# slope 0.
RIDGE = 1e-6
NEWTON_STEPS = 100
CONVERGED = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticCalibration:
    """The probability 1 / (1 + exp(-(intercept + slope · score))) of a true outcome.

    Attributes:
        intercept: The log-odds at score 0.
        slope: The log-odds a unit of the score is worth; negative when high scores go with false
            outcomes.
        n: The number of rows it was fitted to.
    """

    intercept: float
    slope: float
    n: int

    def probabilities(self, scores: Numbers) -> Floats:
        """Return the probability of a true outcome at each score.

        Raises:
            StatisticsError: A score is missing or infinite.
        """
        return _logistic(self.intercept + self.slope * as_finite(scores, column="scores"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """One point of a reliability curve: rows with much the same predicted probability.

    Attributes:
        low: The smallest prediction in the bin.
        high: The largest.
        mean_predicted: The mean prediction.
        observed: How often the outcome was true.
    """

    low: float
    high: float
    mean_predicted: float
    observed: Rate

    @property
    def n(self) -> int:
        """The number of rows in the bin."""
        return self.observed.denominator


def fit_calibration(scores: Numbers, *, outcomes: Outcomes) -> LogisticCalibration | None:
    """Return the logistic curve through one score, or None when only one outcome is there.

    Maximum likelihood on Platt's softened targets, (n₁ + 1)/(n₁ + 2) and 1/(n₀ + 2) in place of 1
    and 0, which keep the slope finite when the score separates the outcomes; Newton steps with
    halving.

    Source: Platt (1999), in Advances in Large Margin Classifiers, 61-74; Lin, Lin and Weng (2007),
    Machine Learning 68, 267-276. We depart from both in a penalty of a millionth on the
    standardised slope.

    Raises:
        StatisticsError: The columns differ in length, a score is missing or infinite, or an outcome
            is neither true nor false.
    """
    check_same_length(scores, outcomes, columns=("scores", "outcomes"))
    column = as_finite(scores, column="scores")
    positive = as_outcomes(outcomes, column="outcomes")
    n, n_positive = len(positive), int(positive.sum())
    if n_positive in (0, n):
        return None
    targets = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n - n_positive + 2))
    centre, spread = _centre_and_spread(column)
    intercept, slope = _newton((column - centre) / spread, targets=targets)
    return LogisticCalibration(intercept=intercept - slope * centre / spread, slope=slope / spread, n=n)


def reliability_curve(probabilities: Numbers, *, outcomes: Outcomes, bins: int = 10) -> tuple[ReliabilityBin, ...]:
    """Return predicted against observed probability, in bins of equal count from low to high.

    Equal predictions share a bin, so the curve does not depend on the order of the rows; with many
    ties there are fewer bins than asked for, of unequal count. No rows give no bins.

    Source: DeGroot and Fienberg (1983), The Statistician 32, 12-22.

    Raises:
        StatisticsError: The columns differ in length, a probability is missing or outside 0 to 1,
            an outcome is neither true nor false, or fewer than one bin is wanted.
    """
    check_same_length(probabilities, outcomes, columns=("probabilities", "outcomes"))
    if bins < 1:
        raise StatisticsError(f"bins: must be 1 or more, not {bins!r}")
    predicted = as_probabilities(probabilities, column="probabilities")
    positive = as_outcomes(outcomes, column="outcomes")
    places = _bins_of(predicted, bins=bins)
    members = [places == place for place in np.unique(places)]
    return tuple(
        ReliabilityBin(
            low=float(predicted[rows].min()),
            high=float(predicted[rows].max()),
            mean_predicted=float(predicted[rows].mean()),
            observed=rate_of(int(positive[rows].sum()), denominator=int(rows.sum())),
        )
        for rows in members
    )


def calibration_error(bins: Sequence[ReliabilityBin]) -> float | None:
    """Return the expected calibration error of a reliability curve, or None without bins.

    It is the mean distance of prediction from observation over the bins, each weighted by its rows. It depends on the
    bins, and on few rows it is above 0 even for a perfect forecast: read it beside the curve and its intervals.

    Source: Naeini, Cooper and Hauskrecht (2015), AAAI, 2901-2907; we take bins of equal count.
    """
    n = sum(part.n for part in bins)
    distances = [part.n * abs(part.mean_predicted - part.observed.numerator / part.n) for part in bins]
    return sum(distances) / n if n else None


def brier_score(probabilities: Numbers, *, outcomes: Outcomes) -> float | None:
    """Return the mean squared distance of probabilities from outcomes, or None without rows.

    0 is best, 1 is worst; always saying one half gives 0.25.

    Source: Brier (1950), Monthly Weather Review 78, 1-3, in the halved form usual for two outcomes.

    >>> brier_score([0.5, 1.0], outcomes=[True, True])
    0.125

    Raises:
        StatisticsError: The columns differ in length, a probability is missing or outside 0 to 1,
            or an outcome is neither true nor false.
    """
    check_same_length(probabilities, outcomes, columns=("probabilities", "outcomes"))
    predicted = as_probabilities(probabilities, column="probabilities")
    positive = as_outcomes(outcomes, column="outcomes")
    return float(np.mean((predicted - positive) ** 2)) if len(predicted) else None


def _centre_and_spread(scores: Floats) -> tuple[float, float]:
    """Return what standardises the scores; equal ones become exactly 0."""
    # Rounding can give equal scores a spread of a hair, and dividing by it would blow up the slope.
    if scores.min() == scores.max():
        return float(scores[0]), 1.0
    return float(scores.mean()), float(scores.std())


def _bins_of(predicted: Floats, *, bins: int) -> Integers:
    """Return each row's bin by the midrank of its value among all values."""
    _, places, counts = np.unique(predicted, return_inverse=True, return_counts=True)
    # Twice the number of rows below, plus half the ties counted twice: whole numbers, so no row
    # falls off an edge.
    doubled_midranks = (2 * np.cumsum(counts) - counts)[places]
    return (doubled_midranks * bins) // (2 * len(predicted))


def _newton(scores: Floats, *, targets: Floats) -> tuple[float, float]:
    """Return the intercept and slope of least loss; it is strictly convex, so there is one pair."""
    design = np.column_stack([np.ones_like(scores), scores])
    ridge = np.array([0.0, RIDGE])
    weights = np.zeros(2)
    for _ in range(NEWTON_STEPS):
        fitted = _logistic(design @ weights)
        gradient = design.T @ (fitted - targets) + ridge * weights
        curvature = design.T @ (design * (fitted * (1 - fitted))[:, None]) + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        weights = _descend(weights, step=step, design=design, targets=targets)
        if float(np.abs(step).max()) < CONVERGED:
            break
    return float(weights[0]), float(weights[1])


def _descend(weights: Floats, *, step: Floats, design: Floats, targets: Floats) -> Floats:
    """Return the weights after the step, halved as often as it takes not to raise the loss."""

    def loss(at: Floats) -> float:
        odds = design @ at
        return float(np.sum(np.logaddexp(0, odds) - targets * odds)) + RIDGE * float(at[1]) ** 2 / 2

    limit = loss(weights)
    for halving in range(30):
        shorter = weights - step / 2**halving
        if loss(shorter) <= limit:
            return shorter
    return weights


def _logistic(odds: Floats) -> Floats:
    # By way of tanh, since exp overflows on large negative log-odds.
    return 0.5 * (1 + np.tanh(odds / 2))
