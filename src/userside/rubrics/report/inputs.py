"""What a report is made from, read from a run's folder."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from userside.conversations import Conversation, LabelledText, choose_labels, count_labels, label_sources
from userside.llm import PromptSet, RunRecord, read_run
from userside.rubrics.evaluation import (
    CutFit,
    Evaluation,
    EvaluationSettings,
    FittedCuts,
    conversation_language,
    evaluate,
    read_fitted_cuts,
    refit_cuts,
)
from userside.rubrics.rubric import Rubric
from userside.rubrics.score_run import SCORES, read_run_conversations, run_prompts, run_rubric
from userside.rubrics.scores import ConversationScore, read_scores
from userside.rubrics.signals import extract_signals
from userside.rubrics.zero_shot_file import read_zero_shot
from userside.statistics import REPLICATES

SEED = 0
"""Of the evaluation's resamples and of the drawn conversations: the same run gives the same report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportInputs:
    """All that a report says something of.

    Attributes:
        name: What the run is called, for a person: its folder's name.
        run: What `run.json` says.
        rubric: The items as they were used.
        prompts: The wording as it was used.
        conversations: In order.
        scores: What the judge made of them; some conversations may have none.
        labels: What users thought, by conversation id; empty where nobody said.
        labels_by: The name of these labels, or None.
        fitted: Cuts that were fitted to labels of this run, or None.
        zero_shot: P(satisfied) by conversation id where the judge was asked outright as well, or None.
        replicates: Resamples for an interval.
    """

    name: str
    run: RunRecord
    rubric: Rubric
    prompts: PromptSet
    conversations: tuple[Conversation, ...]
    scores: tuple[ConversationScore, ...]
    labels: Mapping[str, LabelledText] = field(default_factory=dict[str, LabelledText])
    labels_by: str | None = None
    fitted: FittedCuts | None = None
    zero_shot: Mapping[str, float] | None = None
    replicates: int = REPLICATES

    @property
    def cut_by(self) -> str | None:
        """Return the name of the labels whose end cut what the judge saw, or None when it saw all."""
        return self.run.plan.settings.get("labels")

    @property
    def shown(self) -> Mapping[str, LabelledText]:
        """Return where the judge's text of each conversation ended, by id; empty when it saw all."""
        return choose_labels(self.conversations, name=self.cut_by) if self.cut_by else {}


def read_report_inputs(folder: Path, *, labels: str | None = None) -> ReportInputs:
    """Return what a scoring run's folder holds.

    Args:
        folder: The run.
        labels: The name of the users' labels; None for those the run was cut by, else the only ones there are, if any.

    Raises:
        RunError: It is no scoring run, or its conversations are no longer there.
        FormatError: There are no scores yet, or they cannot be read.
        LabelError: There are several labels and no name, or none of that name.
    """
    run = read_run(folder)
    rubric = run_rubric(folder)
    scores = read_scores(folder / SCORES)
    conversations = read_run_conversations(folder)
    name = _label_name(conversations, named=labels, cut_by=run.plan.settings.get("labels"))
    return ReportInputs(
        name=folder.resolve().name,
        run=run,
        rubric=rubric,
        prompts=run_prompts(folder),
        conversations=conversations,
        scores=scores,
        labels=choose_labels(conversations, name=name) if name else {},
        labels_by=name,
        fitted=read_fitted_cuts(folder),
        zero_shot=_zero_shot(folder),
    )


def _zero_shot(folder: Path) -> Mapping[str, float] | None:
    answers = read_zero_shot(folder)
    return None if answers is None else {name: one for name, one in answers.items() if isinstance(one, float)}


def _label_name(conversations: tuple[Conversation, ...], *, named: str | None, cut_by: str | None) -> str | None:
    sources = label_sources(conversations)
    if named is None and not sources:
        return None
    if named is None and cut_by is not None and cut_by.removeprefix("rule:") in sources:
        named = cut_by
    return count_labels(conversations, name=named).source


def evaluate_inputs(inputs: ReportInputs) -> Evaluation | None:
    """Return the scores held against the users' labels, or None where there are no labels."""
    if not inputs.labels:
        return None
    shown = inputs.shown
    signals = {
        one.id: extract_signals(one, until=shown[one.id].until if one.id in shown else None)
        for one in inputs.conversations
        if one.id in inputs.labels
    }
    settings = EvaluationSettings(
        source=inputs.labels_by or "",
        prompts=inputs.prompts.fingerprint,
        fit=_fit(inputs),
        zero_shot=inputs.zero_shot,
        replicates=inputs.replicates,
        languages={one.id: conversation_language(one) for one in inputs.conversations},
        clusters={one.id: one.contributor for one in inputs.conversations if one.contributor},
    )
    return evaluate(
        inputs.scores,
        inputs.labels,
        rubric=inputs.rubric,
        generator=np.random.default_rng(SEED),
        signals=signals,
        settings=settings,
    )


def _fit(inputs: ReportInputs) -> CutFit | None:
    """Return the run's fitted cuts, with those that each conversation was held out of where the labels are the same."""
    kept = inputs.fitted
    if kept is None or kept.labels != inputs.labels_by:
        return None if kept is None else CutFit(fitted=kept)
    prompts = inputs.prompts.fingerprint
    return refit_cuts(kept, inputs.scores, inputs.labels, rubric=inputs.rubric, prompts=prompts)
