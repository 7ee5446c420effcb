"""How a cell looks in its column: what is said first, what is said smaller beside it, what it sorts by."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from userside.render.quantities import (
    MISSING_MARK,
    Cell,
    Estimate,
    Missing,
    Rate,
    render_estimate,
    render_interval,
    render_number,
    render_percent,
    render_rate,
)
from userside.render.table import Column, ColumnKind, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class CellView:
    """A cell as a page shows it.

    Attributes:
        text: What is said first.
        before: Counts, smaller, before it.
        aside: An interval or a reason, smaller, after it.
        sort_key: A number as text, or the text in lower case; empty for what is missing.
        share: How much of the cell a bar fills, from 0 to 1; None for no bar.
    """

    text: str
    before: str = ""
    aside: str = ""
    sort_key: str = ""
    share: float | None = None


def cell_view(cell: Cell, column: Column, *, full: float = 1.0) -> CellView:
    """Return how a page shows a cell; `full` is the value at which a bar fills it."""
    match cell:
        case Rate():
            return _rate(cell, column)
        case None:
            return CellView(text=MISSING_MARK)
        case Missing():
            return CellView(text=MISSING_MARK, aside=cell.reason)
        case str():
            return CellView(text=cell, sort_key=cell.casefold())
        case Estimate():
            interval = render_interval(cell.low, cell.high, decimals=column.decimals)
            return _number(cell.value, column, interval=interval, full=full)
        case _:
            return _number(cell, column, full=full)


def _rate(rate: Rate, column: Column) -> CellView:
    counts = f"{render_number(rate.numerator)}/{render_number(rate.denominator)}"
    if rate.value is None:
        return CellView(text=MISSING_MARK, aside=counts)
    ends = (None if end is None else 100 * end for end in (rate.low, rate.high))
    return CellView(
        text=render_percent(rate.value, decimals=column.decimals),
        before=counts,
        aside=render_interval(*ends, decimals=column.decimals),
        sort_key=repr(rate.value),
    )


def _number(value: float, column: Column, *, interval: str = "", full: float) -> CellView:
    share = min(max(value / full, 0.0), 1.0) if column.kind is ColumnKind.BAR and full else None
    decimals = 0 if isinstance(value, int) else column.decimals
    return CellView(
        text=render_number(value, decimals=decimals), aside=interval, sort_key=repr(float(value)), share=share
    )


def fulls(table: Table) -> list[float]:
    """Return the value at which a bar fills its cell, column by column."""
    return [
        column.full if column.full is not None else max(_values(row[number] for row in table.rows), default=1.0) or 1.0
        for number, column in enumerate(table.columns)
    ]


def _values(cells: Iterable[Cell]) -> list[float]:
    return [
        cell.value if isinstance(cell, Estimate) else cell for cell in cells if isinstance(cell, int | float | Estimate)
    ]


def cell_text(cell: Cell, column: Column) -> str:
    """Return a cell in one line of plain text.

    >>> cell_text(Missing(reason="refused"), Column(name="score"))
    '– (refused)'
    """
    match cell:
        case Rate():
            return render_rate(cell, decimals=column.decimals)
        case Estimate():
            return render_estimate(cell, decimals=column.decimals)
        case _:
            view = cell_view(cell, column)
            return f"{view.text} ({view.aside})" if view.aside else view.text


def cell_fields(cell: Cell) -> Sequence[str | int | float]:
    """Return a cell as the fields it takes in a spreadsheet, of the same number as its `field_names`."""
    match cell:
        case Rate():
            return (cell.numerator, cell.denominator, _or_empty(cell.low), _or_empty(cell.high))
        case Estimate():
            return (cell.value, _or_empty(cell.low), _or_empty(cell.high))
        case Missing() | None:
            return ("",)
        case _:
            return (cell,)


def _or_empty(value: float | None) -> float | str:
    return "" if value is None else value
