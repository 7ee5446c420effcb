"""Exports that come as a folder or a zip: which files in it may hold conversations, in order.

Nothing is ever unpacked to disk: a member of a zip is read where it is, so that a name such as `../../x` leads nowhere.
"""

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

import regex

from userside.errors import FormatError, InputError

ZIP = b"PK\x03\x04"
"""How zips begin that hold anything."""

_ENDINGS = frozenset({".json", ".html"})
_NOT_READ = frozenset({"chat.html"})  # ChatGPT's own viewer, with all conversations in it a second time
_NESTED = 6
_BIG = 100 << 20
_MOST_EXPANSION = 200  # text of an export shrinks to a fifth or a tenth
_WAYS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_IS_ENCRYPTED = 0x1
_NUMBER = regex.compile(r"(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file inside a zip, by the name it has there."""

    archive: Path
    name: str

    @property
    def path(self) -> Path:
        """Return where it seems to be, for people to read; it is no place on the disk."""
        return self.archive / PurePosixPath(self.name.lstrip("/"))

    def open(self) -> BinaryIO:
        """Return its bytes as an open file, which outlives the zip's own handle."""
        with zipfile.ZipFile(self.archive) as archive:
            return cast("BinaryIO", archive.open(self.name))


def is_container(path: Path) -> bool:
    """Tell whether a path is a folder or begins as a zip does."""
    if path.is_dir():
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(ZIP)) == ZIP
    except OSError:
        return False


def list_candidates(path: Path) -> tuple[Path | Member, ...]:
    """Return the files of a folder or zip that may hold conversations, the numbered parts of an export in order.

    Raises:
        InputError: A file in the zip is encrypted, or grows beyond what text does.
        FormatError: The zip is damaged.
    """
    found = list(_in_folder(path)) if path.is_dir() else list(_in_zip(path))
    return tuple(sorted(found, key=lambda file: _by_number(file if isinstance(file, Path) else file.path)))


def _in_folder(folder: Path) -> Iterator[Path]:
    for place, inside, names in folder.walk():  # links to folders are not followed
        inside[:] = (
            [] if len(place.relative_to(folder).parts) >= _NESTED else [name for name in inside if _is_open(name)]
        )
        yield from (place / name for name in names if _may_hold(name))


def _in_zip(path: Path) -> Iterator[Member]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = {held.filename: held for held in archive.infolist()}.values()
    except (zipfile.BadZipFile, OSError) as error:
        raise FormatError(f"{path}: begins as a zip, but cannot be read as one: {error}").with_note(
            "It may have been cut off on its way; get it again."
        ) from None
    for held in members:
        place = PurePosixPath(held.filename)
        if all(map(_is_open, place.parts[:-1])) and _may_hold(place.name):
            _refuse_unsafe(held, path=path)
            yield Member(archive=path, name=held.filename)


def _refuse_unsafe(held: zipfile.ZipInfo, *, path: Path) -> None:
    # `zipfile` gives no more bytes than a member declares, so what it declares can be trusted as a bound.
    where = f"{path}: {held.filename!r}"
    if held.flag_bits & _IS_ENCRYPTED:
        raise InputError(f"{where} is encrypted").with_note("Unpack the zip with its password, then name the folder.")
    if held.compress_type not in _WAYS:
        raise InputError(f"{where} is compressed in a way that is not read here").with_note(
            "Unpack the zip, then name the folder."
        )
    if held.file_size > max(_BIG, _MOST_EXPANSION * held.compress_size):
        sizes = f"{held.compress_size:,} bytes that grow to {held.file_size:,}"
        raise InputError(f"{where}: wanted text, not {sizes}").with_note(
            "If you trust it, unpack it and name the folder."
        )


def _may_hold(name: str) -> bool:
    return _is_open(name) and name.lower() not in _NOT_READ and PurePosixPath(name).suffix.lower() in _ENDINGS


def _is_open(name: str) -> bool:
    return not name.startswith(("._", "__MACOSX")) and (name in {".", ".."} or not name.startswith("."))


def _by_number(path: Path) -> list[tuple[bool, int, str]]:
    """Return a key that puts `conversations-9` before `conversations-10`."""
    pieces = _NUMBER.split(path.as_posix())
    return [(piece.isdecimal(), int(piece) if piece.isdecimal() else 0, piece) for piece in pieces]
