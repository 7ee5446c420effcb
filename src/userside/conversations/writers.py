"""Writing conversations: JSON Lines and Parquet, whole or not at all."""

import gzip
import os
import secrets
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from userside.conversations.columns import write_parquet_rows
from userside.conversations.record import Conversation
from userside.conversations.wire import conversation_to_dict, conversation_to_json
from userside.errors import InputError


def write_jsonl(conversations: Iterable[Conversation], path: Path | str) -> int:
    """Write one conversation a line (UTF-8; gzipped where the name ends in `.gz`) and return how many there were.

    The file appears whole or not at all: it is written beside its place and then renamed, so an error in the midst of
    a lazy import leaves an earlier file as it was.

    Raises:
        InputError: The folder is missing, or may not be written to.
    """
    path = Path(path)
    with _replacing(path) as draft, draft.open("wb") as file, _zipped(file, name=path.name) as lines:
        written = 0
        for conversation in conversations:
            lines.write(conversation_to_json(conversation).encode() + b"\n")
            written += 1
    return written


def write_parquet(conversations: Iterable[Conversation], path: Path | str) -> int:
    """Write the record's columns as Parquet and return how many conversations there were.

    `metadata`, `answers`, `codes` and a part's `raw` are JSON text; times are ISO 8601 text. Whole or not at all, as
    `write_jsonl`.

    Raises:
        InputError: The folder is missing, or may not be written to.
    """
    with _replacing(Path(path)) as draft:
        return write_parquet_rows(map(conversation_to_dict, conversations), draft)


@contextmanager
def _zipped(file: BinaryIO, *, name: str) -> Generator[BinaryIO]:
    if not name.lower().endswith(".gz"):
        yield file
        return
    # No time and no name in the header, so that the same conversations give the same bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as zipped:
        yield cast("BinaryIO", zipped)


@contextmanager
def _replacing(path: Path) -> Generator[Path]:
    """Yield a draft beside `path`, which takes its place when the block ends well and else is gone."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        draft.open("xb").close()
        yield draft
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        draft.unlink(missing_ok=True)
