"""`learn`: labelled conversations in, a rubric out that knows where it came from (SPUR, section 3).

Extract, summarize, assign evidence, select, find the cuts. Each stage needs the whole of the one before. Where answers
are still awaited, from elsewhere or for a budget, the work stops at that stage; with the answers there it goes on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from userside.conversations import Conversation
from userside.errors import AnswerPendingError, BudgetSpentError, RateLimitedError, RefusedError, TransientError
from userside.llm import Capabilities, Embedder, Model, Reason
from userside.rubrics.at_once import do_at_once
from userside.rubrics.evaluation import FittedCuts
from userside.rubrics.judging import Judging, subjects_of
from userside.rubrics.learning.evidence import FLOOR, Assigned, assign_evidence
from userside.rubrics.learning.extraction import Extracting, extract_patterns
from userside.rubrics.learning.naming import without_clashes
from userside.rubrics.learning.patterns import Extraction, Pattern, tally_extractions
from userside.rubrics.learning.selection import SURPLUS, select_items
from userside.rubrics.learning.summarizing import Summarizing, Summary, summarize_patterns
from userside.rubrics.learning.thresholds import FOLDS, Folding, cuts_from, kept_cuts, open_reason, score_folds
from userside.rubrics.learning.training import TrainingSample
from userside.rubrics.rubric import Rubric, RubricItem, Side
from userside.rubrics.scores import ConversationScore, sum_scores
from userside.rubrics.scoring import ScoringPlan, score_conversations


class Stage(StrEnum):
    """How far learning has come."""

    EXTRACT = "extract"
    SUMMARIZE = "summarize"
    ASSIGN = "assign evidence"
    SCORE = "score the training conversations"
    DONE = "done"


type OnStep = Callable[[Stage, int], None]
"""Called when something of a stage is done, with how much the stage has in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """How a rubric is learned.

    Attributes:
        name: The rubric's name.
        extracting: How reasons are asked for.
        summarizing: How they are made into items.
        judging: How the judge is asked for whom the cuts are fitted.
        labels: The labels' name, to be kept.
        folds: Parts of the training sample that are held out by turns to fit the cuts; 0 scores them with the
            rubric itself; None does what is affordable: 0 for a judge that runs here, five for others.
        select: Ask for twice the items and keep those that explain the labels best.
        floor: Cosine below which a pattern stands behind no item.
        at_once: Most conversations under way at one time, where a model does not say how many it can have.
    """

    name: str = "learned"
    extracting: Extracting
    summarizing: Summarizing
    judging: Judging
    labels: str = ""
    folds: int | None = None
    select: bool = False
    floor: float = FLOOR
    at_once: int = 64

    def folds_for(self, judge: Capabilities) -> int:
        """Return into how many parts the training sample is dealt; with a selection it is not dealt at all."""
        if self.select:
            return 0
        if self.folds is not None:
            return self.folds
        return 0 if judge.shares_prefix else FOLDS

    @property
    def items_asked_for(self) -> int:
        """Return how many items of one side the summarizer is to write at most."""
        return self.summarizing.items * (SURPLUS if self.select else 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningModels:
    """Who does what.

    Attributes:
        extractor: Finds reasons and summarizes them.
        judge: Scores conversations, for the cuts.
        embedder: Tells which reason stands behind which item.
    """

    extractor: Model
    judge: Model
    embedder: Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What came of learning, as far as it went.

    Attributes:
        stage: The stage that was reached.
        open: Why it stopped there, where running it again can go on; None where it is done or cannot go on.
        failed: Why it cannot go on, for a person; "" where it can or is done.
        rubric: The rubric, once there is one.
        extractions: What each training conversation gave.
        summaries: Each side's items and how they came about.
        unassigned: Patterns that stand behind no item, by side.
        scores: The training conversations' scores that the cuts were fitted to.
        fitted: The cuts and how they were fitted, or None.
        notes: What a person should know, one sentence each.
    """

    stage: Stage
    open: Reason | None = None
    failed: str = ""
    rubric: Rubric | None = None
    extractions: tuple[Extraction, ...] = ()
    summaries: tuple[Summary, ...] = ()
    unassigned: Mapping[Side, int] = field(default_factory=dict[Side, int])
    scores: tuple[ConversationScore, ...] = ()
    fitted: FittedCuts | None = None
    notes: tuple[str, ...] = ()

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """Return all patterns, in the order of the conversations."""
        return tuple(pattern for one in self.extractions for pattern in one.patterns)


def ignore_step(stage: Stage, total: int) -> None:
    """Do nothing with a step."""


async def learn_rubric(
    sample: TrainingSample, models: LearningModels, *, learning: Learning, on_step: OnStep = ignore_step
) -> Learned:
    """Return the rubric that a training sample gives, or how far learning came (SPUR, sections 3.1 and 3.2).

    The same sample, answers and seed give the same rubric. What the paper leaves open is decided as follows: order
    and batches by the seed; conversations that give no reason are counted and leave the rest alone; cuts as in
    `thresholds`.

    Raises:
        userside.errors.AccessError: A model lets nobody in.
        userside.errors.UnknownModelError: There is no such model.
    """
    work = _Work(sample=sample, models=models, learning=learning, on_step=on_step)
    learned = await work.extract()
    for step in (work.summarize, work.assign, work.score, work.finish):
        if learned.open is not None or learned.failed:
            break
        learned = await step(learned)
    return learned


@dataclass(slots=True, kw_only=True)
class _Work:
    sample: TrainingSample
    models: LearningModels
    learning: Learning
    on_step: OnStep
    subjects: dict[str, frozenset[str]] = field(init=False)
    summarizing: Summarizing = field(init=False)

    def __post_init__(self) -> None:
        self.subjects = {one.id: subjects_of(one) for one in self.sample.conversations}
        learning = self.learning
        self.summarizing = replace(learning.summarizing, items=learning.items_asked_for, subjects=self.subjects)

    async def extract(self) -> Learned:
        asked = [one for one in self.sample.conversations if self.sample.labels[one.id].label.value in set(Side)]
        extractions = await do_at_once(
            asked,
            self._extract_one,
            at_once=self._at_once(self.models.extractor),
            on_done=lambda _: self.on_step(Stage.EXTRACT, len(asked)),
        )
        waiting = next((one.reason for one in extractions if one.is_open), None)
        return Learned(stage=Stage.EXTRACT, open=waiting, extractions=extractions)

    async def _extract_one(self, conversation: Conversation) -> Extraction:
        labelled, extracting = self.sample.labels[conversation.id], self.learning.extracting
        return await extract_patterns(conversation, labelled, self.models.extractor, extracting=extracting)

    async def summarize(self, learned: Learned) -> Learned:
        if gap := _gap(learned.extractions):
            return replace(learned, failed=gap)
        summaries = await do_at_once(Side, lambda side: self._summarize_side(learned, side), at_once=len(Side))
        waiting = next((one.reason for one in summaries if one.reason is not None and one.reason.is_open), None)
        missing = next((one for one in summaries if one.reason is not None and not one.reason.is_open), None)
        failed = (
            f"the patterns of {missing.side} users could not be summarized: {missing.reason} ({missing.detail})"
            if missing is not None and missing.reason is not None
            else ""
        )
        notes = tuple(f"{one.side}: {note}" for one in summaries for note in one.notes)
        return replace(learned, stage=Stage.SUMMARIZE, open=waiting, failed=failed, summaries=summaries, notes=notes)

    async def _summarize_side(self, learned: Learned, side: Side) -> Summary:
        mine = [one for one in learned.patterns if one.side is side]
        summary = await summarize_patterns(mine, self.models.extractor, side=side, summarizing=self.summarizing)
        self.on_step(Stage.SUMMARIZE, len(Side))
        return summary

    async def assign(self, learned: Learned) -> Learned:
        satisfied, dissatisfied = (one.items for one in learned.summaries)
        items = without_clashes(satisfied, dissatisfied)
        try:
            assigned = await self._assign(items, learned.patterns)
        except (AnswerPendingError, BudgetSpentError, RateLimitedError, TransientError) as error:
            return replace(learned, stage=Stage.ASSIGN, open=_reason_of(error))
        except RefusedError as error:
            return replace(learned, stage=Stage.ASSIGN, failed=f"the embedder refuses a reason or an item: {error}")
        rubric = Rubric(name=self.learning.name, items=assigned.items, training_ids=self.sample.ids)
        return replace(learned, stage=Stage.ASSIGN, rubric=rubric, unassigned=assigned.unassigned)

    async def _assign(self, items: Sequence[RubricItem], patterns: Sequence[Pattern]) -> Assigned:
        return await assign_evidence(
            items, patterns, self.models.embedder, subjects=self.subjects, floor=self.learning.floor
        )

    async def score(self, learned: Learned) -> Learned:
        assert learned.rubric is not None  # noqa: S101 - the stage before made it
        folds = self.learning.folds_for(self.models.judge.capabilities)
        plan = ScoringPlan(
            rubric=learned.rubric,
            judging=self.learning.judging,
            at_once=self._at_once(self.models.judge),
            ends=self.sample.labels,
        )
        if folds:
            return await self._score_folds(learned, plan, folds=folds)
        scores = await score_conversations(
            self.sample.conversations, self.models.judge, plan=plan, on_scored=self._scored
        )
        return replace(learned, stage=Stage.SCORE, open=open_reason(scores), scores=scores)

    async def _score_folds(self, learned: Learned, plan: ScoringPlan, *, folds: int) -> Learned:
        folding = Folding(
            summarizer=self.models.extractor,
            judge=self.models.judge,
            summarizing=self.summarizing,
            scoring=plan,
            folds=folds,
        )
        folded = await score_folds(self.sample, learned.patterns, folding=folding, on_scored=self._scored)
        notes = (*learned.notes, *folded.lost)
        return replace(learned, stage=Stage.SCORE, open=folded.open, scores=folded.scores, notes=notes)

    def _at_once(self, model: Model) -> int:
        return model.capabilities.concurrency or self.learning.at_once

    def _scored(self, _: ConversationScore) -> None:
        self.on_step(Stage.SCORE, len(self.sample.conversations))

    async def finish(self, learned: Learned) -> Learned:
        assert learned.rubric is not None  # noqa: S101 - an earlier stage made it
        rubric = learned.rubric
        if self.learning.select:
            kept = select_items(rubric.items, learned.scores, self.sample.labels, keep=self.learning.summarizing.items)
            rubric = replace(rubric, items=kept)
        fitted = cuts_from(
            _summed_again(learned.scores, rubric) if self.learning.select else learned.scores,
            self.sample.labels,
            rubric=rubric,
            prompts=self.learning.judging.prompts.fingerprint,
            source=self.learning.labels,
            seed=self.learning.summarizing.seed,
        )
        if isinstance(fitted, str):
            return replace(learned, stage=Stage.DONE, rubric=rubric, notes=(*learned.notes, fitted))
        rubric = replace(rubric, cuts=(kept_cuts(fitted),))
        return replace(learned, stage=Stage.DONE, rubric=rubric, fitted=fitted)


def _gap(extractions: Sequence[Extraction]) -> str:
    """Return in a sentence why there is nothing to summarize on a side, "" where there is on both."""
    for side in Side:
        tally = tally_extractions(extractions, side=side)
        if not tally.patterns:
            return (
                f"wanted reasons of {side} users, and none of the {tally.asked} conversations gave one: "
                f"{tally.without} have none by the extractor, "
                f"{tally.unfounded_only} only some that their users' words do not hold, "
                f"{sum(tally.unanswered.values())} no answer"
            )
    return ""


def _summed_again(scores: Sequence[ConversationScore], rubric: Rubric) -> list[ConversationScore]:
    """Return the scores with R over the items that were kept."""
    kept = {item.name for item in rubric.items}
    again: list[ConversationScore] = []
    for score in scores:
        items = {name: verdict for name, verdict in score.items.items() if name in kept}
        again.append(replace(score, items=items, R=sum_scores(items, rubric)))
    return again


def _reason_of(error: Exception) -> Reason:
    match error:
        case AnswerPendingError():
            return Reason.PENDING
        case BudgetSpentError():
            return Reason.BUDGET
        case RateLimitedError():
            return Reason.RATE_LIMITED
        case _:
            return Reason.SERVER_ERROR
