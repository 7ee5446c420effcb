"""The one door to matplotlib: draw in CSS pixels, get SVG that belongs to the page it stands in.

Text stays text and takes the page's fonts; colours become the page's CSS variables, so one drawing serves light, dark
and print. No text meets matplotlib: placeholders are drawn, and the words put in afterwards, escaped. So no label can
be read as mathematics, lack a glyph, or break the XML. The same strokes give the same bytes.
"""

import re
import unicodedata
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from threading import Lock
from typing import Any, Literal

from markupsafe import escape

from userside.render.escaping import visible_plain
from userside.render.tokens import LIGHT, colours

type Point = tuple[float, float]
type Anchor = Literal["left", "center", "right"]

SETTINGS: Mapping[str, Any] = {"svg.fonttype": "none", "svg.hashsalt": "userside", "path.simplify": False}
NO_METADATA: Mapping[str, Any] = dict.fromkeys(("Creator", "Date", "Format", "Type"))
SETTINGS_ARE_GLOBAL = Lock()
"""matplotlib keeps its settings in one process-wide table: one drawing is written at a time."""

LARGEST = 1.1
"""How far a page may enlarge a drawing: beyond this its letters would outgrow the text around."""

STAND_INS = {name: f"#0000{number:02x}" for number, name in enumerate(colours(LIGHT), start=1)}
NAMES = {stand_in: name for name, stand_in in STAND_INS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lettering:
    """How a piece of text is set; `size` in CSS pixels."""

    size: float = 13
    colour: str = "ink"
    anchor: Anchor = "left"
    bold: bool = False


class Canvas:
    """A sheet of `width` by `height` CSS pixels with the origin at the top left."""

    def __init__(self, *, width: float, height: float) -> None:
        from matplotlib.figure import Figure

        self._width, self._height = width, height
        self._words: list[str] = []
        self._drawn = 0
        # 72 dots to the inch: one point is one pixel
        self._figure: Any = Figure(figsize=(width / 72, height / 72), dpi=72)
        self._axes: Any = self._figure.add_axes((0, 0, 1, 1))
        self._axes.set_axis_off()
        self._axes.set_xlim(0, width)
        self._axes.set_ylim(height, 0)

    def line(self, points: Sequence[Point], *, colour: str, weight: float = 1, dashes: Point | None = None) -> None:
        """Draw a line through points."""
        from matplotlib.lines import Line2D

        style = (0.0, dashes) if dashes else "solid"
        xs, ys = [x for x, _ in points], [y for _, y in points]
        stroke = Line2D(xs, ys, color=STAND_INS[colour], linewidth=weight, linestyle=style, clip_on=False)
        stroke.set_solid_capstyle("butt")
        stroke.set_zorder(self._next())
        self._axes.add_line(stroke)

    def bar(self, corner: Point, *, size: Point, colour: str) -> None:
        """Fill a rectangle of `size` (width, height) from its top left corner."""
        from matplotlib.patches import Rectangle

        self._add(Rectangle(corner, *size, facecolor=STAND_INS[colour], edgecolor="none"))

    def dot(self, centre: Point, *, radius: float, colour: str) -> None:
        """Fill a circle ringed in the colour of the paper, so that it stands off the line behind it."""
        from matplotlib.patches import Circle

        ring = {"edgecolor": STAND_INS["paper"], "linewidth": 1.5}
        self._add(Circle(centre, radius, facecolor=STAND_INS[colour], **ring))

    def text(self, words: str, at: Point, lettering: Lettering) -> None:
        """Set words on one line; `at` is on the baseline."""
        place_holder = f"@{len(self._words)}@"
        self._words.append(words)
        self._axes.text(
            *at,
            place_holder,
            fontsize=lettering.size,
            fontweight="bold" if lettering.bold else "normal",
            color=STAND_INS[lettering.colour],
            ha=lettering.anchor,
            va="baseline",
            parse_math=False,
            zorder=self._next(),
        )

    def svg(self, *, label: str, css_class: str) -> str:
        """Return the drawing, flat and without ids, for embedding in HTML. `label` is its text alternative."""
        drawn = StringIO()
        with _settings():
            self._figure.savefig(drawn, format="svg", transparent=True, metadata=dict(NO_METADATA))
        marks = "\n".join(_marks(drawn.getvalue()))
        words = re.sub(r"@(\d+)@", lambda found: escape(visible_plain(self._words[int(found[1])])), marks)
        size = f'viewBox="0 0 {_brief(self._width)} {_brief(self._height)}" width="{_brief(self._width)}"'
        style = f'style="max-inline-size:{_brief(LARGEST * self._width)}px"'
        alternative = f'role="img" aria-label="{escape(visible_plain(label))}"'
        return f'<svg class="{css_class}" {size} {style} {alternative}>\n{words}\n</svg>'

    def _add(self, patch: Any) -> None:
        patch.set_clip_on(False)
        patch.set_zorder(self._next())
        self._axes.add_patch(patch)

    def _next(self) -> int:
        # matplotlib would put every line above every bar: later strokes belong on top
        self._drawn += 1
        return self._drawn


def ticks(low: float, high: float, *, at_most: int) -> list[float]:
    """Return round numbers that span `low` to `high`, the ends included."""
    from matplotlib.ticker import MaxNLocator

    locator = MaxNLocator(nbins=at_most, steps=[1, 2, 2.5, 5, 10])
    return [float(tick) for tick in locator.tick_values(low, high)]


def text_width(words: str, *, size: float = 13) -> float:
    """Return about how wide words will be: fonts differ from reader to reader, so this errs wide."""
    return sum(size * _advance(character) for character in words)


def wrap(words: str, *, width: float, size: float = 13, lines: int = 2) -> list[str]:
    """Return words broken into at most so many lines, the last cut short with an ellipsis."""
    broken = [""]
    for word in visible_plain(words).split(" "):
        longer = f"{broken[-1]} {word}".strip()
        if broken[-1] and text_width(longer, size=size) > width:
            broken.append(word)
        else:
            broken[-1] = longer
    if len(broken) > lines:
        broken = [*broken[: lines - 1], " ".join(broken[lines - 1 :])]
    return [_shorten(line, width=width, size=size) for line in broken]


def _shorten(line: str, *, width: float, size: float) -> str:
    if text_width(line, size=size) <= width:
        return line
    kept = 0.0
    for end, character in enumerate(line):
        kept += size * _advance(character)
        if kept > width - size:
            return f"{line[:end].rstrip()}…"
    return line


def _advance(character: str) -> float:
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 1
    return 0.32 if character in " .,:;'|!ijlIt[]()" else 0.6


@contextmanager
def _settings() -> Generator[None]:
    import matplotlib

    mpl: Any = matplotlib  # its types are partial: here is where they end
    with SETTINGS_ARE_GLOBAL, mpl.rc_context(dict(SETTINGS)):
        yield


def _marks(document: str) -> Iterator[str]:
    """Yield the drawing's paths and texts, without groups, ids and what else matplotlib wraps around them."""
    for tag, attributes, words in re.findall(r"<(path|text)\s([^>]*?)/?>(?:([^<]*)</text>)?", document):
        # the figure's own and the axes' own background
        if 'style="fill: none"' in attributes:
            continue
        yield _mark(tag, dict(re.findall(r'([\w-]+)="([^"]*)"', attributes)), words)


def _mark(tag: str, attributes: dict[str, str], words: str) -> str:
    styles = [style for style in attributes["style"].split("; ") if not style.startswith("font-family")]
    style = re.sub(r"#0000[0-9a-f]{2}", lambda found: f"var(--{NAMES[found[0]]})", ";".join(styles)).replace(": ", ":")
    if tag == "text":
        return f'<text x="{attributes["x"]}" y="{attributes["y"]}" style="{style}">{words}</text>'
    return f'<path d="{" ".join(attributes["d"].split())}" style="{style}"/>'


def _brief(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
