"""A learning run: its folder holds all it needs, so that it can be resumed, read and answered elsewhere.

::

    RUN/rubric.json             the rubric, once there is one
    RUN/extractions.jsonl       why each user was satisfied or not, with that user's words
    RUN/training-scores.jsonl   the training conversations' scores that the cuts were fitted to
    RUN/input.jsonl             the training conversations (unless `--no-copy`), and no others
    RUN/prompts/                the wording as it was used
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from userside.conversations import Conversation, choose_labels, count_labels, read_conversations, write_jsonl
from userside.errors import InputError, RubricError, RunError
from userside.llm import Elicited, Run, RunPlan, RunState, file_sha256, read_prompts, read_run, write_prompts
from userside.rubrics.judging import Judging, subjects_of
from userside.rubrics.learning.evidence import FLOOR
from userside.rubrics.learning.extraction import MOST_REASONS, Extracting
from userside.rubrics.learning.files import EXTRACTIONS, write_extractions
from userside.rubrics.learning.learning import Learned, Learning, LearningModels, OnStep, ignore_step, learn_rubric
from userside.rubrics.learning.patterns import tallies_by_side
from userside.rubrics.learning.summarizing import BATCH_SIZE, ITEMS, Summarizing
from userside.rubrics.learning.training import LEAST, SHARE, TrainingSample, draw_training
from userside.rubrics.rubric import write_rubric
from userside.rubrics.scores import write_scores

LEARN = "learn"
RUBRIC = "rubric.json"
TRAINING_SCORES = "training-scores.jsonl"
PACKAGE = "userside.rubrics"


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnSettings:
    """What decides a rubric besides conversations, models and wording; kept in `run.json`.

    Attributes:
        name: The rubric's name.
        labels: The label source, as `choose_labels` names it.
        items: Items of one side at most.
        batch_size: Patterns of one minibatch.
        reasons: Reasons a conversation gives at most.
        share: Part of the labelled conversations that is learned from.
        least: Conversations of each of the two classes at least.
        seed: What the sample and the order of the patterns are drawn from.
        language: The language that the rubric is written in, by its English name.
        folds: As `Learning.folds`.
        select: As `Learning.select`.
        floor: As `Learning.floor`.
        elicited: How the judge is asked, or None for what it can do.
        items_per_call: How many items one call by table holds.
    """

    name: str = "learned"
    labels: str = ""
    items: int = ITEMS
    batch_size: int = BATCH_SIZE
    reasons: int = MOST_REASONS
    share: float = SHARE
    least: int = LEAST
    seed: int = 0
    language: str = "English"
    folds: int | None = None
    select: bool = False
    floor: float = FLOOR
    elicited: str | None = None
    items_per_call: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnJob:
    """A rubric to be learned.

    Attributes:
        sample: What it is learned from.
        settings: What decides it besides.
        inputs: SHA-256 of each input file by its name.
        source: Where the conversations were read from, for a run without a copy.
        learning: How; made from the settings and the wording.
    """

    sample: TrainingSample
    settings: LearnSettings
    inputs: Mapping[str, str]
    source: str
    learning: Learning

    def plan(self, models: Mapping[str, str]) -> RunPlan:
        """Return what tells this work from other work; `models` are identities by role."""
        prompts = self.learning.judging.prompts
        return RunPlan(
            command=LEARN,
            inputs=self.inputs,
            models=models,
            prompts={prompts.name: prompts.fingerprint},
            settings=asdict(self.settings),
        )


def make_job(
    conversations: Sequence[Conversation],
    settings: LearnSettings,
    *,
    inputs: Mapping[str, str],
    source: str,
    prompts: Path | None = None,
    at_once: int = 64,
) -> LearnJob:
    """Return the work of learning from a file's conversations.

    Raises:
        LabelError: They carry no labels, several kinds, or too few of a class.
        InputError: The share is no part of a whole, or there is to be one fold.
        PromptError: The wording in the folder `prompts` cannot be used.
    """
    _check(settings)
    settings = replace(settings, labels=count_labels(conversations, name=settings.labels or None).source)
    labels = choose_labels(conversations, name=settings.labels)
    sample = draw_training(conversations, labels, share=settings.share, least=settings.least, seed=settings.seed)
    learning = _learning(settings, folder=prompts, at_once=at_once)
    return LearnJob(sample=sample, settings=settings, inputs=inputs, source=source, learning=learning)


def _check(settings: LearnSettings) -> None:
    if not 0 <= settings.share <= 1:
        raise InputError(f"--train: wanted a part of the whole, from 0 to 1, not {settings.share!r}")
    if settings.folds == 1:
        raise InputError("--folds: wanted 0, or 2 and more, not 1: outside one part there is nothing to learn from")


def _learning(settings: LearnSettings, *, folder: Path | None, at_once: int = 64, retry: int = 0) -> Learning:
    prompts = read_prompts(PACKAGE, folder=folder)
    return Learning(
        name=settings.name,
        extracting=Extracting(prompts=prompts, most=settings.reasons, language=settings.language, retry=retry),
        summarizing=Summarizing(
            prompts=prompts,
            items=settings.items,
            batch_size=settings.batch_size,
            seed=settings.seed,
            language=settings.language,
            retry=retry,
        ),
        judging=Judging(
            prompts=prompts,
            how=Elicited(settings.elicited) if settings.elicited else None,
            items_per_call=settings.items_per_call,
            retry=retry,
        ),
        labels=settings.labels,
        folds=settings.folds,
        select=settings.select,
        floor=settings.floor,
        at_once=at_once,
    )


def write_learn_job(run: Run, job: LearnJob, *, copy: bool) -> None:
    """Write what a run needs to be resumed, where it is not there yet."""
    if not (run.folder / "prompts").exists():
        write_prompts(job.learning.judging.prompts, run.folder / "prompts")
    if copy and not run.input_copy.exists():
        write_jsonl(job.sample.conversations, run.input_copy)
    available = {label.value: count for label, count in job.sample.available.items()}
    run.note(summary={"source": job.source, "available": available, "raised": job.sample.raised})


def read_learn_job(folder: Path) -> LearnJob:
    """Return the work that a run's folder was made for.

    Raises:
        RunError: It is no learning run, or its conversations are no longer there.
    """
    record = read_run(folder)
    if record.plan.command != LEARN:
        raise RunError(f"{folder}: wanted a run of `learn`, and it is one of `{record.plan.command}`")
    settings = LearnSettings(**record.plan.settings)
    copy, source = folder / "input.jsonl", Path(str(record.summary.get("source", "")))
    learning = _learning(settings, folder=folder / "prompts", retry=record.retries)
    if not copy.exists():
        conversations = read_conversations(_unchanged(source, folder, record.plan.inputs)).conversations()
        job = make_job(conversations, settings, inputs=record.plan.inputs, source=str(source))
        return replace(job, learning=learning)
    conversations = read_conversations(copy, format="jsonl").conversations()
    labels = choose_labels(conversations, name=settings.labels or None)
    drawn = draw_training(conversations, labels, share=1.0, least=0, seed=settings.seed)
    available = {label: int(record.summary["available"].get(label.value, 0)) for label in drawn.available}
    sample = replace(drawn, available=available, share=settings.share, raised=bool(record.summary["raised"]))
    return LearnJob(sample=sample, settings=settings, inputs=record.plan.inputs, source=str(source), learning=learning)


def _unchanged(source: Path, folder: Path, inputs: Mapping[str, str]) -> Path:
    """Return the file a run without a copy was made from: another one would give another sample."""
    if not source.is_file():
        raise RunError(f"{folder}: wanted its conversations, and neither a copy nor {str(source)!r} is there")
    if file_sha256(source) != inputs.get(source.name):
        raise RunError(f"{folder}: wanted the conversations it was begun with, and {str(source)!r} has changed")
    return source


def with_learn_retry(job: LearnJob, retry: int) -> LearnJob:
    """Return the same work, with unscored questions asked anew up to `retry` times."""
    learning = replace(
        job.learning,
        extracting=replace(job.learning.extracting, retry=retry),
        summarizing=replace(job.learning.summarizing, retry=retry),
        judging=replace(job.learning.judging, retry=retry),
    )
    return replace(job, learning=learning)


async def learn_run(run: Run, job: LearnJob, models: LearningModels, *, on_step: OnStep = ignore_step) -> Learned:
    """Return what a run learns, from answers asked or remembered, and write it.

    Whoever was forgotten is left out.

    Raises:
        RubricError: There is nothing to learn from: no reason on a side, or none that could be summarized.
    """
    run.note(state=RunState.RUNNING)
    forgotten = [one.id for one in job.sample.conversations if run.store.is_forgotten(subjects_of(one))]
    sample = job.sample.without(forgotten)
    learned = await learn_rubric(sample, models, learning=job.learning, on_step=on_step)
    write_extractions(learned.extractions, run.folder / EXTRACTIONS)
    if learned.scores:
        write_scores(learned.scores, run.folder / TRAINING_SCORES)
    run.note(state=_state(learned), summary=_summary(learned))
    if learned.failed:
        raise RubricError(f"{run.folder}: {learned.failed}").with_note(
            "Ask anew (--retry-unscored), take more conversations (--train), smaller batches (--batch-size) or another "
            f"extractor (--extractor), or look at {run.folder / EXTRACTIONS} to see what it answered."
        )
    if learned.rubric is not None and learned.open is None:
        rubric = replace(learned.rubric, provenance=_provenance(learned, sample, models, job=job))
        write_rubric(rubric, run.folder / RUBRIC)
        return replace(learned, rubric=rubric)
    return learned


def _state(learned: Learned) -> RunState:
    if learned.open is None:
        return RunState.PARTIAL if learned.failed else RunState.COMPLETE
    return RunState.PENDING if learned.open.value == "pending" else RunState.PARTIAL


def _summary(learned: Learned) -> dict[str, Any]:
    return {
        "stage": learned.stage.value,
        "waits_for": learned.open.value if learned.open else None,
        "items": len(learned.rubric.items) if learned.rubric else 0,
        "extraction": tallies_by_side(learned.extractions),
        "notes": list(learned.notes),
    }


def _provenance(learned: Learned, sample: TrainingSample, models: LearningModels, *, job: LearnJob) -> dict[str, Any]:
    fitted = learned.fitted
    folds = job.learning.folds_for(models.judge.capabilities)
    prompts = job.learning.judging.prompts
    return {
        "learned_from": {"source": Path(job.source).name, "labels": job.settings.labels, **_counts(sample)},
        "models": {
            "extractor": models.extractor.identity,
            "judge": models.judge.identity,
            "embedder": models.embedder.identity,
        },
        "prompts": {"name": prompts.name, "fingerprint": prompts.fingerprint, "validated": prompts.validated},
        "settings": asdict(job.settings),
        "extraction": tallies_by_side(learned.extractions),
        "unassigned": {side.value: count for side, count in learned.unassigned.items()},
        "cuts": None if fitted is None else _cuts(learned, folds=folds),
        "notes": list(learned.notes),
    }


def _counts(sample: TrainingSample) -> dict[str, Any]:
    return {
        "available": {label.value: count for label, count in sample.available.items()},
        "taken": {label.value: count for label, count in sample.counts.items()},
        "share": sample.share,
        "raised": sample.raised,
    }


def _cuts(learned: Learned, *, folds: int) -> dict[str, Any]:
    fitted = learned.fitted
    assert fitted is not None  # noqa: S101 - the caller looked
    return {
        "optimistic": folds == 0,
        "how": f"each of {folds} parts scored with a rubric learned from the others"
        if folds
        else "the training conversations scored with the rubric itself",
        "fitted_to": {label.value: count for label, count in fitted.fitted_to.items()},
        "left_out": dict(fitted.left_out),
        "held_out": asdict(fitted.held_out),
    }
