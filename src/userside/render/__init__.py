"""Primitives of reports: a page of blocks, tables, plots and their tokens. Nothing here knows any domain.

`render_page(Page(...))` returns one HTML file that asks for nothing else. Strings may come from strangers.

- `page`, `blocks`: what a report is made of
- `table`, `plot`, `quantities`: what blocks show, as data
- `tokens`: colours, type and spacing, light and dark
- `html`, `prose`, `turns`, `cells`, `escaping`: from data to markup
- `figures`, `row_plots`, `paired_plots`, `curve_plots`, `layout`, `canvas`: from data to drawings; `canvas` alone
  knows matplotlib
- `plain_tables`: tables for a terminal and a spreadsheet
"""

from userside.render.blocks import (
    Badge,
    Block,
    Callout,
    CalloutKind,
    Details,
    Figure,
    Filterable,
    FilterableItem,
    Highlight,
    Metric,
    Prose,
    Role,
    Row,
    Transcript,
    TranscriptTurn,
)
from userside.render.figures import plot_table, render_plot
from userside.render.page import Page, Section, render_page
from userside.render.plain_tables import table_csv, table_text
from userside.render.plot import (
    Axis,
    DivergingBars,
    DivergingRow,
    Dot,
    DotPlot,
    Histogram,
    HistogramGroup,
    PairedDots,
    PairedRow,
    Part,
    Plot,
    ReliabilityCurve,
    ReliabilityPoint,
    ShareRow,
    StackedShares,
)
from userside.render.quantities import (
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
from userside.render.table import Column, ColumnKind, ConfusionTable, Table
from userside.render.tokens import Tone

__all__ = [
    "Axis",
    "Badge",
    "Block",
    "Callout",
    "CalloutKind",
    "Cell",
    "Column",
    "ColumnKind",
    "ConfusionTable",
    "Details",
    "DivergingBars",
    "DivergingRow",
    "Dot",
    "DotPlot",
    "Estimate",
    "Figure",
    "Filterable",
    "FilterableItem",
    "Highlight",
    "Histogram",
    "HistogramGroup",
    "Metric",
    "Missing",
    "Page",
    "PairedDots",
    "PairedRow",
    "Part",
    "Plot",
    "Prose",
    "Rate",
    "ReliabilityCurve",
    "ReliabilityPoint",
    "Role",
    "Row",
    "Section",
    "ShareRow",
    "StackedShares",
    "Table",
    "Tone",
    "Transcript",
    "TranscriptTurn",
    "plot_table",
    "render_estimate",
    "render_interval",
    "render_number",
    "render_page",
    "render_percent",
    "render_plot",
    "render_rate",
    "table_csv",
    "table_text",
]
