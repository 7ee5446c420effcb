"""Means, as statistics that the bootstrap can resample."""

from userside.statistics.columns import Numbers, as_finite
from userside.statistics.resampling import Statistic


def mean_statistic(values: Numbers) -> Statistic:
    """Return the mean of a column as a statistic; it is undefined on no rows.

    >>> mean_statistic([1, 2, 6]).estimate
    3.0

    Raises:
        StatisticsError: A value is missing or infinite.
    """
    column = as_finite(values, column="values")
    return Statistic(n=len(column), at=lambda rows: float(column[rows].mean()) if len(rows) else None)
