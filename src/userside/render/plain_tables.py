"""Tables without a page: text for a terminal, comma-separated values for a spreadsheet."""

import csv
from collections.abc import Iterator
from io import StringIO
from typing import Literal

from userside.render.cells import cell_fields, cell_text
from userside.render.escaping import visible_plain
from userside.render.quantities import Cell, Estimate, Rate
from userside.render.table import Column, ColumnKind, Table

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the beginning of a formula."""

RATE_FIELDS = ("numerator", "denominator", "low", "high")
ESTIMATE_FIELDS = ("", "low", "high")


def table_text(table: Table, *, width: int = 100) -> str:
    """Return the table for a terminal of `width` columns, without colours or control characters."""
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), title_justify="left", header_style="")
    for column in table.columns:
        grid.add_column(Text(visible_plain(column.name)), justify=_justify(column), overflow="fold")
    for row in table.rows:
        pairs = zip(row, table.columns, strict=True)
        grid.add_row(*(Text(visible_plain(cell_text(cell, column))) for cell, column in pairs))
    console = Console(width=width, file=StringIO(), color_system=None, legacy_windows=False, _environ={})
    with console.capture() as written:
        console.print(grid)
    lines = [line.rstrip() for line in written.get().splitlines()]
    caption = [visible_plain(table.caption), ""] if table.caption else []
    return "\n".join([*caption, *lines, *map(visible_plain, table.notes)]) + "\n"


def _justify(column: Column) -> Literal["left", "right"]:
    return "left" if column.kind is ColumnKind.TEXT else "right"


def table_csv(table: Table) -> str:
    """Return the table as comma-separated values.

    A rate takes four columns (numerator, denominator, low, high) and an estimate three; what is missing stays empty.
    Text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    widths = [_field_names(cells) for cells in columns]
    written = StringIO()
    writer = csv.writer(written, lineterminator="\n")
    heads = zip(table.columns, widths, strict=True)
    writer.writerow([_guard(" ".join(filter(None, (column.name, name)))) for column, names in heads for name in names])
    for row in table.rows:
        pairs = zip(row, widths, strict=True)
        writer.writerow([field for cell, names in pairs for field in _fields(cell, names)])
    return written.getvalue()


def _field_names(cells: tuple[Cell, ...]) -> tuple[str, ...]:
    if any(isinstance(cell, Rate) for cell in cells):
        return RATE_FIELDS
    return ESTIMATE_FIELDS if any(isinstance(cell, Estimate) for cell in cells) else ("",)


def _fields(cell: Cell, names: tuple[str, ...]) -> Iterator[str | int | float]:
    fields = [_guard(field) if isinstance(field, str) else field for field in cell_fields(cell)]
    yield from fields
    yield from [""] * (len(names) - len(fields))


def _guard(field: str) -> str:
    return f"'{field}" if field.startswith(FORMULA_STARTS) else field
