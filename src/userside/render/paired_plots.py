"""Two values in each row, held against each other: the first group's dot above, the second group's below."""

from collections.abc import Iterator

from userside.render.canvas import Canvas, Lettering, text_width, wrap
from userside.render.layout import NARROW, Rows, Scale, draw_grid, draw_labels, lay_rows, scale_of
from userside.render.plot import PairedDots, PairedRow
from userside.render.quantities import Estimate, Missing
from userside.render.tokens import Tone

LEGEND = 22
"""Room above the axis for a line with the name of a group, or with both where they fit."""

HEAD = 46
"""Room above the rows for the axis."""

SHARED = 0.6
"""How much of the sheet both names may take to stand on one line: beside long labels there is no more."""

APART = 5
"""From a row's middle to either dot."""

WIDEST = 170.0
"""Room for what is said of a row, at most."""


def draw_paired_dots(plot: PairedDots, *, width: float) -> Canvas:
    """Return two dots with intervals in each row, and a few words on them at the right."""
    said = max((text_width(row.verdict, size=12) for row in plot.rows), default=0)
    beside = min(said + 16, WIDEST if width >= NARROW else 0.5 * width) if said else 0
    shared = sum(_named_width(label) for label in (plot.first_label, plot.second_label)) <= SHARED * width
    top = LEGEND * (1 if shared else 2) + HEAD
    rows = lay_rows([row.label for row in plot.rows], width=width, top=top, beside=beside)
    canvas = Canvas(width=width, height=rows.bottom + 6)
    right = width - 14 if width < NARROW else width - beside - 14
    ends = [end for row in plot.rows for end in _ends(row)]
    scale = scale_of(plot.axis, ends, start=rows.left + 14, end=right)
    _draw_legend(canvas, plot, left=scale.start, shared=shared)
    draw_grid(canvas, scale, axis=plot.axis, rows=rows, top=top)
    draw_labels(canvas, rows)
    for row, middle in zip(plot.rows, rows.middles(), strict=True):
        _draw_pair(canvas, plot, row, scale=scale, middle=middle)
    _draw_verdicts(canvas, plot, rows=rows, room=beside)
    return canvas


def _ends(row: PairedRow) -> Iterator[float | None]:
    for one in (row.first, row.second):
        if isinstance(one, Estimate):
            yield from (one.value, one.low, one.high)


def _named_width(label: str) -> float:
    return 16 + text_width(label, size=13) + 20


def _draw_legend(canvas: Canvas, plot: PairedDots, *, left: float, shared: bool) -> None:
    x, baseline = left, 13.0
    for label, tone in ((plot.first_label, plot.first_tone), (plot.second_label, plot.second_tone)):
        canvas.dot((x + 5, baseline - 4), radius=5, colour=tone)
        canvas.text(label, (x + 16, baseline), Lettering(size=12, bold=True))
        x, baseline = (x + _named_width(label), baseline) if shared else (left, baseline + LEGEND)


def _draw_pair(canvas: Canvas, plot: PairedDots, row: PairedRow, *, scale: Scale, middle: float) -> None:
    places = [
        (one, middle + offset, Tone.NEUTRAL if row.is_quiet else tone)
        for one, offset, tone in ((row.first, -APART, plot.first_tone), (row.second, APART, plot.second_tone))
        if not isinstance(one, Missing)
    ]
    for one, y, tone in places:
        if one.low is not None and one.high is not None:
            canvas.line([(scale(one.low), y), (scale(one.high), y)], colour=tone, weight=2)
    for one, y, tone in places:
        canvas.dot((scale(one.value), y), radius=5.5, colour=tone)


def _draw_verdicts(canvas: Canvas, plot: PairedDots, *, rows: Rows, room: float) -> None:
    for row, top, middle in zip(plot.rows, rows.tops, rows.middles(), strict=True):
        baseline = top + 14 if rows.left == 0 else middle + 4.5
        words = wrap(row.verdict, width=room, size=12, lines=1)[0]
        lettering = Lettering(size=12, colour="muted" if row.is_quiet else "ink", anchor="right")
        canvas.text(words, (rows.width, baseline), lettering)
