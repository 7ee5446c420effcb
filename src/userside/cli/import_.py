"""`userside import`: files in any format in, conversations in one format out."""

from pathlib import Path
from typing import Annotated

import typer

from userside.cli import options

Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="PATH...",
        help="One or more files; exports of ChatGPT, Claude or Gemini as a folder or zip too.",
        show_default=False,
    ),
]
Rule = Annotated[
    str | None,
    typer.Option("--labels", help="Derive labels: rating, thumb, label, uss, overall, outcome; or none."),
]
Columns = Annotated[
    list[str] | None, typer.Option("--column", help="For CSV, OUR=THEIRS, such as text=Message; may be repeated.")
]
Scale = Annotated[str | None, typer.Option("--scale", help="Lowest and highest rating, such as 1-5, where unsaid.")]


def import_(
    paths: Paths,
    out: Annotated[Path, typer.Option("-o", "--out", help="A .jsonl, .jsonl.gz or .parquet file.", show_default=False)],
    format: options.Format = None,  # noqa: A002 - the flag's name
    labels: Rule = None,
    column: Columns = None,
    scale: Scale = None,
    redact: Annotated[bool, typer.Option("--redact", help="Replace e-mails, numbers, keys by pseudonyms.")] = False,
    json: options.Json = False,
) -> None:
    """Read files of conversations into one.

    The format of each is found from its content; what could not be read is said row by row.

    Example: userside import MWOZ.txt -o mwoz.jsonl
    """
    from userside.cli import importing

    flags = importing.ImportFlags(
        paths=tuple(paths),
        out=out,
        format=format,
        labels=labels,
        columns=importing.read_columns(column or []),
        scale=importing.read_scale(scale),
        redact=redact,
    )
    importing.print_import(importing.import_files(flags), json=json)
