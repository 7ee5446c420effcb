"""Text for a terminal: lines that fit, and columns set to the same width."""

from collections.abc import Sequence
from textwrap import TextWrapper


def fill(text: str, width: int, *, subsequent_indent: str = "") -> str:
    """Return text in lines of at most that width; the hyphens of flags do not break."""
    return TextWrapper(width=width, subsequent_indent=subsequent_indent, break_on_hyphens=False).fill(text)


def widest_that_fits(tables: Sequence[Sequence[Sequence[str]]], *, width: int, left: int = 1) -> str:
    """Return the first of several tables of the same that is not wider than `width`, else the last."""
    drawn = [grid(rows, left=left) for rows in tables]
    return next((table for table in drawn if max(map(len, table.split("\n"))) <= width), drawn[-1])


def grid(rows: Sequence[Sequence[str]], *, left: int) -> str:
    """Return rows as lines, the first `left` columns set to the left and the others to the right, two spaces between.

    >>> print(grid([["item", "n"], ["thanks", "12"]], left=1))
    item     n
    thanks  12
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)
