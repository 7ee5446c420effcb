"""`userside report`: one HTML file on a run of `score` or `learn`."""

from pathlib import Path
from typing import Annotated

import typer

from userside.cli import options

Html = Annotated[Path | None, typer.Option("-o", "--out", help="The HTML file. Default: RUN/report.html.")]
Open = Annotated[bool, typer.Option("--open", help="Open it in a browser.")]


def report(
    run: options.RunFolder,
    out: Html = None,
    labels: options.Labels = None,
    open_: Open = False,
) -> None:
    """Write a run's report.

    Of a run of `score`: how satisfied users are, what goes with it, and every conversation. Of a run of `learn`: the
    rubric, and whose words it comes from. The file needs nothing else: it can be sent,
    printed and read without a network.

    Example: userside report run -o report.html
    """
    from userside.cli.reporting import show_report

    show_report(run, out=out, labels=labels, in_browser=open_)
