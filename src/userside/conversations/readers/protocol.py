"""What every reader of a format offers."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from userside.conversations.json_rows import JsonRow
from userside.conversations.record import Conversation
from userside.conversations.sources import Head, Source
from userside.conversations.tally import Notes, Skipped
from userside.errors import FormatError

type Entries = Iterator[Conversation | Skipped]
"""What a reader yields: conversations, and rows it could not take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What a user can tell a reader about a file.

    Attributes:
        columns: Our name of a column to the file's own, for tables.
        scale: Lowest and highest rating, where the file does not say.
    """

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    scale: tuple[float, float] | None = None


class Reader(Protocol):
    """A format that conversations come in."""

    @property
    def name(self) -> str:
        """Return what `--format` calls it."""
        ...

    @property
    def about(self) -> str:
        """Return one line for a list of formats."""
        ...

    @property
    def labels(self) -> str | None:
        """Return the label rule applied unless another is named; None for none."""
        ...

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:
        """Tell whether a file that begins so is in this format; the file's name plays no part."""
        ...

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:
        """Return an iterator over what a file holds; it counts in `notes` what was mended.

        Raises:
            FormatError: The file as a whole cannot be read, such as a table without a column of text.
        """
        ...


def read_each(rows: Iterable[JsonRow | Skipped], *, path: str, build: Callable[[Any], Conversation]) -> Entries:
    """Yield one conversation a row, and for each row that `build` refuses the reason."""
    for row in rows:
        if isinstance(row, Skipped):
            yield row
            continue
        try:
            yield build(row.value)
        except FormatError as error:
            yield Skipped(path=path, row=row.number, reason=str(error))
