"""From a plot to what a page shows of it: the drawing, and the same figures as a table."""

from collections.abc import Callable
from functools import partial

from userside.render.canvas import Canvas
from userside.render.curve_plots import draw_histogram, draw_reliability_curve
from userside.render.paired_plots import draw_paired_dots
from userside.render.plot import (
    Axis,
    DivergingBars,
    DotPlot,
    Histogram,
    PairedDots,
    Plot,
    ReliabilityCurve,
    StackedShares,
)
from userside.render.quantities import Cell, Estimate, Missing, Rate, render_number
from userside.render.row_plots import draw_diverging_bars, draw_dot_plot, draw_stacked_shares
from userside.render.table import Column, ColumnKind, Table

WIDE = 680.0
"""CSS pixels: the drawing for desktop and print."""

PHONE = 335.0
"""CSS pixels: the drawing for a phone, 375 less its margins."""


def render_plot(plot: Plot, *, width: float = WIDE, label: str = "", css_class: str = "plot") -> str:
    """Return the plot as an SVG element with no ids and no fixed colours; `label` is its text alternative."""
    return _draw(plot)(width=width).svg(label=label, css_class=css_class)


def _draw(plot: Plot) -> Callable[..., Canvas]:
    match plot:
        case DotPlot():
            return partial(draw_dot_plot, plot)
        case PairedDots():
            return partial(draw_paired_dots, plot)
        case DivergingBars():
            return partial(draw_diverging_bars, plot)
        case StackedShares():
            return partial(draw_stacked_shares, plot)
        case Histogram():
            return partial(draw_histogram, plot)
        case ReliabilityCurve():
            return partial(draw_reliability_curve, plot)


def plot_table(plot: Plot) -> Table:
    """Return the figures that a plot shows."""
    match plot:
        case DotPlot():
            return _dots(plot)
        case PairedDots():
            return _pairs(plot)
        case DivergingBars():
            return _diverging(plot)
        case StackedShares():
            return _shares(plot)
        case Histogram():
            return _bins(plot)
        case ReliabilityCurve():
            return _reliability(plot)


def _dots(plot: DotPlot) -> Table:
    notes = any(dot.note for dot in plot.dots)
    columns = (Column(name=""), _numbers(plot.axis), *((Column(name="Note"),) if notes else ()))
    rows = tuple(
        (dot.label, _in_axis_terms(dot.estimate, plot.axis), *((dot.note,) if notes else ())) for dot in plot.dots
    )
    return Table(columns=columns, rows=rows)


def _pairs(plot: PairedDots) -> Table:
    unit = ", %" if plot.axis.percent else ""
    names = (plot.first_label + unit, plot.second_label + unit)
    numbers = tuple(Column(name=name, kind=ColumnKind.NUMBER, decimals=plot.axis.decimals) for name in names)
    rows = tuple(
        (row.label, _in_axis_terms(row.first, plot.axis), _in_axis_terms(row.second, plot.axis), row.verdict or None)
        for row in plot.rows
    )
    return Table(columns=(Column(name=""), *numbers, Column(name="")), rows=rows, notes=(plot.axis.label,))


def _diverging(plot: DivergingBars) -> Table:
    factor = 100 if plot.axis.percent else 1
    unit = ", %" if plot.axis.percent else ""
    names = (plot.left_label + unit, plot.right_label + unit)
    numbers = tuple(Column(name=name, kind=ColumnKind.NUMBER, decimals=plot.axis.decimals) for name in names)
    rows = tuple((row.label, factor * row.left, factor * row.right) for row in plot.rows)
    return Table(columns=(Column(name=""), *numbers), rows=rows, notes=(plot.axis.label,))


def _shares(plot: StackedShares) -> Table:
    columns = tuple(Column(name=part.label, kind=ColumnKind.RATE) for part in plot.parts)
    rows = tuple(
        (row.label, *(Rate(numerator=count, denominator=sum(row.counts)) for count in row.counts)) for row in plot.rows
    )
    return Table(columns=(Column(name=""), *columns), rows=rows)


def _bins(plot: Histogram) -> Table:
    columns = tuple(Column(name=group.label, kind=ColumnKind.NUMBER, decimals=0) for group in plot.groups)
    decimals = plot.axis.decimals
    bins = zip(plot.edges[:-1], plot.edges[1:], strict=True)
    names = [
        f"{render_number(low, decimals=decimals)} to {render_number(high, decimals=decimals)}" for low, high in bins
    ]
    rows = tuple((name, *(group.counts[number] for group in plot.groups)) for number, name in enumerate(names))
    return Table(columns=(Column(name=plot.axis.label), *columns), rows=rows)


def _reliability(plot: ReliabilityCurve) -> Table:
    columns = (
        Column(name=f"{plot.predicted_label}, %", kind=ColumnKind.NUMBER),
        Column(name=f"{plot.observed_label}, %", kind=ColumnKind.NUMBER),
        Column(name="Conversations", kind=ColumnKind.NUMBER, decimals=0),
    )
    rows = tuple((100 * point.predicted, _percent(point.observed), point.count) for point in plot.points)
    return Table(columns=columns, rows=rows)


def _numbers(axis: Axis) -> Column:
    name = f"{axis.label}, %" if axis.percent else axis.label
    return Column(name=name, kind=ColumnKind.NUMBER, decimals=axis.decimals)


def _in_axis_terms(estimate: Estimate | Missing, axis: Axis) -> Cell:
    return _percent(estimate) if isinstance(estimate, Estimate) and axis.percent else estimate


def _percent(estimate: Estimate) -> Estimate:
    low, high = (end if end is None else 100 * end for end in (estimate.low, estimate.high))
    return Estimate(value=100 * estimate.value, low=low, high=high)
