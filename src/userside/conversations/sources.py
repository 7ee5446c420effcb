"""Opening a file of unknown encoding, plain, gzipped or inside a zip, and looking at its beginning."""

import codecs
import gzip
import io
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from userside.conversations.containers import Member
from userside.conversations.parquet_head import MAGIC, column_names
from userside.errors import FormatError, InputError

UNREADABLE = (OSError, EOFError, zlib.error, zipfile.BadZipFile, UnicodeError)
"""What a damaged file raises while it is read."""

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20
_HEAD = 1 << 16
_LONGEST_LINE = 1 << 20
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that can be opened again and again.

    Attributes:
        path: Where it is; for a member of a zip only a name for people.
        compressed: It is gzipped.
        encoding: How its text is read; None where it is no text.
        note: A sentence where the encoding had to be guessed, or the text is damaged.
        member: The file inside a zip that it is.
    """

    path: Path
    compressed: bool
    encoding: str | None
    note: str | None = None
    member: Member | None = None

    @property
    def stem(self) -> str:
        """Return the file's name without its endings `.gz` and `.txt` or the like."""
        path = self.path.with_suffix("") if self.compressed and self.path.suffix.lower() == ".gz" else self.path
        return path.stem

    def binary(self) -> BinaryIO:
        """Return the bytes as an open file, decompressed."""
        return _open(self.member or self.path, compressed=self.compressed)

    def text(self, *, newline: str | None = None) -> IO[str]:
        """Return the text as an open file; bytes that are no text of its encoding become U+FFFD."""
        return io.TextIOWrapper(self.binary(), encoding=self.encoding, errors="replace", newline=newline)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The beginning of a file, as far as formats are recognised from it.

    Attributes:
        magic: The first bytes.
        text: At least the first 65,536 characters, up to the end of a line; empty where the file is no text.
        columns: The names of its columns where it is Parquet.
    """

    magic: bytes
    text: str
    columns: tuple[str, ...] = ()


def open_source(file: Path | str | Member) -> Source:
    """Return a file as a source, with its compression and encoding found out from its bytes.

    UTF-8 with or without byte order mark, UTF-16 and UTF-32 are certain. A file that is mostly UTF-8 is read as
    such, its odd bytes as U+FFFD; anything else is guessed by charset-normalizer. Both say so in the note.

    Args:
        file: Its path, or the member of a zip that it is.

    Raises:
        InputError: The file is missing, is a folder, or cannot be opened.
    """
    file = file if isinstance(file, Member) else Path(file)
    path = file.path if isinstance(file, Member) else file
    try:
        with _open(file, compressed=False) as opened:
            # A zip's members are compressed already; gzip inside one would have no bound on what it grows to.
            compressed = isinstance(file, Path) and opened.read(len(_GZIP)) == _GZIP
        encoding, note = _encoding(file, compressed=compressed)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: wanted a file, not a folder").with_note("Name the files inside it.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be opened: {error.strerror or error}") from None
    except zipfile.BadZipFile as error:
        raise InputError(f"{path}: cannot be opened: {error}") from None
    member = file if isinstance(file, Member) else None
    return Source(path=path, compressed=compressed, encoding=encoding, note=note, member=member)


def read_head(source: Source) -> Head:
    """Return the beginning of a source.

    Raises:
        FormatError: The file is empty, or damaged from its beginning.
    """
    try:
        with source.binary() as file:
            magic = file.read(16)
        if source.encoding is None:
            is_parquet = magic.startswith(MAGIC) and source.member is None
            return Head(magic=magic, text="", columns=column_names(source.path) if is_parquet else ())
        with source.text() as file:
            text = file.read(_HEAD) + file.readline(_LONGEST_LINE)
    except UNREADABLE as error:
        raise FormatError(f"{source.path}: cannot be read: {error}") from None
    if not text.strip():
        raise FormatError(f"{source.path}: is empty")
    return Head(magic=magic, text=text)


def _open(file: Path | Member, *, compressed: bool) -> BinaryIO:
    if isinstance(file, Member):
        return file.open()
    return cast("BinaryIO", gzip.open(file, "rb") if compressed else file.open("rb"))


def _encoding(file: Path | Member, *, compressed: bool) -> tuple[str | None, str | None]:
    with _open(file, compressed=compressed) as opened:
        head = _next_chunk(opened)
    for mark, encoding in _BOMS.items():
        if head.startswith(mark):
            return encoding, None
    if b"\0" in head[:_HEAD]:
        return _wide_encoding(head[:_HEAD]), None
    name = Path(file.name).name
    with _open(file, compressed=compressed) as opened:
        odd_place = _first_odd_place(opened)
    if odd_place is None:
        return "utf-8", None
    if _is_mostly_utf8(odd_place):
        return "utf-8", f"{name}: not all of it is UTF-8; the odd bytes became U+FFFD"
    guess = _guess(odd_place)
    return guess, f"{name}: not UTF-8; read as {guess}, a guess"


def _wide_encoding(head: bytes) -> str | None:
    """Return UTF-16 without its mark where every other byte is mostly zero, None for what is no text."""
    pairs = max(1, len(head) // 2)
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if head[offset::2].count(0) > pairs * 0.4 and head[1 - offset :: 2].count(0) < pairs * 0.02:
            return encoding
    return None


def _first_odd_place(file: BinaryIO) -> bytes | None:
    """Return the bytes around the first that are not UTF-8, None where all are."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    while True:
        chunk = _next_chunk(file)
        try:
            decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            return error.object[max(0, error.start - _HEAD // 2) : error.start + _HEAD // 2]
        if not chunk:
            return None


def _is_mostly_utf8(sample: bytes) -> bool:
    text = sample.decode("utf-8", errors="replace")
    odd = text.count("\N{REPLACEMENT CHARACTER}")
    return sum(character > "\x7f" for character in text) > 2 * odd


def _next_chunk(file: BinaryIO) -> bytes:
    try:
        return file.read(_CHUNK)
    except UNREADABLE:
        return b""


def _guess(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    return best.encoding if best is not None else "cp1252"
