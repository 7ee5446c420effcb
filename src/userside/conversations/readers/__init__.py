"""One file a format: each turns a file into conversations and says what it could not read.

A new format is a class with the five members of `Reader`, and a line in `READERS`.
"""

from userside.conversations.readers.csv import CsvReader
from userside.conversations.readers.jsonl import JsonlReader
from userside.conversations.readers.openai import OpenaiReader
from userside.conversations.readers.parquet import ParquetReader
from userside.conversations.readers.protocol import Entries, Reader, ReadOptions
from userside.conversations.readers.uss import UssReader

READERS: dict[str, Reader] = {
    reader.name: reader for reader in (CsvReader(), JsonlReader(), OpenaiReader(), ParquetReader(), UssReader())
}
"""The formats there are, by name."""

__all__ = ["READERS", "Entries", "ReadOptions", "Reader"]
