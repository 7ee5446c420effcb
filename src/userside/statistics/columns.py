"""Columns of numbers, of outcomes and of labels, checked once at the door.

Every function of this folder takes plain sequences or numpy arrays and passes them through here. A
missing value is refused, never skipped: whoever leaves rows out counts them first, by reason, and
says so in a [`Rate`][userside.statistics.Rate].
"""

from collections.abc import Sequence, Sized
from typing import cast

import numpy as np
from numpy.typing import NDArray

from userside.errors import StatisticsError

type Numbers = Sequence[float] | NDArray[np.floating] | NDArray[np.integer]
"""A column of numbers."""

type Outcomes = Sequence[bool] | Sequence[int] | NDArray[np.bool_] | NDArray[np.integer]
"""A column of yes and no, as booleans or as 1 and 0."""

type Labels = Sequence[str] | NDArray[np.str_]
"""A column of class names, one a row."""

type Floats = NDArray[np.float64]
type Booleans = NDArray[np.bool_]
type Integers = NDArray[np.intp]


def as_numbers(values: Numbers, *, column: str) -> Floats:
    """Return a column of numbers; infinities pass, since a rank can use them.

    Raises:
        StatisticsError: A value is missing or no number, or the column has more than one dimension.
    """
    numbers = _flat(values, column=column)
    if numbers.size and numbers.dtype.kind not in "fiub":
        raise StatisticsError(f"{column}: every row must be a number, not {_odd_one(values)!r}")
    floats = numbers.astype(np.float64)
    _refuse(np.isnan(floats), values=floats, wanted="a number", column=column)
    return floats


def as_finite(values: Numbers, *, column: str) -> Floats:
    """Return a column of finite numbers.

    Raises:
        StatisticsError: As `as_numbers`, and for an infinity.
    """
    floats = as_numbers(values, column=column)
    _refuse(np.isinf(floats), values=floats, wanted="finite", column=column)
    return floats


def as_probabilities(values: Numbers, *, column: str) -> Floats:
    """Return a column of probabilities.

    Raises:
        StatisticsError: As `as_numbers`, and for a value outside 0 to 1.
    """
    floats = as_numbers(values, column=column)
    _refuse((floats < 0) | (floats > 1), values=floats, wanted="from 0 to 1", column=column)
    return floats


def as_outcomes(values: Outcomes, *, column: str) -> Booleans:
    """Return a column of booleans.

    Raises:
        StatisticsError: A value is neither a boolean nor 1 or 0, or the column has more than one
            dimension.
    """
    outcomes = _flat(values, column=column)
    if outcomes.size and outcomes.dtype.kind not in "biu":
        raise StatisticsError(f"{column}: every row must be true or false, not {_odd_one(values)!r}")
    _refuse((outcomes != 0) & (outcomes != 1), values=outcomes, wanted="true or false", column=column)
    return outcomes.astype(np.bool_)


def as_classes(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the stated class list.

    Raises:
        StatisticsError: The list is empty, is one string, or names a class twice.
    """
    if isinstance(labels, str) or not labels or len(set(labels)) < len(labels):
        raise StatisticsError(f"labels: must be a list of different class names, not {labels!r}")
    return tuple(labels)


def as_codes(values: Labels, *, classes: tuple[str, ...], column: str) -> Integers:
    """Return the place of each row's label in `classes`.

    Raises:
        StatisticsError: A label is not in `classes`; so is a missing one.
    """
    if isinstance(values, str):
        raise StatisticsError(f"{column}: must be a list of labels, not {values!r}")
    places = {name: place for place, name in enumerate(classes)}
    codes = np.empty(len(values), dtype=np.intp)
    for row, label in enumerate(values):
        if label not in places:
            wanted = ", ".join(repr(str(name)) for name in classes)
            raise StatisticsError(f"{column}: row {row} must be one of {wanted}, not {label!r}")
        codes[row] = places[label]
    return codes


def check_same_length(first: Sized, second: Sized, *, columns: tuple[str, str]) -> None:
    """Return nothing when two columns have the same number of rows.

    Raises:
        StatisticsError: They have not.
    """
    if len(first) != len(second):
        raise StatisticsError(f"{columns[1]}: must have {len(first)} rows as {columns[0]} has, not {len(second)}")


def check_fraction(value: float, *, name: str) -> None:
    """Return nothing when a value, such as a confidence level, lies between 0 and 1, ends excluded.

    Raises:
        StatisticsError: It does not.
    """
    if not 0 < value < 1:
        raise StatisticsError(f"{name}: must be between 0 and 1, not {value!r}")


def _flat(values: Numbers | Outcomes, *, column: str) -> NDArray[np.generic]:
    try:
        flat = cast("NDArray[np.generic]", np.asarray(values))
    except ValueError as error:  # numpy's own words for a ragged list help nobody
        raise StatisticsError(f"{column}: must be one column, not rows of unequal length") from error
    if flat.ndim != 1:
        raise StatisticsError(f"{column}: must be one column, not of shape {flat.shape!r}")
    return flat


def _odd_one(values: Numbers | Outcomes) -> object:
    return next((value for value in values if not isinstance(value, int | float | np.number)), values[0])


def _refuse(wrong: Booleans, *, values: NDArray[np.generic], wanted: str, column: str) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        raise StatisticsError(f"{column}: row {row} must be {wanted}, not {values[row].item()!r}")
