"""Reading a file for `look`, and printing what is in it."""

from pathlib import Path
from shutil import get_terminal_size

import typer

from userside.cli.console import say, show, show_json
from userside.conversations import Tally, read_conversations
from userside.errors import InputError
from userside.rubrics import look_at, render_look

SHOWN_ROWS = 10
WIDEST = 100


def print_look(file: Path, *, format: str | None, labels: str | None, json: bool) -> None:  # noqa: A002
    """Print what is in a file; exit with 1 when a row of it could not be read.

    Raises:
        InputError: The file is missing, of no known format, or holds no conversation.
        LabelError: There are no labels of that name.
    """
    result = read_conversations(file, format=format)
    conversations = result.conversations()
    if not conversations:
        error = InputError(f"{file}: wanted conversations, and not one could be read")
        for row in result.tally.skipped[:SHOWN_ROWS]:
            error.add_note(str(row))
        raise error
    seen = look_at(conversations, labels=labels)
    if json:
        show_json(seen.as_json())
    else:
        show(render_look(seen, width=min(WIDEST, get_terminal_size().columns)).rstrip("\n"))
    _say_skipped(result.tally)


def _say_skipped(tally: Tally) -> None:
    for note, count in tally.notes.items():
        say(f"  {count} × {note}")
    for row in tally.skipped[:SHOWN_ROWS]:
        say(f"  {row.path}:{row.row}: skipped: {row.reason}")
    if len(tally.skipped) > SHOWN_ROWS:
        say(f"  … and {len(tally.skipped) - SHOWN_ROWS} more rows were skipped.")
    if tally.skipped:
        raise typer.Exit(1)
