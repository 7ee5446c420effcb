"""Figures of predicted labels, each with an interval that resamples what hangs together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from userside.rubrics.evaluation.rows import LabelledRow
from userside.statistics import (
    Bootstrap,
    Classification,
    ConfusionMatrix,
    Measured,
    Resamples,
    accuracy,
    bootstrap_each,
    cohen_kappa,
    compare_labels,
    confusion_sample,
    f1_of,
    macro_f1,
    precision_of,
    recall_of,
    weighted_f1,
)

type Resampling = Callable[[Sequence[LabelledRow]], Resamples]
"""Draws resamples of rows, by dialogue or whatever else hangs together."""

_WHOLE = {"accuracy": accuracy, "macro_f1": macro_f1, "weighted_f1": weighted_f1, "kappa": cohen_kappa}
_BY_CLASS = {"precision": precision_of, "recall": recall_of, "f1": f1_of}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassIntervals:
    """Precision, recall and F1 of one class, with intervals."""

    label: str
    precision: Bootstrap
    recall: Bootstrap
    f1: Bootstrap


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFigures:
    """How well predicted labels match users' own.

    Attributes:
        figures: Accuracy, precision, recall, F1, kappa and the confusion matrix (users down, predictions across).
        accuracy: With its interval; so for the next three.
    """

    figures: Classification
    accuracy: Bootstrap
    macro_f1: Bootstrap
    weighted_f1: Bootstrap
    kappa: Bootstrap


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """Users' own labels and predicted ones.

    Attributes:
        rows: The conversations.
        predicted: A label for each.
        labels: Every label there may be.
        excluded: How many conversations are not among the rows, by reason.
    """

    rows: Sequence[LabelledRow]
    predicted: Sequence[str]
    labels: Sequence[str]
    excluded: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def truth(self) -> list[str]:
        """Return the users' own labels."""
        return [str(row.truth) for row in self.rows]


def measure_predictions(predictions: Predictions, *, resampling: Resampling) -> LabelFigures:
    """Return the figures of predictions; there must be at least one."""
    truth, predicted, labels = predictions.truth, predictions.predicted, predictions.labels
    return LabelFigures(
        figures=compare_labels(truth, predicted=predicted, labels=labels, excluded=predictions.excluded),
        **_measure(_WHOLE, predictions, resampling=resampling),
    )


def measure_classes(predictions: Predictions, *, resampling: Resampling) -> tuple[ClassIntervals, ...]:
    """Return precision, recall and F1 of each label, with intervals."""
    measures = {
        f"{name} {label}": partial(_of, measure, label)
        for name, measure in _BY_CLASS.items()
        for label in predictions.labels
    }
    measured = _measure(measures, predictions, resampling=resampling)
    return tuple(
        ClassIntervals(label=label, **{name: measured[f"{name} {label}"] for name in _BY_CLASS})
        for label in predictions.labels
    )


def _measure(
    measures: Mapping[str, Measured[ConfusionMatrix]], predictions: Predictions, *, resampling: Resampling
) -> dict[str, Bootstrap]:
    tables = confusion_sample(predictions.truth, second=predictions.predicted, labels=predictions.labels)
    return bootstrap_each(measures, of=tables, resamples=resampling(predictions.rows))


def as_fields(figures: LabelFigures) -> dict[str, Any]:
    """Return the figures by name, for a table that has them and more."""
    return {entry.name: getattr(figures, entry.name) for entry in fields(LabelFigures)}


def _of(measure: Callable[[ConfusionMatrix, str], float | None], label: str, table: ConfusionMatrix) -> float | None:
    return measure(table, label)
