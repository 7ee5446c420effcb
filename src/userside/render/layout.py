"""Scales, rows and grids: labels stand beside the marks where there is room, and above them on a narrow sheet."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from userside.render.canvas import Canvas, Lettering, text_width, ticks, wrap
from userside.render.plot import Axis
from userside.render.quantities import render_number, render_percent

NARROW = 480
"""Below this width, in CSS pixels, labels go above the marks."""

HALF_LEADING = 8
"""Half the distance of two lines of a label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """From values to pixels along one direction; values beyond the ends stop there."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """Return where a value stands."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def scale_of(axis: Axis, values: Iterable[float | None], *, start: float, end: float) -> Scale:
    """Return a scale with round ends that holds the values, or the ends that the axis names."""
    known = [value for value in values if value is not None and isfinite(value)]
    low = axis.low if axis.low is not None else min(known, default=0.0)
    high = axis.high if axis.high is not None else max(known, default=1.0)
    if low >= high:
        low, high = low - 0.5, low + 0.5
    marks = ticks(low, high, at_most=max(2, round(abs(end - start) / 80)))
    low = low if axis.low is not None and axis.low < high else marks[0]
    high = high if axis.high is not None and axis.high > low else marks[-1]
    shown = tuple(mark for mark in marks if low <= mark <= high)
    return Scale(low=low, high=high, start=start, end=end, ticks=shown)


def value_words(value: float, axis: Axis) -> str:
    """Return a value in the axis' own terms."""
    if axis.percent:
        return render_percent(value, decimals=axis.decimals)
    return render_number(value, decimals=axis.decimals)


def tick_words(value: float, axis: Axis, scale: Scale) -> str:
    """Return a tick with no more decimals than its neighbours need."""
    factor = 100 if axis.percent else 1
    decimals = next((n for n in range(4) if all(_is_round(factor * tick, n) for tick in scale.ticks)), 4)
    return render_percent(value, decimals=decimals) if axis.percent else render_number(value, decimals=decimals)


def _is_round(value: float, decimals: int) -> bool:
    return abs(value - round(value, decimals)) < 1e-9 * max(1.0, abs(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Where the rows of a horizontal plot stand.

    Attributes:
        labels: The lines of each row's label.
        width: Of the whole drawing.
        left: Where the marks begin.
        tops: The top of each row.
        height: Of one row.
        offset: From a row's top to the middle of its marks.
    """

    labels: tuple[list[str], ...]
    width: float
    left: float
    tops: tuple[float, ...]
    height: float
    offset: float

    @property
    def bottom(self) -> float:
        """Where the last row ends."""
        return self.tops[-1] + self.height if self.tops else 0

    def middles(self) -> Iterator[float]:
        """Yield the height of each row's marks."""
        yield from (top + self.offset for top in self.tops)

    def spans(self) -> Iterator[tuple[float, float]]:
        """Yield from where to where uprights run: past all rows, or only beside the marks when labels stand above."""
        if self.left:
            yield self.tops[0] - 5 if self.tops else 0, self.bottom
        else:
            yield from ((middle - 10, middle + 12) for middle in self.middles())


def lay_rows(labels: Sequence[str], *, width: float, top: float, beside: float = 0) -> Rows:
    """Return the rows' places. `beside` is the room that values need at the right of a label, on a narrow sheet."""
    if width < NARROW:
        lines = tuple(wrap(label, width=width - beside, lines=1) for label in labels)
        return _stack(lines, width=width, left=0, top=top, height=48, offset=30)
    widest = max((text_width(label) for label in labels), default=0)
    left = min(max(widest + 8, 60), 0.36 * width)
    lines = tuple(wrap(label, width=left - 4) for label in labels)
    height = 42 if any(len(label) > 1 for label in lines) else 31
    return _stack(lines, width=width, left=left + 16, top=top, height=height, offset=height / 2)


def _stack(
    labels: tuple[list[str], ...], *, width: float, left: float, top: float, height: float, offset: float
) -> Rows:
    tops = tuple(top + height * number for number in range(len(labels)))
    return Rows(labels=labels, width=width, left=left, tops=tops, height=height, offset=offset)


def draw_labels(canvas: Canvas, rows: Rows) -> None:
    """Set each row's label beside or above its marks."""
    for lines, top, middle in zip(rows.labels, rows.tops, rows.middles(), strict=True):
        first = top + 14 if rows.left == 0 else middle + 4.5 - HALF_LEADING * (len(lines) - 1)
        for number, line in enumerate(lines):
            canvas.text(line, (0, first + 2 * HALF_LEADING * number), Lettering())


def draw_grid(canvas: Canvas, scale: Scale, *, axis: Axis, rows: Rows, top: float) -> None:
    """Draw the axis above the rows: its label, its ticks and a hairline down from each."""
    room = scale.end - scale.start
    label = wrap(axis.label, width=room + 40, size=12, lines=1)[0]
    canvas.text(label, (scale.start, top - 28), Lettering(size=12, colour="muted"))
    for tick in scale.ticks:
        x = scale(tick)
        draw_upright(canvas, x, rows=rows, colour="rule")
        words = tick_words(tick, axis, scale)
        canvas.text(words, (x, top - 10), Lettering(size=12, colour="muted", anchor="center"))


def draw_upright(
    canvas: Canvas, x: float, *, rows: Rows, colour: str, dashes: tuple[float, float] | None = None
) -> None:
    """Draw an upright past the rows' marks, but not through their labels."""
    for top, bottom in rows.spans():
        canvas.line([(x, top), (x, bottom)], colour=colour, dashes=dashes)
