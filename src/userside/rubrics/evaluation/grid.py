"""Columns of text, set to the same width."""

from collections.abc import Sequence


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
