"""`userside look`: what is in a file of conversations, without a model."""

from pathlib import Path
from typing import Annotated

import typer

from userside.cli import options

File = Annotated[Path, typer.Argument(metavar="FILE", help="A file of conversations.", show_default=False)]


def look(
    file: File,
    format: options.Format = None,  # noqa: A002 - the flag's name
    labels: options.Labels = None,
    json: options.Json = False,
) -> None:
    """Tell what is in a file, without a model.

    Thanks, complaints, corrections, repetition and other signals are counted, and held against labels where there are
    any. A signal is a hint, not a verdict.

    Example: userside look conversations.jsonl
    """
    from userside.cli.looking import print_look

    print_look(file, format=format, labels=labels, json=json)
