"""Our own columns in Parquet, as `write_parquet` writes them."""

from userside.conversations.columns import read_parquet_rows
from userside.conversations.parquet_head import MAGIC
from userside.conversations.readers.protocol import Entries, ReadOptions, read_each
from userside.conversations.record import Conversation
from userside.conversations.sources import Head, Source
from userside.conversations.tally import Notes
from userside.conversations.wire import conversation_from_dict

_OTHERS = frozenset({"conversation", "conversations", "items"})


class ParquetReader:
    """Reads the record's columns, `metadata`, `answers`, `codes` and `raw` from JSON strings."""

    name = "parquet"
    about = "Userside's own record as Parquet columns"
    labels = None

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:  # noqa: ARG002
        """Tell whether the file begins as Parquet files do, and its columns are not another format's."""
        return head.magic.startswith(MAGIC) and ("turns" in head.columns or _OTHERS.isdisjoint(head.columns))

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:  # noqa: ARG002
        """Yield one conversation a row."""

        def build(value: object) -> Conversation:
            return conversation_from_dict(value, source="parquet", notes=notes)

        yield from read_each(read_parquet_rows(source.path), path=str(source.path), build=build)
