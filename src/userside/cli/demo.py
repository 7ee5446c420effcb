"""`userside demo`: the main job on conversations that ship, with a model that runs here."""

from pathlib import Path
from typing import Annotated

import typer

from userside.cli import options

Count = Annotated[int, typer.Option("--conversations", min=1, max=48, help="How many of the 48 to score.")]


def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Where the demo's run goes.")] = Path("demo"),
    model: Annotated[str, typer.Option("--model", help="The judge.")] = "local:qwen2.5-coder-1.5b",
    base_url: options.BaseUrl = None,
    conversations: Count = 24,
) -> None:
    """Show the main job on conversations that ship.

    Looks at 48 conversations, scores some with a small model on this machine, and writes a report. No key and no
    service are needed. Killed, it goes on where it stopped.

    Example: userside demo
    """
    from userside.cli.demo_work import run_demo

    run_demo(out, model=model, base_url=base_url, count=conversations)
