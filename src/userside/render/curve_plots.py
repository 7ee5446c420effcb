"""Plots with two axes: histograms by group and reliability curves."""

from userside.render.canvas import Canvas, Lettering, text_width, ticks
from userside.render.layout import Scale, scale_of, tick_words
from userside.render.plot import Axis, Histogram, HistogramGroup, ReliabilityCurve
from userside.render.quantities import render_number

PANEL = 104
"""The height of one group's panel."""

LEFT = 40
"""Room for the upright axis."""

SMALL = Lettering(size=12, colour="muted")
SHARE = Axis(label="", low=0, high=1, percent=True)


def draw_histogram(plot: Histogram, *, width: float) -> Canvas:
    """Return a panel for each group, one above the next, on one pair of scales."""
    top = 24 if plot.marks else 8
    bottom = top + PANEL * len(plot.groups)
    canvas = Canvas(width=width, height=bottom + 44)
    ends = Axis(label="", low=plot.edges[0], high=plot.edges[-1])
    across = scale_of(ends, plot.edges, start=LEFT, end=width - 10)
    most = max((max(group.counts, default=0) for group in plot.groups), default=0) or 1
    for number, group in enumerate(plot.groups):
        floor = top + PANEL * (number + 1) - 8
        up = _counts(most, floor=floor, ceiling=floor - PANEL + 34)
        _draw_panel(canvas, group, edges=plot.edges, scales=(across, up))
    _draw_marks(canvas, plot, across, bottom=bottom - 8)
    _draw_foot(canvas, across, axis=plot.axis, top=bottom - 8)
    return canvas


def _counts(most: int, *, floor: float, ceiling: float) -> Scale:
    marks = [mark for mark in ticks(0, most, at_most=3) if mark == int(mark)]
    return Scale(low=0, high=max(marks[-1], most), start=floor, end=ceiling, ticks=tuple(marks))


def _draw_panel(
    canvas: Canvas, group: HistogramGroup, *, edges: tuple[float, ...], scales: tuple[Scale, Scale]
) -> None:
    across, up = scales
    for tick in up.ticks:
        y = up(tick)
        canvas.line([(LEFT, y), (across.end, y)], colour="muted" if tick == 0 else "rule")
        words = render_number(tick)
        canvas.text(words, (LEFT - 6, y + 4), Lettering(size=12, colour="muted", anchor="right"))
    for low, high, count in zip(edges[:-1], edges[1:], group.counts, strict=True):
        if count:
            left, right, y = across(low), across(high), up(count)
            canvas.bar((left + 0.5, y), size=(max(right - left - 1, 1), up.start - y), colour=group.tone)
    heading = f"{group.label} (n = {render_number(sum(group.counts))})"
    canvas.text(heading, (LEFT, up.end - 10), Lettering(bold=True))


def _draw_marks(canvas: Canvas, plot: Histogram, across: Scale, *, bottom: float) -> None:
    for value, label in plot.marks:
        x = across(value)
        canvas.line([(x, 18), (x, bottom)], colour="ink", dashes=(3, 3))
        half = text_width(label, size=12) / 2
        middle = min(max(x, half), across.end + 10 - half)
        canvas.text(label, (middle, 12), Lettering(size=12, anchor="center"))


def _draw_foot(canvas: Canvas, across: Scale, *, axis: Axis, top: float) -> None:
    for tick in across.ticks:
        x = across(tick)
        canvas.line([(x, top), (x, top + 4)], colour="muted")
        canvas.text(tick_words(tick, axis, across), (x, top + 18), Lettering(size=12, colour="muted", anchor="center"))
    canvas.text(axis.label, (LEFT, top + 38), SMALL)


def draw_reliability_curve(plot: ReliabilityCurve, *, width: float) -> Canvas:
    """Return observed against predicted, with the diagonal on which a calibrated judge would lie."""
    side = min(width, 460.0)
    top, bottom = 34.0, side - 20
    canvas = Canvas(width=side, height=bottom + 58)
    across = scale_of(SHARE, (), start=LEFT + 8, end=side - 18)
    up = scale_of(SHARE, (), start=bottom, end=top)
    canvas.text(plot.observed_label, (0, 14), SMALL)
    _draw_frame(canvas, across, up)
    canvas.line([(across(0), up(0)), (across(1), up(1))], colour="muted", dashes=(3, 3))
    _draw_points(canvas, plot, scales=(across, up))
    canvas.text(plot.predicted_label, (across.start, bottom + 38), SMALL)
    canvas.text(
        "Dashed: where predictions would be right on average.", (0, bottom + 56), Lettering(size=11, colour="muted")
    )
    return canvas


def _draw_frame(canvas: Canvas, across: Scale, up: Scale) -> None:
    for tick in up.ticks:
        canvas.line([(across.start, up(tick)), (across.end, up(tick))], colour="rule")
        words = tick_words(tick, SHARE, up)
        canvas.text(words, (across.start - 8, up(tick) + 4), Lettering(size=12, colour="muted", anchor="right"))
    for tick in across.ticks:
        canvas.line([(across(tick), up.start), (across(tick), up.end)], colour="rule")
        words = tick_words(tick, SHARE, across)
        canvas.text(words, (across(tick), up.start + 18), Lettering(size=12, colour="muted", anchor="center"))


def _draw_points(canvas: Canvas, plot: ReliabilityCurve, *, scales: tuple[Scale, Scale]) -> None:
    across, up = scales
    places = [(across(point.predicted), up(point.observed.value)) for point in plot.points]
    for point, (x, _) in zip(plot.points, places, strict=True):
        if point.observed.low is not None and point.observed.high is not None:
            canvas.line([(x, up(point.observed.low)), (x, up(point.observed.high))], colour="accent", weight=2)
    if places:
        canvas.line(places, colour="accent", weight=1)
    for place in places:
        canvas.dot(place, radius=5.5, colour="accent")
