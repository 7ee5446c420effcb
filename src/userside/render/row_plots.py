"""Plots made of labelled rows: dots with intervals, diverging bars, stacked shares."""

from collections.abc import Iterator
from dataclasses import dataclass

from userside.render.canvas import Canvas, Lettering, text_width, wrap
from userside.render.layout import (
    NARROW,
    Rows,
    Scale,
    draw_grid,
    draw_labels,
    draw_upright,
    lay_rows,
    scale_of,
    value_words,
)
from userside.render.plot import Axis, DivergingBars, Dot, DotPlot, StackedShares
from userside.render.quantities import MISSING_MARK, Estimate, Missing, render_interval, render_number, render_percent
from userside.render.tokens import Tone

HEAD = 46
"""Room above the rows for the axis."""

THICKNESS = 16
"""Of a bar."""

ON_FILL = {Tone.GOOD: "paper", Tone.BAD: "paper", Tone.ACCENT: "paper", Tone.INK: "paper", Tone.MUTED: "paper"}
"""The colour that is legible on a fill; ink elsewhere."""


def draw_dot_plot(plot: DotPlot, *, width: float) -> Canvas:
    """Return a dot and its interval for each row, with the figures written out at the right."""
    values = [_written(dot, plot.axis) for dot in plot.dots]
    intervals = max((text_width(interval, size=12) for _, interval in values), default=0)
    numbers = max((text_width(number) for number, _ in values), default=0)
    beside = intervals + numbers + 24
    rows = lay_rows([dot.label for dot in plot.dots], width=width, top=HEAD, beside=beside)
    canvas = Canvas(width=width, height=rows.bottom + (22 if plot.reference_label else 4))
    right = width - 14 if width < NARROW else width - beside - 14
    ends = [end for dot in plot.dots for end in _ends(dot)]
    scale = scale_of(plot.axis, [*ends, plot.reference], start=rows.left + 14, end=right)
    draw_grid(canvas, scale, axis=plot.axis, rows=rows, top=HEAD)
    _draw_reference(canvas, plot, scale, rows=rows)
    draw_labels(canvas, rows)
    for dot, middle, top, words in zip(plot.dots, rows.middles(), rows.tops, values, strict=True):
        _draw_dot(canvas, dot, scale, middle=middle)
        baseline = top + 14 if width < NARROW else middle + 4.5
        canvas.text(words[1], (width, baseline), Lettering(size=12, colour="muted", anchor="right"))
        place = (width - intervals - 12, baseline)
        canvas.text(words[0], place, Lettering(anchor="right", bold=isinstance(dot.estimate, Estimate)))
    return canvas


def _ends(dot: Dot) -> list[float | None]:
    if isinstance(dot.estimate, Missing):
        return []
    return [dot.estimate.value, dot.estimate.low, dot.estimate.high]


def _written(dot: Dot, axis: Axis) -> tuple[str, str]:
    if isinstance(dot.estimate, Missing):
        return MISSING_MARK, dot.estimate.reason[:24]
    factor = 100 if axis.percent else 1
    low, high = (end if end is None else factor * end for end in (dot.estimate.low, dot.estimate.high))
    return value_words(dot.estimate.value, axis), render_interval(low, high, decimals=axis.decimals)


def _draw_reference(canvas: Canvas, plot: DotPlot, scale: Scale, *, rows: Rows) -> None:
    if plot.reference is None:
        return
    x = scale(plot.reference)
    draw_upright(canvas, x, rows=rows, colour="muted", dashes=(3, 3))
    if plot.reference_label:
        half = text_width(plot.reference_label, size=12) / 2
        middle = min(max(x, half), rows.width - half)
        lettering = Lettering(size=12, colour="muted", anchor="center")
        canvas.text(plot.reference_label, (middle, rows.bottom + 18), lettering)


def _draw_dot(canvas: Canvas, dot: Dot, scale: Scale, *, middle: float) -> None:
    if isinstance(dot.estimate, Missing):
        return
    low, high = dot.estimate.low, dot.estimate.high
    if low is not None and high is not None:
        canvas.line([(scale(low), middle), (scale(high), middle)], colour=dot.tone, weight=2.5)
    canvas.dot((scale(dot.estimate.value), middle), radius=6, colour=dot.tone)


def draw_diverging_bars(plot: DivergingBars, *, width: float) -> Canvas:
    """Return bars that pull left and right of one upright, on one scale."""
    rows = lay_rows([row.label for row in plot.rows], width=width, top=30)
    canvas = Canvas(width=width, height=rows.bottom + 4)
    far = max((max(row.left, row.right) for row in plot.rows), default=0) or 1
    room = max(text_width(value_words(far, plot.axis), size=12) + 8, 30)
    reach = (width - rows.left) / 2 - room
    centre = rows.left + (width - rows.left) / 2
    full = plot.axis.high or far
    heads = (_cut(plot.left_label, reach + room), _cut(plot.right_label, reach + room))
    canvas.text(heads[0], (centre - 8, 14), Lettering(colour=Tone.BAD, anchor="right", bold=True))
    canvas.text(heads[1], (centre + 8, 14), Lettering(colour=Tone.GOOD, bold=True))
    draw_labels(canvas, rows)
    for row, middle in zip(plot.rows, rows.middles(), strict=True):
        for value, side in ((row.left, -1), (row.right, 1)):
            arm = _Arm(value=value, side=side, length=reach * min(value, full) / full)
            _draw_arm(canvas, arm, axis=plot.axis, at=(centre, middle))
    draw_upright(canvas, centre, rows=rows, colour="ink")
    return canvas


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arm:
    value: float
    side: int
    length: float


def _draw_arm(canvas: Canvas, arm: _Arm, *, axis: Axis, at: tuple[float, float]) -> None:
    centre, middle = at
    tip = centre + arm.side * arm.length
    corner = (min(centre, tip), middle - THICKNESS / 2)
    canvas.bar(corner, size=(arm.length, THICKNESS), colour=Tone.GOOD if arm.side > 0 else Tone.BAD)
    lettering = Lettering(size=12, colour="muted", anchor="left" if arm.side > 0 else "right")
    canvas.text(value_words(arm.value, axis), (tip + 5 * arm.side, middle + 4.5), lettering)


def draw_stacked_shares(plot: StackedShares, *, width: float) -> Canvas:
    """Return bars of equal length divided by share, their parts named once above."""
    legend = list(_legend(plot, width=width))
    top = 30 + 20 * legend[-1][1] if legend else 8
    rows = lay_rows([_named(plot, number) for number in range(len(plot.rows))], width=width, top=top)
    canvas = Canvas(width=width, height=rows.bottom + 2)
    for part, (x, line) in zip(plot.parts, legend, strict=True):
        baseline = 13 + 20 * line
        canvas.bar((x, baseline - 10), size=(11, 11), colour=part.tone)
        canvas.text(part.label, (x + 17, baseline), Lettering(size=12))
    draw_labels(canvas, rows)
    for number, middle in enumerate(rows.middles()):
        for part in _segments(plot, number, start=rows.left, end=width):
            _draw_segment(canvas, part, middle=middle)
    return canvas


def _named(plot: StackedShares, number: int) -> str:
    row = plot.rows[number]
    return f"{row.label} (n = {render_number(sum(row.counts))})"


def _legend(plot: StackedShares, *, width: float) -> Iterator[tuple[float, int]]:
    x, line = 0.0, 0
    for part in plot.parts:
        room = 17 + text_width(part.label, size=12)
        if x and x + room > width:
            x, line = 0.0, line + 1
        yield x, line
        x += room + 18


@dataclass(frozen=True, slots=True, kw_only=True)
class _Segment:
    tone: Tone
    share: float
    start: float
    width: float


def _segments(plot: StackedShares, number: int, *, start: float, end: float) -> Iterator[_Segment]:
    counts = plot.rows[number].counts
    total, room = sum(counts), end - start
    for part, count in zip(plot.parts, counts, strict=True):
        if count:
            length = room * count / total
            yield _Segment(tone=part.tone, share=count / total, start=start, width=length)
            start += length


def _draw_segment(canvas: Canvas, part: _Segment, *, middle: float) -> None:
    height = 22
    # a gap of one pixel keeps neighbours apart without relying on colour
    canvas.bar((part.start, middle - height / 2), size=(max(part.width - 1, 0.5), height), colour=part.tone)
    words = render_percent(part.share, decimals=0)
    if text_width(words, size=12) + 8 <= part.width:
        lettering = Lettering(size=12, colour=ON_FILL.get(part.tone, "ink"), anchor="center", bold=True)
        canvas.text(words, (part.start + part.width / 2, middle + 4.5), lettering)


def _cut(words: str, width: float) -> str:
    return wrap(words, width=width, lines=1)[0]
