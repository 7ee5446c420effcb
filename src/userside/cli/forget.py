"""`userside forget`: a subject withdraws, and nothing of it stays readable in a run."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from userside.cli import options
from userside.cli.console import say, show, show_json
from userside.errors import RunError


def forget(
    run: options.RunFolder,
    subjects: Annotated[
        list[str],
        typer.Argument(metavar="SUBJECT...", help="Ids of conversations or contributors.", show_default=False),
    ],
    json: options.Json = False,
) -> None:
    """Delete what is about a person from a run.

    Takes ids of conversations or of contributors, whose conversations go with them. For good. Originals outside the
    run are yours to delete.

    Example: userside forget run contributor-7
    """
    from userside.llm import Run
    from userside.llm import forget as forget_in

    with Run.resume(Path(run)) as opened:
        gone = forget_in(opened, [*subjects, *_conversations_of(opened.folder, subjects)])
    if json:
        show_json(asdict(gone))
        return
    show(f"{gone.answers} answers, {gone.rows} rows and {gone.mentions} mentions are deleted.")
    if gone.removed:
        say(f"Removed, because they mix many subjects: {', '.join(gone.removed)}. Make them again from what stays.")


def _conversations_of(run: Path, contributors: list[str]) -> list[str]:
    """Return the conversations of contributors, also where the run has no copy of them that would tell."""
    from userside.rubrics import read_run_conversations

    try:
        return [one.id for one in read_run_conversations(run) if one.contributor in contributors]
    except RunError:
        say("Neither a copy of the conversations nor their file is here: give the ids of conversations, not of people.")
        return []
