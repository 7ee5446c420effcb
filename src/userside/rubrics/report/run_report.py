"""The report of a run's folder, whatever kind of run it is."""

from pathlib import Path

from userside.errors import LabelError
from userside.llm import read_run
from userside.rubrics.learning import LEARN
from userside.rubrics.report.inputs import read_report_inputs
from userside.rubrics.report.learn_inputs import read_learn_report_inputs
from userside.rubrics.report.learn_page import render_learn_report
from userside.rubrics.report.page import render_report


def render_run_report(folder: Path, *, labels: str | None = None) -> str:
    """Return the report of a run of `score` or of `learn` as one HTML file.

    Args:
        folder: The run.
        labels: The name of the users' labels; None for those the run was made with, else the only ones there are.

    Raises:
        RunError: It is neither, or its conversations are no longer there.
        FormatError: What it should hold is not there yet, or cannot be read.
        LabelError: There are several labels and no name, none of that name, or the rubric was learned from others.
    """
    plan = read_run(folder).plan
    if plan.command != LEARN:
        return render_report(read_report_inputs(folder, labels=labels))
    own = str(plan.settings.get("labels", ""))
    if labels is not None and labels.removeprefix("rule:") != own.removeprefix("rule:"):
        raise LabelError(f"{folder}: wanted the labels it was learned from, {own!r}, not {labels!r}")
    return render_learn_report(read_learn_report_inputs(folder))
