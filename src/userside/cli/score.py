"""`userside score`: conversations, a rubric and a judge in; a score for each conversation out."""

from pathlib import Path
from typing import Annotated

import typer

from userside.cli import options

Items = Annotated[
    int, typer.Option("--items-per-call", min=1, max=40, help="Items in one call; small judges do better with fewer.")
]
Elicit = Annotated[
    str | None, typer.Option("--elicit", help="schema, text or tokens; by default what the model can do.")
]
Rubric = Annotated[
    str, typer.Option("--rubric", help="builtin:general, builtin:booking, a rubric.json or a `learn` run.")
]
Conversations = Annotated[
    Path, typer.Argument(metavar="FILE", help="Conversations, in any format `import` reads.", show_default=False)
]
Cut = Annotated[str | None, typer.Option("--labels", help="Show the judge each conversation up to this label's end.")]
ZeroShot = Annotated[
    bool, typer.Option("--zero-shot", help="Ask the judge outright as well, to compare; one call more each.")
]
AnsweredOnly = Annotated[
    bool, typer.Option("--answered-only", help="Compute R over the answered items where some are missing.")
]


def score(
    file: Conversations,
    rubric: Rubric = "builtin:general",
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    out: options.Out = Path("scores"),
    concurrency: options.Concurrency = None,
    dry_run: options.DryRun = False,
    max_cost: options.MaxCost = None,
    max_calls: options.MaxCalls = None,
    labels: Cut = None,
    elicit: Elicit = None,
    items_per_call: Items = 20,
    answered_only: AnsweredOnly = False,
    zero_shot: ZeroShot = False,
    retry_unscored: Annotated[
        bool, typer.Option("--retry-unscored", help="Ask anew what was answered without a usable value.")
    ] = False,
    copy: Annotated[bool, typer.Option("--copy/--no-copy", help="Keep a copy of the conversations in the run.")] = True,
    prompts: options.Prompts = None,
    format: options.Format = None,  # noqa: A002 - the flag's name
    json: options.Json = False,
) -> None:
    """Score conversations with a rubric.

    A judge says of every item whether it applies; R is what speaks for satisfaction less what speaks against it.

    Example: userside score chats.jsonl --rubric builtin:booking --model local:qwen2.5-coder-1.5b -o run
    """
    from userside.cli import scoring_work as work
    from userside.llm import Budget

    choice = work.choose_model(model, base_url, concurrency=concurrency)
    flags = work.ScoreFlags(
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
    job = work.build_job(flags)
    if dry_run:
        work.print_estimate(job, work.estimate(job, choice, out), json=json)
        return
    limits = work.Limits(
        budget=Budget(max_calls=max_calls, max_cost=max_cost), retry_unscored=retry_unscored, copy=copy
    )
    scores = work.score_live(job, choice, out, limits=limits)
    work.print_outcome(scores, out, json=json)
