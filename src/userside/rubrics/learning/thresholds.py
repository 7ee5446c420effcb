"""Cuts for a rubric that was just learned, from the conversations it was learned from.

A rubric fits its own training conversations better than others. So it is learned anew without each fifth of them, from
the reasons that were extracted once, and the fifth is scored with that: the cuts are fitted to those R. Where that
costs too much the training conversations are scored with the rubric itself, and the cuts are marked optimistic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from userside.conversations import Conversation, LabelledText
from userside.errors import LabelError
from userside.llm import Model, Reason
from userside.rubrics.at_once import do_at_once
from userside.rubrics.evaluation import FittedCuts, fit_cuts
from userside.rubrics.learning.naming import without_clashes
from userside.rubrics.learning.patterns import Pattern
from userside.rubrics.learning.summarizing import Summarizing, summarize_patterns
from userside.rubrics.learning.training import TrainingSample
from userside.rubrics.rubric import Cuts, Rubric, RubricItem, Side
from userside.rubrics.scores import ConversationScore
from userside.rubrics.scoring import OnScored, ScoringPlan, score_conversations

FOLDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Folding:
    """How the training conversations are scored without having been learned from.

    Attributes:
        summarizer: Who makes items of the other folds' patterns.
        judge: Who scores.
        summarizing: How items are made.
        scoring: How conversations are scored; its rubric is replaced by each fold's own.
        folds: How many parts.
    """

    summarizer: Model
    judge: Model
    summarizing: Summarizing
    scoring: ScoringPlan
    folds: int = FOLDS


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedScores:
    """Each training conversation, scored with a rubric that was learned without it.

    Attributes:
        scores: Those of the folds whose rubric could be learned.
        open: Why some are not there yet; None where nothing waits.
        lost: Folds from which no rubric came, and why, one sentence each.
    """

    scores: tuple[ConversationScore, ...] = ()
    open: Reason | None = None
    lost: tuple[str, ...] = ()


def deal_folds(sample: TrainingSample, *, folds: int, seed: int) -> dict[str, int]:
    """Return each training conversation's fold, 0 to `folds` - 1; a contributor's are all in one.

    They are dealt out like cards, one label after another, in an order drawn from the seed.
    """
    people: dict[str, list[Conversation]] = {}
    for one in sample.conversations:
        people.setdefault(one.contributor or one.id, []).append(one)

    def place(name: str) -> tuple[str, bytes]:
        label = sample.labels[people[name][0].id].label
        return label.value, sha256(f"fold\0{seed}\0{name}".encode("utf-8", "surrogatepass")).digest()

    return {one.id: number % folds for number, name in enumerate(sorted(people, key=place)) for one in people[name]}


async def score_folds(
    sample: TrainingSample, patterns: Sequence[Pattern], *, folding: Folding, on_scored: OnScored
) -> FoldedScores:
    """Return each training conversation's score by a rubric learned without it; `on_scored` gets each as it lands."""
    fold_of = deal_folds(sample, folds=folding.folds, seed=folding.summarizing.seed)
    scores: list[ConversationScore] = []
    lost: list[str] = []
    waiting: Reason | None = None
    held_out = {fold: [one for one in sample.conversations if fold_of[one.id] == fold] for fold in range(folding.folds)}
    filled = [fold for fold, mine in held_out.items() if mine]  # fewer people than folds leave some empty

    async def learn(fold: int) -> tuple[RubricItem, ...] | Reason:
        others = [pattern for pattern in patterns if fold_of[pattern.evidence.id] != fold]
        return await _learn_items(others, folding.summarizer, summarizing=folding.summarizing)

    learned = await do_at_once(filled, learn, at_once=len(filled))
    for fold, items in zip(filled, learned, strict=True):
        if isinstance(items, Reason):
            waiting = items if items.is_open else waiting
            lost += [] if items.is_open else [f"no rubric came of what is outside fold {fold + 1}: {items.value}"]
            continue
        plan = replace(folding.scoring, rubric=Rubric(name=f"fold-{fold + 1}", items=items))
        scores += await score_conversations(held_out[fold], folding.judge, plan=plan, on_scored=on_scored)
    waiting = waiting or open_reason(scores)
    return FoldedScores(scores=tuple(scores), open=waiting, lost=tuple(lost))


async def _learn_items(
    patterns: Sequence[Pattern], model: Model, *, summarizing: Summarizing
) -> tuple[RubricItem, ...] | Reason:
    summaries = [
        await summarize_patterns(
            [one for one in patterns if one.side is side], model, side=side, summarizing=summarizing
        )
        for side in Side
    ]
    for summary in summaries:
        if summary.reason is not None:
            return summary.reason
    return without_clashes(summaries[0].items, summaries[1].items)


def open_reason(scores: Sequence[ConversationScore]) -> Reason | None:
    """Return why some scores are not there yet, None where nothing waits."""
    return next((reason for score in scores for reason in score.reasons if reason.is_open), None)


def cuts_from(
    scores: Sequence[ConversationScore],
    labels: Mapping[str, LabelledText],
    *,
    rubric: Rubric,
    prompts: str,
    source: str,
    seed: int,
) -> FittedCuts | str:
    """Return the cuts that fit the scores best, or in a sentence why there are none."""
    bare = replace(rubric, training_ids=())  # else the conversations that cuts are fitted to here would be left out
    try:
        return fit_cuts(scores, labels, rubric=bare, prompts=prompts, source=source, seed=seed).fitted
    except LabelError as error:
        return str(error)


def kept_cuts(fitted: FittedCuts) -> Cuts:
    """Return the cuts as a rubric keeps them: with the calibration that was fitted beside them."""
    return replace(fitted.cuts, calibration=fitted.calibration)
