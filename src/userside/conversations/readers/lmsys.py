"""LMSYS-Chat-1M (Zheng et al., ICLR 2024): conversations with many models, names replaced by `NAME_1` and so on.

The tokens stay as they are. Rows of the arena, two conversations with a winner, are another data set and not read.
"""

from userside.conversations.json_rows import first_values
from userside.conversations.readers.chat_logs import has_messages, read_chat_logs
from userside.conversations.readers.protocol import Entries, ReadOptions
from userside.conversations.readers.value_rows import fields_of
from userside.conversations.sources import Head, Source
from userside.conversations.tally import Notes

_IDENTITY = "conversation_id"


class LmsysReader:
    """Reads text, model, language and `redacted`; moderation scores stay behind."""

    name = "lmsys"
    about = "LMSYS-Chat-1M rows: conversation_id and conversation, JSON or Parquet"
    labels = None

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:  # noqa: ARG002
        """Tell whether one of the first values, or the columns, are LMSYS's and not WildChat's."""
        if {_IDENTITY, "conversation"}.issubset(head.columns):
            return "conversation_hash" not in head.columns
        return any(_is_row(value) for value in first_values(head))

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:  # noqa: ARG002
        """Yield one conversation a row."""
        return read_chat_logs(source, name=self.name, identity=_IDENTITY, notes=notes)


def _is_row(value: object) -> bool:
    row = fields_of(value)
    return _IDENTITY in row and "conversation_hash" not in row and has_messages(value)
