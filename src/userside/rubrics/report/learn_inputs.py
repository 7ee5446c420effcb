"""What the report of a learning run is made from, read from its folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from userside.conversations import Conversation, Label, LabelledText
from userside.llm import RunRecord, read_run
from userside.rubrics.learning import (
    EXTRACTIONS,
    RUBRIC,
    TRAINING_SCORES,
    Extraction,
    TrainingSample,
    read_extractions,
    read_learn_job,
    tallies_by_side,
)
from userside.rubrics.report.cases import Case
from userside.rubrics.report.learned import LearnedFrom, learned_from
from userside.rubrics.report.links import Links, new_links
from userside.rubrics.rubric import Rubric, read_rubric
from userside.rubrics.scores import read_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnReportInputs:
    """All that the report of a learning run says something of.

    Attributes:
        name: What the run is called, for a person: its folder's name.
        run: What `run.json` says.
        sample: The training conversations and their labels.
        extractions: What each of them gave, by id; empty before any was asked.
        rubric: What was learned; None where it is not there yet.
        totals: R of the training conversations that cuts were fitted to, by id.
    """

    name: str
    run: RunRecord
    sample: TrainingSample
    extractions: Mapping[str, Extraction]
    rubric: Rubric | None
    totals: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnFacts:
    """What every section of a learning run's report draws on.

    Attributes:
        inputs: What was read.
        cases: Every training conversation; none has a score.
        found: How the rubric was learned, so far as it was.
        links: Marks for what is linked.
    """

    inputs: LearnReportInputs
    cases: tuple[Case, ...]
    found: LearnedFrom
    links: Links

    def counts(self) -> Mapping[Label, int]:
        """Return how many conversations of each label were learned from."""
        return self.inputs.sample.counts

    def linked(self, id_: str) -> str:
        """Return a conversation's id, linked to it where it is in the report."""
        place = next((case.place for case in self.cases if case.id == id_), None)
        return id_ if place is None else self.links.to(place, id_)


def read_learn_report_inputs(folder: Path) -> LearnReportInputs:
    """Return what a learning run's folder holds, so far as it went.

    Raises:
        RunError: It is no learning run, or its conversations are no longer there.
        FormatError: A file of the run cannot be read.
        RubricError: Its rubric cannot be used as written.
    """
    rubric, extractions, scores = (folder / name for name in (RUBRIC, EXTRACTIONS, TRAINING_SCORES))
    found = read_extractions(extractions) if extractions.exists() else ()
    totals = read_scores(scores) if scores.exists() else ()
    return LearnReportInputs(
        name=folder.resolve().name,
        run=read_run(folder),
        sample=read_learn_job(folder).sample,
        extractions={one.id: one for one in found},
        rubric=read_rubric(rubric.read_text(encoding="utf-8"), where=str(rubric)) if rubric.exists() else None,
        totals={score.id: score.R for score in totals if score.R is not None},
    )


def gather_learn_facts(inputs: LearnReportInputs) -> LearnFacts:
    """Return what the sections draw on."""
    cases = tuple(_case(place, one, inputs.sample.labels) for place, one in enumerate(inputs.sample.conversations))
    return LearnFacts(inputs=inputs, cases=cases, found=_found(inputs), links=new_links(inputs.sample.conversations))


def _case(place: int, conversation: Conversation, labels: Mapping[str, LabelledText]) -> Case:
    labelled = labels.get(conversation.id)
    return Case(
        place=place,
        conversation=conversation,
        score=None,
        said=labelled.label if labelled else None,
        until=labelled.until if labelled else None,
    )


def _found(inputs: LearnReportInputs) -> LearnedFrom:
    """Return the rubric's provenance; before there is a rubric, what the extractions tell."""
    if inputs.rubric is not None:
        return learned_from(inputs.rubric.provenance)
    plan = inputs.run.plan
    return learned_from(
        {
            "extraction": tallies_by_side(inputs.extractions.values()) if inputs.extractions else {},
            "models": plan.models,
            "settings": plan.settings,
            "notes": inputs.run.summary.get("notes", []),
        }
    )
