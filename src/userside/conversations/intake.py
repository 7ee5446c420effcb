"""Reading files of conversations: formats are found from content, and a bad row never ends an import."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from userside.conversations.labels import LabelRule, derive_label, find_rule
from userside.conversations.opening import Opened, open_path
from userside.conversations.readers import Entries, ReadOptions
from userside.conversations.record import Conversation
from userside.conversations.sources import UNREADABLE, Source
from userside.conversations.tally import Note, Skipped, Tally

type Paths = Path | str | Sequence[Path | str]


class ImportResult:
    """Conversations as they are read, and a tally of how that went.

    It can be read once. The tally is complete when the last conversation was taken.
    """

    def __init__(self, conversations: Iterator[Conversation], *, tally: Tally) -> None:
        self._conversations = conversations
        self.tally = tally

    def __iter__(self) -> Iterator[Conversation]:
        """Return the iterator over the conversations; it can be used once."""
        return self._conversations

    def conversations(self) -> tuple[Conversation, ...]:
        """Return all conversations that have not been read yet, in order."""
        return tuple(self._conversations)


def read_conversations(
    paths: Paths,
    *,
    format: str | None = None,  # noqa: A002  (the flag's name)
    labels: LabelRule | str | None = None,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
) -> ImportResult:
    """Return the conversations of one or several files or exports, read as they are asked for.

    Files are opened and their formats found at once, rows are read lazily. An id that occurred before gets `-2`, `-3`
    and so on: nothing is dropped for it, and the tally counts it.

    Args:
        paths: One or several: a file, plain or gzipped; or an export as a folder or zip.
        format: A reader's name; None finds it from the content.
        labels: A label rule or its name; None takes the format's own (`uss` for USS, none for others); `none` for none.
        columns: For `csv`: our name of a column to the file's, such as `{"text": "Message"}`.
        scale: Lowest and highest rating, where the file does not say.

    Raises:
        InputError: A file is missing or cannot be opened.
        FormatError: No reader recognises a file, or several do; there is none of that name; or a folder or zip holds
            no export.
        LabelError: There is no such rule.
    """
    options = ReadOptions(columns=columns or {}, scale=scale)
    files = [paths] if isinstance(paths, Path | str) else list(paths)
    # Columns are named for tables only, and then a column that is missing is the error to hear of.
    format = "csv" if columns and format is None else format  # noqa: A001
    found = [one for file in files for one in open_path(file, format=format, options=options)]
    opened = [one for one in found if isinstance(one, Opened)]
    rule = find_rule(labels, scale=scale) if isinstance(labels, str) and labels != "none" else labels
    tally = Tally(
        skipped=[one for one in found if isinstance(one, Skipped)],
        formats={str(file.source.path): file.reader.name for file in opened},
    )
    entries = [file.reader.read(file.source, options=options, notes=tally.notes) for file in opened]
    labelled = (
        _labelled(conversation, rule=rule or file.reader.labels)
        for file, held in zip(opened, entries, strict=True)
        for conversation in _taken(held, source=file.source, tally=tally)
    )
    return ImportResult(_counted(labelled, tally=tally), tally=tally)


def _taken(entries: Entries, *, source: Source, tally: Tally) -> Iterator[Conversation]:
    """Yield the conversations among the entries, and turn a file that breaks off into one more skipped row."""
    if source.note:
        tally.notes[source.note] += 1
    row = 0
    try:
        for entry in entries:
            row += 1
            if isinstance(entry, Skipped):
                tally.skipped.append(entry)
            else:
                yield entry
    except UNREADABLE as error:
        reason = f"the file is damaged from here on: {error}"
        tally.skipped.append(Skipped(path=str(source.path), row=row + 1, reason=reason))


def _labelled(conversation: Conversation, *, rule: LabelRule | str | None) -> Conversation:
    if rule is None or rule == "none":
        return conversation
    return derive_label(conversation, rule=rule)


def _counted(conversations: Iterator[Conversation], *, tally: Tally) -> Iterator[Conversation]:
    last: dict[str, int] = {}
    for conversation in conversations:
        tally.taken += 1
        if conversation.id not in last:
            last[conversation.id] = 1
            yield conversation
            continue
        tally.notes[Note.ID_AGAIN] += 1
        unique = _unique(conversation.id, last=last)
        last[unique] = 1
        yield replace(conversation, id=unique)


def _unique(id: str, *, last: dict[str, int]) -> str:  # noqa: A002
    while True:
        last[id] += 1
        unique = f"{id}-{last[id]}"
        if unique not in last:
            return unique
