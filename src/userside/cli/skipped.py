"""Rows that could not be read: said after the work, or as the reason why there is none."""

from collections.abc import Sequence
from pathlib import Path

from userside.cli.console import say
from userside.conversations import Tally
from userside.errors import InputError

SHOWN_ROWS = 10


def say_skipped(tally: Tally) -> None:
    """Print the first rows that were skipped, each with its reason, and how many more there are."""
    for one in tally.skipped[:SHOWN_ROWS]:
        say(f"  {one.path}:{one.row}: skipped: {one.reason}")
    if len(tally.skipped) > SHOWN_ROWS:
        say(f"  … and {len(tally.skipped) - SHOWN_ROWS} more rows were skipped.")


def nothing_read(paths: Sequence[Path], tally: Tally) -> InputError:
    """Return the error of files without a single conversation, with the first reasons."""
    names = ", ".join(str(path) for path in paths)
    error = InputError(f"{names}: wanted conversations, and not one could be read")
    for one in tally.skipped[:SHOWN_ROWS]:
        error.add_note(f"{one.path}:{one.row}: {one.reason}")
    return error
