"""How well predicted labels match true ones: two classes, three, or any stated list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from userside.statistics.agreement import cohen_kappa
from userside.statistics.columns import Labels, as_classes, as_codes
from userside.statistics.confusion import ConfusionMatrix, confusion_matrix
from userside.statistics.intervals import Rate, rate_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassScores:
    """How well one class was found.

    Attributes:
        label: The class.
        precision: Of the rows predicted to be in the class, the share that is; its value is None
            when there are none.
        recall: Of the rows in the class, the share so predicted; its value is None when there are
            none.
        f1: Twice the hits over predicted plus true rows; None when the class was neither true nor
            predicted.
    """

    label: str
    precision: Rate
    recall: Rate
    f1: float | None

    @property
    def support(self) -> int:
        """The number of rows whose true class this is."""
        return self.recall.denominator


@dataclass(frozen=True, slots=True, kw_only=True)
class Averages:
    """Precision, recall and F1 averaged over classes, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """One row of a table of classifiers: how well predictions match the truth.

    **Undefined values.** For a single class an undefined precision, recall or F1 is None. In the
    averages an undefined precision or recall of a class that does occur counts as 0, as
    scikit-learn does with `zero_division=0`, so that the figures can be held against published
    ones. A class that is neither true nor predicted anywhere is left out of the macro average, also
    as scikit-learn does when it is given no class list; otherwise a perfect three-class predictor
    would lose a third of its score on rows where nobody is neutral.

    Attributes:
        confusion: True classes by predicted classes.
        accuracy: The share of rows predicted rightly, with the rows that were left out, by reason.
        per_class: One entry a stated class, in the stated order.
        macro: The plain mean over the classes that occur; None without rows.
        weighted: The mean weighted by the number of true rows; None without rows.
        kappa: Cohen's kappa, or None where it is undefined.
    """

    confusion: ConfusionMatrix
    accuracy: Rate
    per_class: tuple[ClassScores, ...]
    macro: Averages | None
    weighted: Averages | None
    kappa: float | None

    @property
    def n(self) -> int:
        """The number of rows compared."""
        return self.confusion.n


def compare_labels(
    truth: Labels,
    *,
    predicted: Labels,
    labels: Sequence[str],
    excluded: Mapping[str, int] | None = None,
) -> Classification:
    """Return how well predicted labels match true ones.

    >>> row = compare_labels(["good", "good", "bad"], predicted=["good", "bad", "bad"], labels=["good", "bad"])
    >>> row.accuracy.numerator, row.n, round(row.macro.f1, 3), row.kappa
    (2, 3, 0.667, 0.4)

    Args:
        truth: The true class of each row.
        predicted: The predicted class of each row, in the same order.
        labels: Every class there may be, once each.
        excluded: How many rows the caller left out, by reason; carried along, not used.

    Raises:
        StatisticsError: The columns differ in length, or a label is missing or not in the class
            list.
    """
    table = confusion_matrix(truth, second=predicted, labels=labels)
    per_class = tuple(_class_scores(table, place=place) for place in range(len(table.labels)))
    return Classification(
        confusion=table,
        accuracy=rate_of(sum(table.diagonal), denominator=table.n, excluded=excluded),
        per_class=per_class,
        macro=_average(per_class, weights=[0 if scores.f1 is None else 1 for scores in per_class]),
        weighted=_average(per_class, weights=[scores.support for scores in per_class]),
        kappa=cohen_kappa(table),
    )


def majority_label(truth: Labels, *, labels: Sequence[str]) -> str | None:
    """Return the most frequent class, the first stated one among equals, or None without rows.

    Raises:
        StatisticsError: A label is missing or not in the class list.
    """
    classes = as_classes(labels)
    codes: list[int] = as_codes(truth, classes=classes, column="truth").tolist()
    return classes[max(range(len(classes)), key=codes.count)] if codes else None


def constant_predictor(
    truth: Labels, *, labels: Sequence[str], excluded: Mapping[str, int] | None = None
) -> Classification:
    """Return the row of always predicting the most frequent class of these very rows.

    It is the best any constant could do here, so a classifier that does not beat it has learned
    nothing. Its kappa is 0, or None when the truth has one class.

    Raises:
        StatisticsError: A label is missing or not in the class list.
    """
    always = majority_label(truth, labels=labels)
    predicted = [] if always is None else [always] * len(truth)
    return compare_labels(truth, predicted=predicted, labels=labels, excluded=excluded)


def accuracy(table: ConfusionMatrix) -> float | None:
    """Return the share of rows on the diagonal, or None without rows."""
    return sum(table.diagonal) / table.n if table.n else None


def macro_f1(table: ConfusionMatrix) -> float | None:
    """Return the plain mean of F1 over the table's classes, or None when one does not occur.

    `Classification.macro` leaves such classes out; here the set of classes is part of the question,
    so that every resample answers the same one. Call it on `table.used()` for the former.
    """
    scores = [_f1(table, place=place) for place in range(len(table.labels))]
    defined = [score for score in scores if score is not None]
    return sum(defined) / len(scores) if scores and len(defined) == len(scores) else None


def weighted_f1(table: ConfusionMatrix) -> float | None:
    """Return the mean of F1 weighted by the number of true rows, or None without rows."""
    places = range(len(table.labels))
    # A class without an F1 has no true rows, so its weight is 0.
    total = sum(
        support * (_f1(table, place=place) or 0.0) for place, support in zip(places, table.row_totals, strict=True)
    )
    return total / table.n if table.n else None


def precision_of(table: ConfusionMatrix, label: str) -> float | None:
    """Return the share of the rows predicted to be in a class that is, or None when there are none."""
    if label not in table.labels:
        return None
    place = table.labels.index(label)
    return _share(table.diagonal[place], table.column_totals[place])


def recall_of(table: ConfusionMatrix, label: str) -> float | None:
    """Return the share of a class's rows that were predicted to be in it, or None when there are none."""
    if label not in table.labels:
        return None
    place = table.labels.index(label)
    return _share(table.diagonal[place], table.row_totals[place])


def f1_of(table: ConfusionMatrix, label: str) -> float | None:
    """Return a class's F1, or None when it was neither true nor predicted."""
    return _f1(table, place=table.labels.index(label)) if label in table.labels else None


def _share(hits: int, rows: int) -> float | None:
    return hits / rows if rows else None


def _class_scores(table: ConfusionMatrix, *, place: int) -> ClassScores:
    hits = table.diagonal[place]
    return ClassScores(
        label=table.labels[place],
        precision=rate_of(hits, denominator=table.column_totals[place]),
        recall=rate_of(hits, denominator=table.row_totals[place]),
        f1=_f1(table, place=place),
    )


def _f1(table: ConfusionMatrix, *, place: int) -> float | None:
    rows = table.row_totals[place] + table.column_totals[place]
    return 2 * table.diagonal[place] / rows if rows else None


def _average(per_class: Sequence[ClassScores], *, weights: Sequence[int]) -> Averages | None:
    total = sum(weights)
    if total == 0:
        return None

    def mean(values: Sequence[float | None]) -> float:
        return sum(weight * (value or 0.0) for weight, value in zip(weights, values, strict=True)) / total

    return Averages(
        precision=mean([scores.precision.value for scores in per_class]),
        recall=mean([scores.recall.value for scores in per_class]),
        f1=mean([scores.f1 for scores in per_class]),
    )
