"""Two labellings of the same rows as one table, from which everything else is counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from userside.statistics.columns import Integers, Labels, as_classes, as_codes, check_same_length
from userside.statistics.resampling import Measured, Sample, Statistic


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionMatrix:
    """How often each pair of labels met.

    Attributes:
        labels: The stated class list, in the order of the rows and columns.
        counts: One row a class of the first labelling (the truth), one column a class of the second
            (the prediction).
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def n(self) -> int:
        """The number of labelled rows."""
        return sum(self.row_totals)

    @property
    def row_totals(self) -> tuple[int, ...]:
        """How often the first labelling gave each class."""
        return tuple(sum(row) for row in self.counts)

    @property
    def column_totals(self) -> tuple[int, ...]:
        """How often the second labelling gave each class."""
        return tuple(sum(column) for column in zip(*self.counts, strict=True))

    @property
    def diagonal(self) -> tuple[int, ...]:
        """How often both gave each class."""
        return tuple(row[place] for place, row in enumerate(self.counts))

    def used(self) -> Self:
        """Return the same table without the classes that neither labelling gave.

        The table of no rows has no class left.
        """
        totals = zip(self.row_totals, self.column_totals, strict=True)
        kept = [place for place, (row, column) in enumerate(totals) if row or column]
        return type(self)(
            labels=tuple(self.labels[place] for place in kept),
            counts=tuple(tuple(self.counts[row][column] for column in kept) for row in kept),
        )


def confusion_matrix(first: Labels, *, second: Labels, labels: Sequence[str]) -> ConfusionMatrix:
    """Return how often each pair of labels met.

    >>> confusion_matrix(["a", "a", "b"], second=["a", "b", "b"], labels=["a", "b"]).counts
    ((1, 1), (0, 1))

    Args:
        first: One labelling, such as the truth; it names the rows of the table.
        second: The other, of the same rows in the same order.
        labels: Every class there may be, once each; the order is kept.

    Raises:
        StatisticsError: The columns differ in length, or a label is not in the class list.
    """
    classes = as_classes(labels)
    return _table(_paired_codes(first, second, classes=classes), classes=classes)


def statistic_of_confusion(
    measure: Measured[ConfusionMatrix], *, first: Labels, second: Labels, labels: Sequence[str]
) -> Statistic:
    """Return a measure of the confusion matrix as a statistic that the bootstrap can resample.

    Classes that appear in none of the rows are left out of the table for good. A class that
    appears, but not in a certain resample, stays in that resample's table, so that the measure can
    see it and call itself undefined instead of quietly becoming a measure of fewer classes.

    Args:
        measure: A function of the table, such as `macro_f1` or `cohen_kappa`.
        first: The truth, or the first coder.
        second: The prediction, or the second coder.
        labels: Every class there may be.

    Raises:
        StatisticsError: As `confusion_matrix`.
    """
    tables = confusion_sample(first, second=second, labels=labels)
    return Statistic(n=tables.n, at=lambda rows: measure(tables.at(rows)))


def confusion_sample(first: Labels, *, second: Labels, labels: Sequence[str]) -> Sample[ConfusionMatrix]:
    """Return the confusion matrix of any selection of rows, over the classes that appear in some row.

    Raises:
        StatisticsError: As `confusion_matrix`.
    """
    classes = confusion_matrix(first, second=second, labels=labels).used().labels
    pairs = _paired_codes(first, second, classes=classes)
    return Sample(n=len(pairs), at=lambda rows: _table(pairs[rows], classes=classes))


def _paired_codes(first: Labels, second: Labels, *, classes: tuple[str, ...]) -> Integers:
    """Return, for each row, the number of its cell in the flattened table."""
    check_same_length(first, second, columns=("the first labelling", "the second labelling"))
    rows = as_codes(first, classes=classes, column="the first labelling")
    columns = as_codes(second, classes=classes, column="the second labelling")
    return rows * len(classes) + columns


def _table(pairs: Integers, *, classes: tuple[str, ...]) -> ConfusionMatrix:
    size = len(classes)
    cells: list[int] = np.bincount(pairs, minlength=size**2).tolist()
    counts = tuple(tuple(cells[place * size : (place + 1) * size]) for place in range(size))
    return ConfusionMatrix(labels=classes, counts=counts)
