"""The record as Parquet columns, and other people's columns; only here are rows taken from pyarrow, which has no types.

Times are kept as ISO 8601 text, because one column of timestamps cannot hold both those with and those without an
offset. What has no fixed shape (`metadata`, `answers`, `codes`, `raw`) is JSON text.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from importlib import import_module
from itertools import batched
from pathlib import Path
from typing import Any, cast

from userside.conversations.json_rows import JsonRow
from userside.conversations.tally import Skipped
from userside.conversations.wire import Fields, parse_json
from userside.errors import FormatError

_ROWS = 1000
_AS_JSON = frozenset({"metadata", "answers", "codes", "raw"})


def write_parquet_rows(records: Iterable[Fields], path: Path) -> int:
    """Write records as `conversation_to_dict` returns them, and return how many there were."""
    parquet = import_module("pyarrow.parquet")
    written = 0
    with parquet.ParquetWriter(path, _schema(), compression="zstd") as writer:
        for batch in batched(records, _ROWS):
            rows = [_encode(record) for record in batch]
            writer.write_table(import_module("pyarrow").Table.from_pylist(rows, schema=_schema()))
            written += len(rows)
    return written


def read_foreign_rows(path: Path, *, columns: Collection[str] | None = None) -> Iterator[JsonRow]:
    """Yield the rows of somebody else's Parquet file: the named columns that are there and no others; None for all.

    Raises:
        FormatError: The file is no Parquet.
    """
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            there = [name for name in file.schema_arrow.names if columns is None or name in columns]
            batches = file.iter_batches(batch_size=_ROWS, columns=there)
            rows = (row for batch in batches for row in cast("list[Fields]", batch.to_pylist()))
            for number, row in enumerate(rows, start=1):
                yield JsonRow(number=number, value=row)
    except pyarrow.ArrowException as error:
        raise FormatError(f"{path}: not readable as Parquet: {error}") from None


def read_parquet_rows(path: Path) -> Iterator[JsonRow | Skipped]:
    """Yield the rows of a Parquet file as records, nulls left out.

    Raises:
        FormatError: The file is no Parquet, or none of its columns is one of ours.
    """
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            _refuse_other_columns(set(file.schema_arrow.names), path=path)
            batches = file.iter_batches(batch_size=_ROWS)
            rows = (row for batch in batches for row in cast("list[Fields]", batch.to_pylist()))
            for number, row in enumerate(rows, start=1):
                yield _decoded(row, number=number, path=path)
    except pyarrow.ArrowException as error:
        raise FormatError(f"{path}: not readable as Parquet: {error}") from None


def _refuse_other_columns(names: set[str], *, path: Path) -> None:
    if "turns" not in names:
        raise FormatError(f"{path}: wanted a column `turns`, not only {', '.join(sorted(names)[:8])}")


def _decoded(row: Fields, *, number: int, path: Path) -> JsonRow | Skipped:
    try:
        return JsonRow(number=number, value=_decode(row))
    except FormatError as error:
        return Skipped(path=str(path), row=number, reason=str(error))


def _encode(value: Any) -> Any:
    if isinstance(value, list):
        return [_encode(held) for held in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    entries = cast("Fields", value)
    return {
        name: json.dumps(held, ensure_ascii=False) if name in _AS_JSON else _encode(held)
        for name, held in entries.items()
    }


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(held) for held in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    entries = cast("Fields", value)
    return {
        name: parse_json(held) if name in _AS_JSON and isinstance(held, str) else _decode(held)
        for name, held in entries.items()
        if held is not None
    }


def _schema() -> Any:
    pa: Any = import_module("pyarrow")
    text, number, real = pa.string(), pa.int64(), pa.float64()
    part = dict.fromkeys(("kind", "text", "language", "name", "url", "media_type", "raw", "metadata"), text)
    turn = {
        "index": number,
        "speaker": text,
        "text": text,
        "parts": pa.list_(pa.struct(part)),
        **dict.fromkeys(("name", "at", "model", "metadata"), text),
    }
    feedback = {
        "by": text,
        "turn": number,
        "until": number,
        "rating": real,
        "scale": pa.list_(real),
        **dict.fromkeys(("label", "thumb", "purpose", "outcome", "description", "answers", "form_version"), text),
        "metadata": text,
    }
    conversation = {
        "format": number,
        "id": text,
        "turns": pa.list_(pa.struct(turn)),
        **dict.fromkeys(("source", "platform", "language", "title", "started_at", "contributor", "origin"), text),
        "completeness": text,
        "completeness_reasons": pa.list_(text),
        "feedback": pa.list_(pa.struct(feedback)),
        "codes": text,
        "metadata": text,
    }
    return pa.schema(conversation)
