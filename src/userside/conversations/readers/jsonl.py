"""Our own record: JSON Lines as `write_jsonl` writes them, or a JSON array of the same objects."""

from typing import Any

from userside.conversations.json_rows import Layout, first_values, json_layout, read_json_rows
from userside.conversations.readers.protocol import Entries, ReadOptions, read_each
from userside.conversations.record import Conversation
from userside.conversations.sources import Head, Source, read_head
from userside.conversations.tally import Notes
from userside.conversations.wire import conversation_from_dict


class JsonlReader:
    """Reads what Userside writes; empty turns are kept, since they were written on purpose."""

    name = "jsonl"
    about = "Userside's own record, one conversation a line"
    labels = None

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:  # noqa: ARG002
        """Tell whether the first values hold `turns`, or the record's format number."""
        return any(isinstance(value, dict) and ("turns" in value or "format" in value) for value in first_values(head))

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:  # noqa: ARG002
        """Yield one conversation a line or element."""

        def build(value: Any) -> Conversation:
            return conversation_from_dict(value, notes=notes)

        layout = json_layout(read_head(source).text) or Layout.LINES
        yield from read_each(read_json_rows(source, layout=layout), path=str(source.path), build=build)
