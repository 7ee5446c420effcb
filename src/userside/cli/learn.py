"""`userside learn`: labelled conversations in, a rubric of named items out."""

from pathlib import Path
from typing import Annotated

import typer

from userside.cli import options

Conversations = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="Labelled conversations, in any format `import` reads.", show_default=False),
]
Items = Annotated[int, typer.Option("--items", min=1, max=40, help="Items of each side at most.")]
BatchSize = Annotated[int, typer.Option("--batch-size", min=2, help="Patterns that are summarized at one time.")]
Reasons = Annotated[int, typer.Option("--reasons", min=1, max=10, help="Reasons one conversation gives at most.")]
Train = Annotated[
    float, typer.Option("--train", min=0.0, max=1.0, help="Share of the labelled conversations to learn from.")
]
Least = Annotated[
    int, typer.Option("--least", min=1, help="Satisfied and dissatisfied conversations to learn from, at least.")
]
Folds = Annotated[
    int | None,
    typer.Option(
        "--folds",
        min=0,
        max=20,
        help="Parts that the rubric is learned without by turns, to find the cuts; 0 scores them with the rubric "
        "itself. Default: 5, and 0 for a judge that runs here.",
    ),
]
Select = Annotated[
    bool, typer.Option("--select", help="Ask for twice the items, and keep those that explain the labels best.")
]
Seed = Annotated[int, typer.Option("--seed", help="Draws the conversations and the order of their patterns.")]
Name = Annotated[str, typer.Option("--name", help="The rubric's name.")]
Language = Annotated[
    str, typer.Option("--language", help="The language to write the rubric in; conversations may have any.")
]
Extractor = Annotated[str | None, typer.Option("--extractor", help="Who finds and summarizes reasons, if not --model.")]
Judge = Annotated[str | None, typer.Option("--judge", help="Whom the cuts are fitted for, if not --model.")]
Embedder = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        help="Who tells which words stand behind which item, such as local:all-minilm-l6-v2 or hub:ORG/NAME. "
        "Default: that model where its files are here, else shared words.",
    ),
]


def learn(
    file: Conversations,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    out: options.Out = Path("rubric"),
    labels: options.Labels = None,
    items: Items = 10,
    batch_size: BatchSize = 100,
    reasons: Reasons = 3,
    train: Train = 0.05,
    least: Least = 10,
    folds: Folds = None,
    select: Select = False,
    seed: Seed = 0,
    name: Name = "learned",
    language: Language = "English",
    extractor: Extractor = None,
    judge: Judge = None,
    embedder: Embedder = None,
    concurrency: options.Concurrency = None,
    dry_run: options.DryRun = False,
    max_cost: options.MaxCost = None,
    max_calls: options.MaxCalls = None,
    retry_unscored: Annotated[
        bool, typer.Option("--retry-unscored", help="Ask anew what was answered without a usable value.")
    ] = False,
    copy: Annotated[
        bool, typer.Option("--copy/--no-copy", help="Keep a copy of the training conversations in the run.")
    ] = True,
    prompts: options.Prompts = None,
    format: options.Format = None,  # noqa: A002 - the flag's name
    json: options.Json = False,
) -> None:
    """Learn a rubric from labelled conversations.

    Why was each user satisfied or not, in that user's own words? The reasons are summarized into a few named items,
    each with the words it came from; then the cuts are found that turn scores into labels.

    Example: userside learn chats.jsonl --labels thumb --model openai:gpt-5-mini -o rubric
    """
    from userside.cli import learning_work as work
    from userside.cli.scoring_work import Limits
    from userside.llm import Budget
    from userside.rubrics import LearnSettings

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
    roles = work.choose_roles(
        work.RoleFlags(model=model, extractor=extractor, judge=judge, embedder=embedder, base_url=base_url),
        folder=out,
        concurrency=concurrency,
    )
    job = work.build_learn_job(file, settings, prompts=prompts, format=format, roles=roles)
    if dry_run:
        work.print_learn_estimate(job, roles, json=json)
        return
    limits = Limits(budget=Budget(max_calls=max_calls, max_cost=max_cost), retry_unscored=retry_unscored, copy=copy)
    learned = work.learn_live(job, roles, out, limits=limits)
    work.print_learned(learned, job, out, json=json)
