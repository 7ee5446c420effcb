"""Reading files of conversations: formats are found from content, and a bad row never ends an import."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from userside.conversations.labels import LabelRule, derive_label, find_rule
from userside.conversations.readers import READERS, Entries, Reader, ReadOptions
from userside.conversations.record import Conversation
from userside.conversations.sources import UNREADABLE, Source, open_source, read_head
from userside.conversations.tally import Note, Skipped, Tally
from userside.errors import FormatError

type Paths = Path | str | Sequence[Path | str]
type Opened = tuple[Source, Reader]


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
    """Return the conversations of one or several files, read as they are asked for.

    Files are opened and their formats found at once, rows are read lazily. An id that occurred before gets `-2`, `-3`
    and so on: nothing is dropped for it, and the tally counts it.

    Args:
        paths: A file or several, plain or gzipped.
        format: A reader's name; None finds it from the content.
        labels: A label rule or its name; None takes the format's own (`uss` for USS, none for others); `none` for none.
        columns: For `csv`: our name of a column to the file's, such as `{"text": "Message"}`.
        scale: Lowest and highest rating, where the file does not say.

    Raises:
        InputError: A file is missing or cannot be opened.
        FormatError: No reader recognises a file, or several do; or there is none of that name.
        LabelError: There is no such rule.
    """
    options = ReadOptions(columns=columns or {}, scale=scale)
    files = [paths] if isinstance(paths, Path | str) else list(paths)
    # Columns are named for tables only, and then a column that is missing is the error to hear of.
    format = "csv" if columns and format is None else format  # noqa: A001
    opened = [_open(file, format=format, options=options) for file in files]
    rule = find_rule(labels, scale=scale) if isinstance(labels, str) and labels != "none" else labels
    tally = Tally(formats={str(source.path): reader.name for source, reader in opened})
    entries = [reader.read(source, options=options, notes=tally.notes) for source, reader in opened]
    labelled = (
        _labelled(conversation, rule=rule or reader.labels)
        for (source, reader), held in zip(opened, entries, strict=True)
        for conversation in _taken(held, source=source, tally=tally)
    )
    return ImportResult(_counted(labelled, tally=tally), tally=tally)


def _open(path: Path | str, *, format: str | None, options: ReadOptions) -> Opened:  # noqa: A002
    if format is not None and format not in READERS:
        raise FormatError(f"no format is called {format!r}; there are: {', '.join(READERS)}")
    source = open_source(path)
    head = read_head(source)
    if format is not None:
        return source, READERS[format]
    found = [reader for reader in READERS.values() if reader.recognises(head, options=options)]
    if len(found) == 1:
        return source, found[0]
    raise _undecided(source, found=[reader.name for reader in found])


def _undecided(source: Source, *, found: list[str]) -> FormatError:
    tried = ", ".join(READERS)
    problem = f"could be {' or '.join(found)}" if found else f"is in no format that is known here (tried: {tried})"
    listed = "; ".join(f"{reader.name}: {reader.about}" for reader in READERS.values())
    return FormatError(f"{source.path}: {problem}").with_note(f"Say which with --format. There are: {listed}.")


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
