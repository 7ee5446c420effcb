"""Tables whose columns know what they hold. `table_text` writes one for a terminal, `table_csv` for a spreadsheet."""

from dataclasses import dataclass
from enum import StrEnum

from userside.errors import InputError
from userside.render.quantities import Cell
from userside.render.tokens import Tone


class ColumnKind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    NUMBER = "number"
    RATE = "rate"
    BAR = "bar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column.

    Attributes:
        name: The heading.
        kind: `BAR` draws a number as a bar within its cell, scaled to `full`.
        decimals: For numbers, rates (of the percentage) and bars.
        full: The value at which a bar fills its cell; None for the largest in the column.
        tone: The colour of a bar.
    """

    name: str
    kind: ColumnKind = ColumnKind.TEXT
    decimals: int = 1
    full: float | None = None
    tone: Tone = Tone.ACCENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells under typed columns; the first column names the row.

    Attributes:
        caption: What the table shows, in one line.
        notes: Printed small underneath.
        sortable: Offer sorting by a click on a heading, where scripts run.

    Raises:
        InputError: A row has more or fewer cells than there are columns.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str | None = None
    notes: tuple[str, ...] = ()
    sortable: bool = False

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise InputError(f"row {number}: wanted {len(self.columns)} cells, came {len(row)}: {row!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionTable:
    """Counts of two labellings of the same things; `counts[row][column]`.

    Attributes:
        row_title: Who gave the labels down the side, such as "Users said".
        column_title: Who gave the labels along the top, such as "Judge said".
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    row_title: str
    column_title: str
    caption: str | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        size = len(self.labels)
        if len(self.counts) != size or any(len(row) != size for row in self.counts):
            raise InputError(f"confusion table: wanted {size} rows of {size} counts, came {self.counts!r}")
