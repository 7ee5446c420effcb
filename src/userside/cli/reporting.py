"""Writing the report of a run."""

import webbrowser
from pathlib import Path

from userside.cli.console import show
from userside.errors import InputError
from userside.llm import write_atomically
from userside.rubrics import render_run_report

REPORT = "report.html"


def write_report(run: Path, *, out: Path | None = None, labels: str | None = None) -> Path:
    """Return the HTML file that a run's report was written to, whole or not at all.

    Raises:
        UsersideError: The folder is no run of `score` or `learn`, has no results yet, or has no labels of that name.
        InputError: The file's folder is not there, or its name is that of a folder.
    """
    if out is not None:
        _check(out)
    path = run / REPORT if out is None else out
    write_atomically(path, render_run_report(run, labels=labels))
    return path


def _check(path: Path) -> None:
    problem = "it is a folder" if path.is_dir() else "its folder is not there"
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InputError(f"{path}: wanted the name of an HTML file, and {problem}")


def show_report(run: Path, *, out: Path | None, labels: str | None, in_browser: bool) -> None:
    """Write a run's report and print where it is; open it where that was wanted."""
    path = write_report(run, out=out, labels=labels).resolve()
    show(str(path))
    if in_browser:
        webbrowser.open(path.as_uri())
