"""Reading a file for `look`, and printing what is in it."""

from pathlib import Path
from shutil import get_terminal_size

import typer

from userside.cli.console import say, show, show_json
from userside.cli.skipped import nothing_read, say_skipped
from userside.conversations import read_conversations
from userside.rubrics import look_at, render_look

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
        raise nothing_read([file], result.tally)
    seen = look_at(conversations, labels=labels)
    if json:
        show_json(seen.as_json())
    else:
        show(render_look(seen, width=min(WIDEST, get_terminal_size().columns)).rstrip("\n"))
    for note, count in result.tally.notes.items():
        say(f"  {count} × {note}")
    say_skipped(result.tally)
    if result.tally.skipped:
        raise typer.Exit(1)
