"""`userside prompts`: the wording that models are asked with, to read and to replace."""

from pathlib import Path
from typing import Annotated

import typer

from userside.cli import options
from userside.cli.console import say, show, show_json

prompts = typer.Typer(help="Read and replace the wording.", rich_markup_mode=None)
PACKAGES = ("userside.rubrics",)


@prompts.command(name="list")
def list_prompts(json: options.Json = False) -> None:
    """List every prompt with the blanks it has.

    Example: userside prompts list
    """
    from userside.llm import read_prompts

    sets = [read_prompts(package) for package in PACKAGES]
    rows = [
        {"set": one.name, "name": name, "fingerprint": prompt.fingerprint, "blanks": list(prompt.blanks),
         "validated": one.validated}
        for one in sets for name, prompt in sorted(one.prompts.items())
    ]  # fmt: skip
    if json:
        show_json(rows)
        return
    for row in rows:
        show(f"{row['set']}/{row['name']:<22} {row['fingerprint']}  blanks: {', '.join(row['blanks']) or 'none'}")
    for one in sets:
        say(f"{one.name}: {one.validated}.")


@prompts.command(name="export")
def export_prompts(folder: Annotated[Path, typer.Argument(metavar="DIR", show_default=False)]) -> None:
    """Write every prompt as a file to edit; `--prompts DIR` uses them.

    Example: userside prompts export my-prompts
    """
    from userside.llm import read_prompts, write_prompts

    for package in PACKAGES:
        for path in write_prompts(read_prompts(package), folder):
            show(str(path))
    say(f"Edit them, keep their blanks, and say --prompts {folder}.")
