"""What people see: results go to stdout, everything else to stderr, and strangers' text cannot drive the terminal."""

import json
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from userside.errors import UsersideError

PLAIN_INTERVAL = 10.0
"""Seconds between progress lines where there is no terminal."""


def printable(text: str) -> str:
    r"""Return text without what could move a terminal's cursor, colour it, or reorder what is read.

    >>> printable("red \x1b[31m alert\n")
    'red ␛[31m alert\n'
    """
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character in "\n\t":
        return character
    if ord(character) < 32:  # noqa: PLR2004 - the C0 controls, which have pictures
        return chr(0x2400 + ord(character))
    bidi = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    return "\N{REPLACEMENT CHARACTER}" if 0x7F <= ord(character) < 0xA0 or character in bidi else character  # noqa: PLR2004


def say(text: str = "") -> None:
    """Print a message for a person, to stderr."""
    sys.stderr.write(printable(text) + "\n")


def show(text: str) -> None:
    """Print a result, to stdout."""
    sys.stdout.write(printable(text) + "\n")


def show_json(value: Any) -> None:
    """Print a result for a program, to stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def complain(error: UsersideError) -> None:
    """Print what is wrong, and what to do about it."""
    say(f"userside: {error}")
    for note in getattr(error, "__notes__", ()):
        say(f"  {note}")


@dataclass(slots=True)
class Progress:
    """How far long work is: a bar on a terminal, a line now and then elsewhere."""

    what: str
    total: int
    detail: Callable[[], str]
    done: int = 0
    _started: float = field(default_factory=time.monotonic)
    _last: float = field(default_factory=time.monotonic)
    _live: bool = field(default_factory=lambda: sys.stderr.isatty())  # noqa: PLW0108 - stderr may be replaced later

    def advance(self) -> None:
        """Count one more as done."""
        self.done += 1
        now = time.monotonic()
        if now - self._last >= (0.1 if self._live else PLAIN_INTERVAL):
            self._last = now
            self.draw()

    def draw(self) -> None:
        """Print where things stand."""
        line = f"{self.what}: {self.done} of {self.total}{self._left()}{self.detail()}"
        if self._live:
            sys.stderr.write(f"\r\x1b[2K{line}")
            sys.stderr.flush()
        else:
            say(line)

    def _left(self) -> str:
        if not self.done or self.done >= self.total:
            return ""
        left = (time.monotonic() - self._started) / self.done * (self.total - self.done)
        return f", about {duration(left)} left"

    def finish(self) -> None:
        """Print the last state, on a line of its own."""
        self.draw()
        if self._live:
            sys.stderr.write("\n")


@contextmanager
def progress(what: str, *, total: int, detail: Callable[[], str] = str) -> Generator[Progress]:
    """Show the progress of the work inside."""
    bar = Progress(what, total, detail)
    try:
        yield bar
    finally:
        bar.finish()


def duration(seconds: float) -> str:
    """Return a time as a person says it.

    >>> [duration(s) for s in (0.4, 59, 61, 3700)]
    ['0 s', '59 s', '1 min 1 s', '1 h 1 min']
    """
    whole = round(seconds)
    if whole < 60:  # noqa: PLR2004 - seconds in a minute
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
