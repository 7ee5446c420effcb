"""How far the probability of a satisfied user can be believed."""

from collections.abc import Sequence
from dataclasses import dataclass

from userside.rubrics.evaluation.cut_fitting import CutFit, relabel
from userside.rubrics.evaluation.figures import Resampling
from userside.rubrics.evaluation.rows import EvaluatedRow
from userside.statistics import (
    Interval,
    ReliabilityBin,
    bootstrap,
    brier_score,
    calibration_error,
    mean_statistic,
    reliability_curve,
)

BINS = 10
LEAST_IN_A_BIN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """How far the probabilities of a satisfied user can be believed.

    Attributes:
        n: Conversations with a probability.
        missing: Conversations with R and a label that have none.
        bins: Predicted against observed, each with n and an interval; the reliability curve.
        brier: Mean squared distance from the outcome; 0 is best.
        brier_interval: Resamples what hangs together.
        brier_of_constant: The same when always predicting the observed share.
        calibration_error: Mean distance of predicted from observed over the bins; above 0 on few rows by chance alone.
        is_held_out: Whether each probability comes from conversations other than its own.
    """

    n: int
    missing: int = 0
    bins: tuple[ReliabilityBin, ...]
    brier: float | None
    brier_interval: Interval | None = None
    brier_of_constant: float | None
    calibration_error: float | None = None
    is_held_out: bool


def measure_reliability(
    rows: Sequence[EvaluatedRow], fit: CutFit | None, *, resampling: Resampling
) -> Reliability | None:
    """Return the reliability of the rows' probabilities, or None where there are none."""
    found = [(row, _probability_of(row, fit)) for row in rows]
    known = [(row, probability) for row, probability in found if probability is not None]
    if not known:
        return None
    probabilities, outcomes = [probability for _, probability in known], [row.is_satisfied for row, _ in known]
    distances = [(probability - outcome) ** 2 for probability, outcome in zip(probabilities, outcomes, strict=True)]
    share = sum(outcomes) / len(outcomes)
    bins = reliability_curve(probabilities, outcomes=outcomes, bins=max(1, min(BINS, len(known) // LEAST_IN_A_BIN)))
    return Reliability(
        n=len(known),
        missing=len(rows) - len(known),
        bins=bins,
        brier=brier_score(probabilities, outcomes=outcomes),
        brier_interval=bootstrap(mean_statistic(distances), resamples=resampling([row for row, _ in known])).interval,
        brier_of_constant=brier_score([share] * len(outcomes), outcomes=outcomes),
        calibration_error=calibration_error(bins),
        is_held_out=fit is not None and fit.is_held_out,
    )


def _probability_of(row: EvaluatedRow, fit: CutFit | None) -> float | None:
    if fit is None:
        return row.score.probability
    if row.id in fit.held_out:
        return fit.held_out[row.id].probability
    return relabel([row.score], fit.fitted)[0].probability
