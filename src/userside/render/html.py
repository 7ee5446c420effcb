"""From blocks to HTML: one template macro a block, escaping always on."""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from userside.render.blocks import Block, Figure
from userside.render.cells import cell_view, fulls
from userside.render.escaping import isolated, visible, visible_plain
from userside.render.figures import PHONE, WIDE, plot_table, render_plot
from userside.render.prose import render_inline, render_prose
from userside.render.table import ConfusionTable, Table
from userside.render.turns import fold

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def templates() -> "Environment":
    """Return the environment of all templates; an undefined name is an error, and everything is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment: Any = Environment(  # Any: its tables of filters are typed by what jinja2 itself puts there
        loader=PackageLoader("userside.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(visible=visible, isolated=isolated, plain=visible_plain)
    environment.filters.update(prose=render_prose, inline=render_inline, fold=fold)
    environment.globals.update(drawings=_drawings, figure_table=_figure_table, cells=_cells, shade=_shade)
    return environment


@dataclass(slots=True)
class Writer:
    """Turns blocks into HTML and numbers what needs a name on one page, in the order it is met."""

    _named: int = field(default=0)

    def html(self, block: Block) -> Markup:
        """Return one block as HTML."""
        macros: Any = templates().get_template("blocks.html.jinja").module
        return getattr(macros, _macro_name(type(block)))(block, self)

    def next_id(self) -> str:
        """Return an id that nothing else on the page has."""
        self._named += 1
        return f"part-{self._named}"


def _macro_name(block: type) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", block.__name__).lower()


def _drawings(figure: Figure) -> Markup:
    """Return the plot drawn twice: the style sheet shows the one that fits."""
    wide = render_plot(figure.plot, width=WIDE, label=figure.alt, css_class="plot plot-wide")
    narrow = render_plot(figure.plot, width=PHONE, label=figure.alt, css_class="plot plot-narrow")
    return Markup(wide + narrow)  # noqa: S704  (labels were escaped as they were drawn)


def _figure_table(figure: Figure) -> Table:
    return figure.table or plot_table(figure.plot)


def _cells(table: Table) -> list[list[Any]]:
    full = fulls(table)
    return [
        [
            cell_view(cell, column, full=full[number])
            for number, (cell, column) in enumerate(zip(row, table.columns, strict=True))
        ]
        for row in table.rows
    ]


def _shade(table: ConfusionTable, row: int, column: int) -> int:
    """Return a cell's share of its row in whole per cent, for the depth of its colour."""
    total = sum(table.counts[row])
    return round(100 * table.counts[row][column] / total) if total else 0
