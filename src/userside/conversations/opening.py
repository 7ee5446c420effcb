"""What a path stands for: one file, or an export in a folder or zip; and which reader takes each file."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from userside.conversations.containers import Member, is_container, list_candidates
from userside.conversations.readers import EXPORTS, READERS, Reader, ReadOptions
from userside.conversations.sources import Source, open_source, read_head
from userside.conversations.tally import Skipped
from userside.errors import FormatError, InputError

_SHOWN = 5
_CONVERSATIONS = "conversations"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A file and the reader that takes it."""

    source: Source
    reader: Reader


def open_path(path: Path | str, *, format: str | None, options: ReadOptions) -> tuple[Opened | Skipped, ...]:  # noqa: A002
    """Return the files that a path stands for, in the order in which they are read.

    A file is itself. Of a folder or zip the files are taken that an export's reader recognises; accounts, settings
    and pictures beside them are passed over, but a `conversations…` that no reader recognises is said to be skipped.

    Args:
        path: A file, a folder or a zip.
        format: A reader's name; None finds it from the content.
        options: What the user said of the file.

    Raises:
        InputError: A file is missing or cannot be opened.
        FormatError: No reader recognises a file, or several do; there is none of that name; or a folder or zip holds
            no export.
    """
    if format is not None and format not in READERS:
        raise FormatError(f"no format is called {format!r}; there are: {', '.join(READERS)}")
    path = Path(path)
    if is_container(path):
        return tuple(_open_export(path, format=format, options=options))
    source = open_source(path)
    reader = READERS[format] if format is not None else _find_reader(source, options=options)
    return (Opened(source=source, reader=reader),)


def _find_reader(source: Source, *, options: ReadOptions) -> Reader:
    head = read_head(source)
    found = [reader for reader in READERS.values() if reader.recognises(head, options=options)]
    if len(found) == 1:
        return found[0]
    tried, names = ", ".join(READERS), " or ".join(reader.name for reader in found)
    problem = f"could be {names}" if found else f"is in no format that is known here (tried: {tried})"
    listed = "; ".join(f"{reader.name}: {reader.about}" for reader in READERS.values())
    raise FormatError(f"{source.path}: {problem}").with_note(f"Say which with --format. There are: {listed}.")


def _open_export(path: Path, *, format: str | None, options: ReadOptions) -> Iterator[Opened | Skipped]:  # noqa: A002
    if format not in {None, *EXPORTS}:
        raise FormatError(f"{path}: wanted a file, since {format} is read from files only").with_note(
            "Name the files inside it."
        )
    wanted = EXPORTS if format is None else (format,)
    candidates = list_candidates(path)
    entries = [_take(file, wanted=wanted, options=options) for file in candidates]
    if not any(isinstance(entry, Opened) for entry in entries):
        raise _nothing(path, candidates=candidates, wanted=wanted, entries=entries)
    yield from filter(None, entries)


def _take(file: Path | Member, *, wanted: tuple[str, ...], options: ReadOptions) -> Opened | Skipped | None:
    """Return the file with the reader that recognises it, or None where it is something beside the conversations."""
    path = file if isinstance(file, Path) else file.path
    try:
        source = open_source(file)
        head = read_head(source)
    except InputError as error:
        reason = str(error).removeprefix(f"{path}: ")
        return Skipped(path=str(path), row=1, reason=reason) if path.name.startswith(_CONVERSATIONS) else None
    found = [READERS[name] for name in wanted if READERS[name].recognises(head, options=options)]
    if len(found) == 1:
        return Opened(source=source, reader=found[0])
    if found or path.name.startswith(_CONVERSATIONS):
        known = ", ".join(wanted)
        return Skipped(
            path=str(path), row=1, reason=f"wanted conversations of one format, not something else ({known})"
        )
    return None


def _nothing(
    path: Path,
    *,
    candidates: tuple[Path | Member, ...],
    wanted: tuple[str, ...],
    entries: list[Opened | Skipped | None],
) -> FormatError:
    names = [file.name for file in candidates]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    came = f"{', '.join(map(repr, names[:_SHOWN]))}{more}" if names else "no .json or .html file"
    error = FormatError(f"{path}: wanted an export ({', '.join(wanted)}), found {came}").with_note(
        "Name the export as it was downloaded or unpacked; of other formats name the files themselves."
    )
    for entry in entries[:_SHOWN]:
        if isinstance(entry, Skipped):
            error.add_note(str(entry))
    return error
