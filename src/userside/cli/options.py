"""Options that several commands share, each described once."""

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for programs.")]
Out = Annotated[Path, typer.Option("-o", "--out", help="The run's folder; the same command on it goes on.")]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="PROVIDER:NAME, such as local:qwen2.5-coder-1.5b or openai:gpt-5-mini. "
        "Default: USERSIDE_JUDGE, or `judge` under [models] in userside.toml.",
    ),
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", help="Address of any server that speaks OpenAI's language (vLLM, …).")
]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", min=1, max=1024, help="Most calls at one time; falls by itself on 429.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be asked and what it would cost; ask nothing.")]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", min=0, help="Stop before so many US dollars, resumptions included."),
]
MaxCalls = Annotated[
    int | None, typer.Option("--max-calls", min=0, help="Stop after so many calls, resumptions included.")
]
Prompts = Annotated[
    Path | None, typer.Option("--prompts", help="Folder with prompts of your own (see `userside prompts export`).")
]
Format = Annotated[str | None, typer.Option("--format", help="The file's format; found from its content by default.")]
Labels = Annotated[str | None, typer.Option("--labels", help="Which label to use where there are several.")]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.", show_default=False)]
