"""What learning will cost before it is done: what is not there yet is taken at its largest."""

from dataclasses import replace
from itertools import batched

from userside.llm import Capabilities, CountingModel, Estimate, Price, ask_question
from userside.rubrics.learning.extraction import extract_patterns
from userside.rubrics.learning.patterns import Pattern
from userside.rubrics.learning.run import LearnJob
from userside.rubrics.learning.summarizing import Summarizing, summary_question, summary_request
from userside.rubrics.rubric import Evidence, Rubric, RubricItem, Side
from userside.rubrics.scoring import ScoringPlan, score_conversations

type Named = tuple[str, Capabilities, Price]
"""A model's identity, what it can do, and its price."""

_SENTENCE = "The user says or does something that is told in a sentence of about this length."


async def estimate_learning(job: LearnJob, *, extractor: Named, judge: Named) -> dict[str, Estimate]:
    """Return what each stage asks at most when nothing is stored yet: `extract`, `summarize`, `score`.

    How many reasons are found and how long an item is cannot be known before; answers that have to be asked for again
    come on top.
    """
    return {
        "extract": await _extraction(job, extractor),
        "summarize": await _summaries(job, extractor, folds=job.learning.folds_for(judge[1])),
        "score": await _scores(job, judge),
    }


async def _extraction(job: LearnJob, named: Named) -> Estimate:
    counting = CountingModel(named[0], named[1])
    for one in job.sample.conversations:
        labelled = job.sample.labels[one.id]
        if labelled.label.value in set(Side):
            await extract_patterns(one, labelled, counting, extracting=job.learning.extracting)
    return counting.estimate(named[2])


async def _summaries(job: LearnJob, named: Named, *, folds: int) -> Estimate:
    counting = CountingModel(named[0], named[1])
    summarizing = replace(job.learning.summarizing, items=job.learning.items_asked_for)
    for side in Side:
        ids = [one.id for one in job.sample.conversations if job.sample.labels[one.id].label.value == side]
        patterns = [_pattern(id_, side) for id_ in ids for _ in range(job.learning.extracting.most)]
        for number in range(folds + 1):
            kept = patterns if number == 0 else patterns[: len(patterns) * (folds - 1) // folds]
            await _count_batches(kept, counting, side=side, summarizing=summarizing)
    return counting.estimate(named[2])


async def _count_batches(
    patterns: list[Pattern], counting: CountingModel, *, side: Side, summarizing: Summarizing
) -> None:
    for number, batch in enumerate(batched(patterns, summarizing.batch_size)):
        rubric = _items(side, summarizing.items) if number else ()
        request = summary_request(batch, rubric, side=side, seen=set(), summarizing=summarizing)
        await ask_question(counting, summary_question(summarizing.items, patterns=len(batch)), request)


async def _scores(job: LearnJob, named: Named) -> Estimate:
    counting = CountingModel(named[0], named[1])
    items = job.learning.items_asked_for
    rubric = Rubric(name="estimate", items=tuple(item for side in Side for item in _items(side, items)))
    plan = ScoringPlan(rubric=rubric, judging=job.learning.judging, ends=job.sample.labels)
    await score_conversations(job.sample.conversations, counting, plan=plan)
    return counting.estimate(named[2])


def _pattern(id_: str, side: Side) -> Pattern:
    return Pattern(side=side, text=_SENTENCE, evidence=Evidence(id=id_, turn=0, quote=_SENTENCE))


def _items(side: Side, count: int) -> tuple[RubricItem, ...]:
    return tuple(RubricItem(name=f"{side.value}_{number}", description=_SENTENCE, side=side) for number in range(count))
