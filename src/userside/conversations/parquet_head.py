"""What columns a Parquet file has: enough to tell formats apart without reading a row."""

from importlib import import_module
from pathlib import Path

MAGIC = b"PAR1"
"""How Parquet files begin."""


def column_names(path: Path) -> tuple[str, ...]:
    """Return the names of a Parquet file's columns; none where it cannot be read as Parquet."""
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    try:
        return tuple(parquet.read_schema(path).names)
    except (pyarrow.ArrowException, OSError):
        return ()
