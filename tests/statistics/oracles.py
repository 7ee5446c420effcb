"""The published implementations that ours are held against, with types; they come without."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from scipy import stats as scipy_stats
from sklearn import calibration as sklearn_calibration
from sklearn import linear_model, metrics
from statsmodels.stats import proportion

METRICS = cast("Any", metrics)
CALIBRATION = cast("Any", sklearn_calibration)
LINEAR = cast("Any", linear_model)
SCIPY = cast("Any", scipy_stats)
PROPORTION = cast("Any", proportion)


def wilson(numerator: int, *, denominator: int, level: float) -> tuple[float, float]:
    low, high = PROPORTION.proportion_confint(numerator, denominator, alpha=1 - level, method="wilson")
    return float(low), float(high)


def per_class(truth: Sequence[str], *, predicted: Sequence[str], labels: Sequence[str]) -> NDArray[np.float64]:
    """Return precision, recall, F1 and support, one line each, NaN where undefined."""
    columns = METRICS.precision_recall_fscore_support(
        truth, predicted, labels=list(labels), average=None, zero_division=np.nan
    )
    return np.array(columns, dtype=np.float64)


def averaged(truth: Sequence[str], *, predicted: Sequence[str]) -> dict[str, tuple[float, float, float]]:
    """Return precision, recall and F1 over the classes that occur, as most papers print them."""
    report = METRICS.classification_report(truth, predicted, output_dict=True, zero_division=0)
    rows = {how: report[f"{how} avg"] for how in ("macro", "weighted")}
    return {how: (row["precision"], row["recall"], row["f1-score"]) for how, row in rows.items()}


def accuracy(truth: Sequence[str], *, predicted: Sequence[str]) -> float:
    return float(METRICS.accuracy_score(truth, predicted))


def kappa(first: Sequence[str], *, second: Sequence[str], labels: Sequence[str], weights: str | None) -> float:
    """Return kappa, NaN where undefined."""
    with catch_warnings():
        simplefilter("ignore")  # it warns when it divides by zero
        return float(METRICS.cohen_kappa_score(first, second, labels=list(labels), weights=weights))


def roc_auc(scores: NDArray[np.float64], *, positive: NDArray[np.bool_]) -> float:
    return float(METRICS.roc_auc_score(positive, scores))


def mann_whitney(scores: NDArray[np.float64], *, positive: NDArray[np.bool_]) -> float:
    """Return U of the positive rows."""
    test = SCIPY.mannwhitneyu(scores[positive], scores[~positive], method="asymptotic")
    return float(test.statistic)


def brier(probabilities: NDArray[np.float64], *, outcomes: NDArray[np.bool_]) -> float:
    return float(METRICS.brier_score_loss(outcomes, probabilities))


def reliability(
    probabilities: NDArray[np.float64], *, outcomes: NDArray[np.bool_], bins: int
) -> tuple[list[float], list[float]]:
    """Return the observed shares and the mean predictions."""
    observed, predicted = CALIBRATION.calibration_curve(outcomes, probabilities, n_bins=bins, strategy="quantile")
    return observed.tolist(), predicted.tolist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    intercept: float
    slope: float


def platt(scores: NDArray[np.float64], *, outcomes: NDArray[np.bool_]) -> Curve:
    """Return the logistic curve on Platt's soft targets, as weighted rows of both outcomes."""
    positive, n = int(outcomes.sum()), len(outcomes)
    targets = np.where(outcomes, (positive + 1) / (positive + 2), 1 / (n - positive + 2))
    model = LINEAR.LogisticRegression(C=1e6, tol=1e-10, max_iter=10_000)
    model.fit(
        np.concatenate([scores, scores])[:, None],
        np.repeat([1, 0], n),
        sample_weight=np.concatenate([targets, 1 - targets]),
    )
    return Curve(intercept=float(model.intercept_[0]), slope=float(model.coef_[0, 0]))
