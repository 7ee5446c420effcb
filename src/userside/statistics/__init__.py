"""Pure arithmetic: no model, no clock, no disk, and chance only from a generator that is passed in.

What can be undefined is None, never 0 and never NaN. What is missing is refused with a
`StatisticsError`. A rate carries its numerator, its denominator, what was left out and an interval.

- `intervals`: rates and Wilson intervals
- `confusion`: the table of two labellings
- `agreement`: raw agreement, Cohen's kappa
- `classification`: precision, recall, F1, averages, the constant predictor
- `ranking`: the area under the ROC curve
- `association`: two yes-or-no columns, odds ratios, many tests at once
- `resampling`: intervals by resampling clusters, single and paired
- `calibration`: from scores to probabilities, reliability, the Brier score
- `means`, `histogram`: how a column is spread
- `columns`: the checks at the door
"""

from userside.statistics.agreement import Disagreement, cohen_kappa, raw_agreement
from userside.statistics.association import (
    Association,
    AssociationTest,
    FourfoldTable,
    adjust_p_values,
    chi_square,
    fisher_exact,
    fourfold_table,
    measure_association,
)
from userside.statistics.calibration import (
    LogisticCalibration,
    ReliabilityBin,
    brier_score,
    calibration_error,
    fit_calibration,
    reliability_curve,
)
from userside.statistics.classification import (
    Averages,
    Classification,
    ClassScores,
    accuracy,
    compare_labels,
    constant_predictor,
    f1_of,
    macro_f1,
    majority_label,
    precision_of,
    recall_of,
    weighted_f1,
)
from userside.statistics.confusion import ConfusionMatrix, confusion_matrix, confusion_sample, statistic_of_confusion
from userside.statistics.histogram import histogram, round_edges
from userside.statistics.intervals import Interval, IntervalMethod, Rate, rate_of, wilson_interval
from userside.statistics.means import mean_statistic
from userside.statistics.ranking import auc, auc_statistic
from userside.statistics.resampling import (
    REPLICATES,
    Bootstrap,
    Measured,
    NoInterval,
    Resamples,
    Sample,
    Statistic,
    bootstrap,
    bootstrap_each,
    draw_resamples,
    paired_bootstrap,
)

__all__ = [
    "REPLICATES",
    "Association",
    "AssociationTest",
    "Averages",
    "Bootstrap",
    "ClassScores",
    "Classification",
    "ConfusionMatrix",
    "Disagreement",
    "FourfoldTable",
    "Interval",
    "IntervalMethod",
    "LogisticCalibration",
    "Measured",
    "NoInterval",
    "Rate",
    "ReliabilityBin",
    "Resamples",
    "Sample",
    "Statistic",
    "accuracy",
    "adjust_p_values",
    "auc",
    "auc_statistic",
    "bootstrap",
    "bootstrap_each",
    "brier_score",
    "calibration_error",
    "chi_square",
    "cohen_kappa",
    "compare_labels",
    "confusion_matrix",
    "confusion_sample",
    "constant_predictor",
    "draw_resamples",
    "f1_of",
    "fisher_exact",
    "fit_calibration",
    "fourfold_table",
    "histogram",
    "macro_f1",
    "majority_label",
    "mean_statistic",
    "measure_association",
    "paired_bootstrap",
    "precision_of",
    "rate_of",
    "raw_agreement",
    "recall_of",
    "reliability_curve",
    "round_edges",
    "statistic_of_confusion",
    "weighted_f1",
    "wilson_interval",
]
