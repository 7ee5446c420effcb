"""WildChat (Zhao et al., ICLR 2024): conversations with ChatGPT that people gave for research.

The row's `timestamp` is when the last turn was. How a row is taken, and what is left behind, stands in `chat_logs`.
"""

from userside.conversations.json_rows import first_values
from userside.conversations.readers.chat_logs import has_messages, read_chat_logs
from userside.conversations.readers.protocol import Entries, ReadOptions
from userside.conversations.readers.value_rows import fields_of
from userside.conversations.sources import Head, Source
from userside.conversations.tally import Notes

_IDENTITY = "conversation_hash"


class WildchatReader:
    """Reads text, times, model, language and the flags; addresses, places and browsers stay behind."""

    name = "wildchat"
    about = "WildChat rows: conversation_hash and conversation, JSON or Parquet"
    labels = None

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:  # noqa: ARG002
        """Tell whether one of the first values, or the columns, are WildChat's."""
        if {_IDENTITY, "conversation"}.issubset(head.columns):
            return True
        return any(_IDENTITY in fields_of(value) and has_messages(value) for value in first_values(head))

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:  # noqa: ARG002
        """Yield one conversation a row."""
        return read_chat_logs(source, name=self.name, identity=_IDENTITY, notes=notes)
