"""What a cell, a headline or a mark can hold, and how it reads in print.

Numbers use a true minus, a no-break space before the per cent sign and an en dash only for what is missing, so that
a missing value never looks like a zero.
"""

from dataclasses import dataclass
from math import isinf, isnan

from userside.errors import InputError

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
MISSING_MARK = "\N{EN DASH}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A value that is not there, and why."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with the ends of its interval, None where no interval can be given.

    Raises:
        InputError: The value is not a number; use `Missing`.
    """

    value: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if isnan(self.value):
            raise InputError("estimate: wanted a number, came nan").with_note("Say `Missing(reason=...)` instead.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share with what it was counted from; `low` and `high` are shares from 0 to 1."""

    numerator: int
    denominator: int
    low: float | None = None
    high: float | None = None

    @property
    def value(self) -> float | None:
        """The share from 0 to 1, or None when nothing was counted."""
        return self.numerator / self.denominator if self.denominator else None


type Cell = str | int | float | Estimate | Rate | Missing | None


def render_number(value: float, *, decimals: int = 0) -> str:
    """Return a number as it stands in print.

    >>> render_number(-1234.5, decimals=1)
    '−1,234.5'
    >>> render_number(-0.04, decimals=1)
    '0.0'
    """
    written = "∞" if isinf(value) else f"{abs(value):,.{decimals}f}"
    is_zero = not written.strip("0.,")
    return f"{MINUS}{written}" if value < 0 and not is_zero else written


def render_percent(share: float, *, decimals: int = 1) -> str:
    """Return a share from 0 to 1 as a percentage.

    >>> render_percent(0.2308).replace(NO_BREAK_SPACE, " ")
    '23.1 %'
    """
    return f"{render_number(100 * share, decimals=decimals)}{NO_BREAK_SPACE}%"


def render_interval(low: float | None, high: float | None, *, decimals: int = 1) -> str:
    """Return an interval in brackets, or nothing when an end is unknown.

    >>> render_interval(17.72, 29.5)
    '[17.7, 29.5]'
    """
    if low is None or high is None:
        return ""
    return f"[{render_number(low, decimals=decimals)}, {render_number(high, decimals=decimals)}]"


def render_rate(rate: Rate, *, decimals: int = 1) -> str:
    """Return a rate with numerator, denominator and interval.

    >>> render_rate(Rate(numerator=45, denominator=195, low=0.177, high=0.295)).replace(NO_BREAK_SPACE, " ")
    '45/195 = 23.1 % [17.7, 29.5]'
    >>> render_rate(Rate(numerator=0, denominator=0))
    '0/0'
    """
    counts = f"{render_number(rate.numerator)}/{render_number(rate.denominator)}"
    if rate.value is None:
        return counts
    written = f"{counts} = {render_percent(rate.value, decimals=decimals)}"
    if rate.low is None or rate.high is None:
        return written
    return f"{written} {render_interval(100 * rate.low, 100 * rate.high, decimals=decimals)}"


def render_estimate(estimate: Estimate, *, decimals: int = 1) -> str:
    """Return a number followed by its interval.

    >>> render_estimate(Estimate(value=0.848, low=0.75, high=0.92), decimals=2)
    '0.85 [0.75, 0.92]'
    """
    interval = render_interval(estimate.low, estimate.high, decimals=decimals)
    return f"{render_number(estimate.value, decimals=decimals)} {interval}".rstrip()
