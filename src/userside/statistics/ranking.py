"""How well a score puts one class above the other."""

import numpy as np

from userside.statistics.columns import (
    Booleans,
    Integers,
    Numbers,
    Outcomes,
    as_numbers,
    as_outcomes,
    check_same_length,
)
from userside.statistics.resampling import Statistic


def auc(scores: Numbers, *, positive: Outcomes) -> float | None:
    """Return the area under the ROC curve, or None when only one class is there.

    It is the chance that a positive row, drawn at random, scores above a negative one, a tie
    counting one half: U / (n₁ n₀) with U the Mann-Whitney statistic on midranks. A value below one
    half says that the score points the other way; the caller says which class is positive.

    Source: Mann and Whitney (1947), Annals of Mathematical Statistics 18, 50-60; Hanley and McNeil
    (1982), Radiology 143, 29-36.

    >>> auc([0.1, 0.4, 0.4, 0.8], positive=[False, False, True, True])
    0.875

    Raises:
        StatisticsError: The columns differ in length, a score is missing, or an outcome is neither
            true nor false.
    """
    return auc_statistic(scores, positive=positive).estimate


def auc_statistic(scores: Numbers, *, positive: Outcomes) -> Statistic:
    """Return `auc` as a statistic that the bootstrap can resample; the scores are sorted only once.

    Raises:
        StatisticsError: As `auc`.
    """
    check_same_length(scores, positive, columns=("scores", "positive"))
    places = np.unique(as_numbers(scores, column="scores"), return_inverse=True)[1]
    outcomes = as_outcomes(positive, column="positive")
    return Statistic(n=len(outcomes), at=lambda rows: _auc_by_place(places[rows], positive=outcomes[rows]))


def _auc_by_place(places: Integers, *, positive: Booleans) -> float | None:
    """Return the area from each score's place among the sorted distinct scores."""
    size = int(places.max(initial=0)) + 1
    above = np.bincount(places[positive], minlength=size)
    below = np.bincount(places[~positive], minlength=size)
    pairs = int(above.sum()) * int(below.sum())
    # Twice U, so that the halves of the ties stay whole numbers.
    doubled = int((above * (2 * np.cumsum(below) - below)).sum())
    return doubled / (2 * pairs) if pairs else None
