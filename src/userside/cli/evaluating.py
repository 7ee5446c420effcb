"""Reading what `evaluate` needs from a run's folder, and printing and writing what it finds."""

import json as json_text
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import get_terminal_size
from typing import NamedTuple

import numpy as np
import typer

from userside.cli.console import say, show, show_json
from userside.conversations import (
    Conversation,
    LabelledText,
    choose_labels,
    count_labels,
    label_sources,
    no_labels,
    read_conversations,
)
from userside.errors import LabelError
from userside.llm import Run, read_run, write_atomically
from userside.rubrics import (
    ConversationScore,
    CutFit,
    Evaluation,
    EvaluationSettings,
    FittedCuts,
    Rubric,
    conversation_language,
    evaluate,
    extract_signals,
    fit_cuts,
    read_fitted_cuts,
    read_run_conversations,
    read_scores,
    read_zero_shot,
    refit_cuts,
    relabel,
    render_evaluation,
    run_prompts,
    run_rubric,
    write_fitted_cuts,
    write_scores,
)

WIDEST = 100
SCORES = "scores.jsonl"
EVALUATION = "evaluation.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateFlags:
    """What the user asked to have evaluated.

    Attributes:
        run: The run's folder.
        labels: The labels' name, or None for the only ones.
        labels_from: A file that carries the labels, or None for the run's own conversations.
        beside: Other runs over the same conversations.
        seed: Decides folds and resamples.
    """

    run: Path
    labels: str | None = None
    labels_from: Path | None = None
    beside: tuple[Path, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivals:
    """What R is held against, besides the signals.

    Attributes:
        zero_shot: P(satisfied) by conversation id, where the run asked for it.
        beside: R of other runs by conversation id, by their name; what their rubric was learned from is not there.
    """

    zero_shot: Mapping[str, float] | None = None
    beside: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])


class Evaluated(NamedTuple):
    """What is evaluated, read from files."""

    folder: Path
    scores: tuple[ConversationScore, ...]
    conversations: tuple[Conversation, ...]
    labels: Mapping[str, LabelledText]
    source: str
    shown: Mapping[str, LabelledText]
    """Where the judge's text of each conversation ended."""
    rubric: Rubric
    prompts: str
    rivals: Rivals
    seed: int


def read_evaluated(flags: EvaluateFlags) -> Evaluated:
    """Return what is to be evaluated.

    Raises:
        RunError: The folder is no scoring run, or its conversations are gone.
        FormatError: It has no scores.
        LabelError: There are no labels, several sources and no name, or none of that name.
    """
    cut_by = read_run(flags.run).plan.settings.get("labels")
    rubric, scores = run_rubric(flags.run), read_scores(flags.run / SCORES)
    conversations = read_run_conversations(flags.run)
    labelled = conversations
    if flags.labels_from is not None:
        labelled = read_conversations(flags.labels_from).conversations()
    if not label_sources(labelled):
        raise no_labels(labelled, then=", then say `--labels-from LABELLED.jsonl`")
    name = flags.labels
    if name is None and cut_by is not None and cut_by.removeprefix("rule:") in label_sources(labelled):
        name = cut_by  # the labels that the scoring was made for
    return Evaluated(
        folder=flags.run,
        scores=scores,
        conversations=conversations,
        labels=choose_labels(labelled, name=name),
        source=count_labels(labelled, name=name).source,
        shown=choose_labels(conversations, name=cut_by) if cut_by else {},
        rubric=rubric,
        prompts=run_prompts(flags.run).fingerprint,
        rivals=_read_rivals(flags),
        seed=flags.seed,
    )


def _read_rivals(flags: EvaluateFlags) -> Rivals:
    answers = read_zero_shot(flags.run)
    return Rivals(
        zero_shot=None if answers is None else {i: one for i, one in answers.items() if isinstance(one, float)},
        beside={f"R of {_name(folder, flags.beside)}": _read_beside(folder) for folder in flags.beside},
    )


def _name(folder: Path, folders: Sequence[Path]) -> str:
    """Return a run's folder name, the whole path where two are called the same."""
    name = folder.resolve().name
    return name if [one.resolve().name for one in folders].count(name) == 1 else str(folder)


def _read_beside(folder: Path) -> dict[str, float]:
    """Return R of another run by conversation id, without those that its rubric was learned from."""
    trained = frozenset(run_rubric(folder).training_ids)
    return {
        score.id: score.R for score in read_scores(folder / SCORES) if score.R is not None and score.id not in trained
    }


def evaluate_run(evaluated: Evaluated, *, fit: CutFit | None) -> Evaluation:
    """Return what the scores of a run are worth."""
    shown = evaluated.shown
    signals = {
        one.id: extract_signals(one, until=shown[one.id].until if one.id in shown else None)
        for one in evaluated.conversations
        if one.id in evaluated.labels
    }
    settings = EvaluationSettings(
        source=evaluated.source,
        prompts=evaluated.prompts,
        fit=fit,
        zero_shot=evaluated.rivals.zero_shot,
        beside=evaluated.rivals.beside,
        languages={one.id: conversation_language(one) for one in evaluated.conversations},
        clusters={one.id: one.contributor for one in evaluated.conversations if one.contributor},
    )
    return evaluate(
        evaluated.scores,
        evaluated.labels,
        rubric=evaluated.rubric,
        generator=np.random.default_rng(evaluated.seed),
        signals=signals,
        settings=settings,
    )


def fit_run(evaluated: Evaluated, *, seed: int) -> CutFit:
    """Return cuts fitted to the labels of a run.

    Raises:
        LabelError: There are too few labels, or all R are the same.
    """
    return fit_cuts(
        evaluated.scores,
        evaluated.labels,
        rubric=evaluated.rubric,
        prompts=evaluated.prompts,
        source=evaluated.source,
        seed=seed,
    )


def print_evaluation(flags: EvaluateFlags, *, fit_cuts: bool, json: bool) -> None:
    """Print and write what a run's scores are worth; exit with 1 when something could not be evaluated.

    Raises:
        UsersideError: The run or the labels cannot be used, or no cuts can be fitted; what can be said without them
            has then been printed.
    """
    evaluated = read_evaluated(flags)
    fit, refused = _fit(evaluated, anew=fit_cuts)
    if fit_cuts and fit is not None:
        evaluated = _keep_fit(evaluated, fit.fitted)
    found = evaluate_run(evaluated, fit=fit)
    write_atomically(flags.run / EVALUATION, json_text.dumps(found.as_json(), ensure_ascii=False, indent=1) + "\n")
    _print(found, json=json)
    _say_cautions(evaluated)
    if refused is not None:
        raise refused
    say(f"All figures: {flags.run / EVALUATION}")
    if found.gaps:
        raise typer.Exit(1)


def _fit(evaluated: Evaluated, *, anew: bool) -> tuple[CutFit | None, LabelError | None]:
    """Return the cuts to evaluate with, if any were fitted, and why none could be fitted where they were wanted."""
    kept = None if anew else read_fitted_cuts(evaluated.folder)
    if kept is not None and kept.labels != evaluated.source:
        return CutFit(fitted=kept), None
    if kept is not None:
        scores, labels = evaluated.scores, evaluated.labels
        return refit_cuts(kept, scores, labels, rubric=evaluated.rubric, prompts=evaluated.prompts), None
    if not anew:
        return None, None
    try:
        return fit_run(evaluated, seed=evaluated.seed), None
    except LabelError as error:
        return None, error


def _keep_fit(evaluated: Evaluated, fitted: FittedCuts) -> Evaluated:
    scores = relabel(evaluated.scores, fitted)
    with Run.resume(evaluated.folder) as run:  # nobody else may be writing scores meanwhile
        write_fitted_cuts(fitted, run.folder)
        write_scores(scores, run.folder / SCORES)
    cuts = fitted.cuts
    say(
        f"Fitted to {sum(fitted.fitted_to.values()):,} labels: dissatisfied below {cuts.dissatisfied_below:.3g}, "
        f"satisfied above {cuts.satisfied_above:.3g}. The run's scores are labelled anew."
    )
    return evaluated._replace(scores=scores)


def _print(found: Evaluation, *, json: bool) -> None:
    if json:
        show_json(found.as_json())
    else:
        show(render_evaluation(found, width=min(WIDEST, get_terminal_size((WIDEST, 24)).columns)).rstrip("\n"))


def _say_cautions(evaluated: Evaluated) -> None:
    shown = evaluated.shown
    beyond = sum(
        label.until is not None and (one not in shown or shown[one].until != label.until)
        for one, label in evaluated.labels.items()
    )
    if beyond:
        say(
            f"{beyond:,} labels hold for a part of the turns, and the judge saw others too. "
            f"Score with `--labels {evaluated.source}` to show it that part only."
        )
