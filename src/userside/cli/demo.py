"""`userside demo`: the main job on conversations that ship, with a model that runs here."""

from pathlib import Path
from typing import Annotated

import typer

from userside.cli import options

Count = Annotated[int, typer.Option("--conversations", min=1, max=24, help="How many of 24 to score.")]


def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Where the demo's runs go.")] = Path("demo"),
    model: Annotated[str, typer.Option("--model", help="Learns and judges.")] = "local:qwen2.5-coder-1.5b",
    base_url: options.BaseUrl = None,
    conversations: Count = 24,
    quick: Annotated[
        bool, typer.Option("--quick", help="Learn nothing; score with the built-in rubric `general`.")
    ] = False,
) -> None:
    """Show the main job on conversations that ship.

    Looks at 48 conversations, learns a small rubric from 24 of them with a small model on this machine, scores the
    others with it, and writes a report. No key and no service are needed. Killed, it goes on where it stopped.

    Example: userside demo
    """
    from userside.cli.demo_work import Demo, run_demo

    run_demo(Demo(folder=out, model=model, base_url=base_url, count=conversations, quick=quick))
