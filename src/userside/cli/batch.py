"""`userside batch`: the same work, answered elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from userside.cli import options
from userside.cli.score import AnsweredOnly, Conversations, Cut, Elicit, Items, Rubric

Responses = Annotated[
    list[Path], typer.Argument(metavar="RESPONSES...", help="Output and error files, any order.", show_default=False)
]
batch = typer.Typer(help="Have the work answered elsewhere.", rich_markup_mode=None)
start = typer.Typer(help="Begin a run whose questions are answered elsewhere.", rich_markup_mode=None)
batch.add_typer(start, name="start")


@start.command(name="score")
def start_score(
    file: Conversations,
    rubric: Rubric = "builtin:general",
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    out: options.Out = Path("scores"),
    labels: Cut = None,
    elicit: Elicit = None,
    items_per_call: Items = 20,
    answered_only: AnsweredOnly = False,
    prompts: options.Prompts = None,
    format: options.Format = None,  # noqa: A002 - the flag's name
    json: options.Json = False,
) -> None:
    """Begin a scoring run; `batch export` then writes its questions.

    Example: userside batch start score chats.jsonl --rubric builtin:general --model openai:gpt-5-mini -o run
    """
    from userside.cli import batch_work
    from userside.cli.scoring_work import ScoreFlags, build_job, choose_model

    flags = ScoreFlags(
        file=file,
        rubric=rubric,
        prompts=prompts,
        format=format,
        labels=labels,
        elicit=elicit,
        items_per_call=items_per_call,
        answered_only=answered_only,
    )
    batch_work.start_score(build_job(flags), choose_model(model, base_url), out, json=json)


@batch.command(name="export")
def export(
    run: options.RunFolder,
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the requests.", show_default=False)],
) -> None:
    """Write every question that waits, one a line, in OpenAI's batch layout.

    Example: userside batch export run -o requests.jsonl
    """
    from userside.cli import batch_work

    batch_work.export(run, out)


@batch.command(name="import")
def import_(
    run: options.RunFolder,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="RESPONSES...", help="Output and error files, any order.", show_default=False),
    ],
    json: options.Json = False,
) -> None:
    """Take in answers, and go on with the work until it waits again or is done.

    Example: userside batch import run responses.jsonl
    """
    from userside.cli import batch_work

    batch_work.take_in(run, files, json=json)
