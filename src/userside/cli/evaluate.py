"""`userside evaluate`: what a run's scores are worth by users' own labels."""

from pathlib import Path
from typing import Annotated

import typer

from userside.cli import options

LabelsFrom = Annotated[
    Path | None,
    typer.Option("--labels-from", help="Take the labels from this file of conversations, joined by id."),
]
FitCuts = Annotated[
    bool, typer.Option("--fit-cuts", help="Fit where R turns into a label, and label the run's scores anew.")
]
Beside = Annotated[
    list[Path] | None,
    typer.Option("--beside", help="Another run over the same conversations, to be compared; may be repeated."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Decides folds and resamples.")]


def evaluate(
    run: options.RunFolder,
    labels: options.Labels = None,
    labels_from: LabelsFrom = None,
    beside: Beside = None,
    fit_cuts: FitCuts = False,
    seed: Seed = 0,
    json: options.Json = False,
) -> None:
    """Hold scores against what users said.

    Prints the figures and writes RUN/evaluation.json.

    Conversations that the rubric was learned from are left out. Intervals stand at the figures, and the constant
    predictor, the signals and other runs beside them. Exit code 1 says that something could not be evaluated.

    Example: userside evaluate run --labels overall
    """
    from userside.cli import evaluating

    runs = tuple(beside or ())
    flags = evaluating.EvaluateFlags(run=run, labels=labels, labels_from=labels_from, beside=runs, seed=seed)
    evaluating.print_evaluation(flags, fit_cuts=fit_cuts, json=json)
