"""`userside batch`: the same work, answered elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from userside.cli import learn as learn_options
from userside.cli import options
from userside.cli.score import AnsweredOnly, Conversations, Cut, Elicit, Items, Rubric, ZeroShot

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
    zero_shot: ZeroShot = False,
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
        zero_shot=zero_shot,
    )
    batch_work.start_score(build_job(flags), choose_model(model, base_url), out, json=json)


@start.command(name="learn")
def start_learn(
    file: learn_options.Conversations,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    out: options.Out = Path("rubric"),
    labels: options.Labels = None,
    items: learn_options.Items = 10,
    batch_size: learn_options.BatchSize = 100,
    reasons: learn_options.Reasons = 3,
    train: learn_options.Train = 0.05,
    least: learn_options.Least = 10,
    folds: learn_options.Folds = None,
    select: learn_options.Select = False,
    seed: learn_options.Seed = 0,
    name: learn_options.Name = "learned",
    language: learn_options.Language = "English",
    extractor: learn_options.Extractor = None,
    judge: learn_options.Judge = None,
    embedder: learn_options.Embedder = None,
    prompts: options.Prompts = None,
    format: options.Format = None,  # noqa: A002 - the flag's name
    json: options.Json = False,
) -> None:
    """Begin a learning run; its questions come stage by stage, each after the answers to the one before.

    Example: userside batch start learn chats.jsonl --model openai:gpt-5-mini -o rubric
    """
    from userside.cli import batch_work, learning_work
    from userside.rubrics import LearnSettings

    flags = learning_work.RoleFlags(model=model, extractor=extractor, judge=judge, embedder=embedder, base_url=base_url)
    roles = learning_work.choose_roles(flags, folder=out)
    settings = LearnSettings(
        name=name,
        labels=labels or "",
        items=items,
        batch_size=batch_size,
        reasons=reasons,
        share=train,
        least=least,
        seed=seed,
        language=language,
        folds=folds,
        select=select,
    )
    job = learning_work.build_learn_job(file, settings, prompts=prompts, format=format, roles=roles)
    batch_work.start_learn(job, roles, out, json=json)


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
