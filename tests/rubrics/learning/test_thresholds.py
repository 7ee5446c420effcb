"""Cuts from conversations that were held out by turns."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.rubrics.learning.found import PROMPTS, pattern
from tests.rubrics.said import labelled
from tests.rubrics.scored import labels_of, rubric, scored
from userside.conversations import Conversation, Label, choose_labels
from userside.errors import RateLimitedError
from userside.llm import Reason, Request, ScriptedModel
from userside.rubrics import FittedCuts, Judging, Pattern, ScoringPlan, Side, TrainingSample, draw_training
from userside.rubrics.learning import Summarizing
from userside.rubrics.learning.thresholds import (
    FoldedScores,
    Folding,
    cuts_from,
    deal_folds,
    kept_cuts,
    score_folds,
)


def talks(count: int, *, people: int | None = None) -> list[Conversation]:
    labels = (Label.SATISFIED, Label.DISSATISFIED)
    made = [labelled(labels[place % 2], "Hello.", id=f"c{place:02}") for place in range(count)]
    return [replace(one, contributor=f"p{place % people}" if people else None) for place, one in enumerate(made)]


def whole(conversations: Sequence[Conversation]) -> TrainingSample:
    return draw_training(conversations, choose_labels(conversations), share=1.0, least=1)


def patterns_of(sample: TrainingSample) -> list[Pattern]:
    return [
        pattern(f"The user is {one.id}.", one.id, side=Side(sample.labels[one.id].label.value))
        for one in sample.conversations
    ]


def reply(request: Request) -> str:
    """Return a rubric of the first pattern, or a table without a Yes."""
    properties: dict[str, Any] = (request.schema or {})["properties"]
    if "entries" not in properties:
        return json.dumps({name: {"quote": "", "answer": "No", "score": 0} for name in properties})
    first = next(line[2:] for line in request.messages[-1].text.splitlines() if line.startswith("- "))
    return json.dumps({"entries": [{"name": "one", "description": first}]})


def fold(
    sample: TrainingSample,
    *,
    folds: int = 5,
    summarizer: ScriptedModel | None = None,
    judge: ScriptedModel | None = None,
) -> FoldedScores:
    folding = Folding(
        summarizer=summarizer or ScriptedModel(reply),
        judge=judge or ScriptedModel(reply),
        summarizing=Summarizing(prompts=PROMPTS, items=2),
        scoring=ScoringPlan(rubric=rubric(), judging=Judging(prompts=PROMPTS), ends=sample.labels),
        folds=folds,
    )
    return asyncio.run(score_folds(sample, patterns_of(sample), folding=folding, on_scored=lambda _: None))


def test_folds_are_of_one_size_and_hold_both_labels() -> None:
    sample = whole(talks(30))
    dealt = deal_folds(sample, folds=5, seed=0)
    assert Counter(dealt.values()) == dict.fromkeys(range(5), 6)
    assert set(Counter((part, sample.labels[one].label) for one, part in dealt.items()).values()) == {3}
    assert dealt == deal_folds(whole(talks(30)[::-1]), folds=5, seed=0)
    assert dealt != deal_folds(sample, folds=5, seed=1)


def test_a_person_is_in_one_fold_only() -> None:
    sample = whole(talks(30, people=10))
    dealt = deal_folds(sample, folds=5, seed=0)
    assert len({(one.contributor, dealt[one.id]) for one in sample.conversations}) == 10


def test_no_fold_is_scored_with_what_was_learned_from_it() -> None:
    sample = whole(talks(20))
    summarizer = ScriptedModel(reply)
    folded = fold(sample, summarizer=summarizer)
    assert sorted(one.id for one in folded.scores) == sorted(sample.ids)
    assert (folded.open, folded.lost) == (None, ())
    dealt = deal_folds(sample, folds=5, seed=0)
    asked = [
        {line[14:17] for line in one.messages[-1].text.splitlines() if line.startswith("- ")}
        for one in summarizer.asked
    ]
    for part in range(5):
        held_out = {one for one, mine in dealt.items() if mine == part}
        of_this_fold = [ids for ids in asked if len(ids) == 8 and not ids & held_out]
        assert len(of_this_fold) == len(Side)


def test_fewer_people_than_folds_cost_no_more_than_they_are() -> None:
    summarizer = ScriptedModel(reply)
    folded = fold(whole(talks(20, people=4)), summarizer=summarizer, folds=10)
    assert len(folded.scores) == 20
    assert len(summarizer.asked) == 4 * len(Side)


def test_one_person_alone_cannot_be_held_out() -> None:
    folded = fold(whole(talks(20, people=1)))
    assert folded.scores == ()
    assert folded.lost == ("no rubric came of what is outside fold 1: nothing_to_judge",)


def test_a_fold_without_a_rubric_is_lost_and_the_others_are_scored() -> None:
    sample = whole(talks(20))
    dealt = deal_folds(sample, folds=5, seed=0)
    lost = {one for one, part in dealt.items() if part == 2}

    def refuse(request: Request) -> str:
        told = request.messages[-1].text
        outside = not any(f"The user is {one}." in told for one in lost)
        return "I'm sorry, but I can't help with that." if outside else reply(request)

    folded = fold(sample, summarizer=ScriptedModel(refuse))
    assert {one.id for one in folded.scores} == set(sample.ids) - lost
    assert folded.lost == ("no rubric came of what is outside fold 3: refused",)


def slower(_: Request) -> RateLimitedError:
    return RateLimitedError("slower")


@pytest.mark.parametrize("who", ["summarizer", "judge"])
def test_what_waits_is_said_to_wait(who: str) -> None:
    sample, waits = whole(talks(20)), ScriptedModel(slower)
    folded = fold(sample, summarizer=waits) if who == "summarizer" else fold(sample, judge=waits)
    assert folded.open is Reason.RATE_LIMITED
    assert folded.lost == ()


LABELS = "s" * 12 + "d" * 12


@pytest.mark.parametrize(
    ("totals", "letters", "said"),
    [
        ([5.0 + n / 10 for n in range(12)] + [-5.0 - n / 10 for n in range(12)], LABELS, ""),
        ([1.0] * 24, LABELS, "R is 1 in all 24 conversations"),
        ([1.0] * 12 + [-1.0] * 9, "s" * 12 + "d" * 9, "wanted 10 satisfied and 10 dissatisfied"),
        ([1.0] * 12 + [Reason.REFUSED] * 12, LABELS, "not 12 and 0"),
        ([], "", "not 0 and 0"),
    ],
)
def test_cuts_or_why_there_are_none(totals: list[float | Reason], letters: str, said: str) -> None:
    ids = [f"c{place}" for place in range(len(totals))]
    found = cuts_from(
        scored(*totals), labels_of(letters), rubric=rubric(training_ids=ids), prompts="p", source="label", seed=0
    )
    if said:
        assert isinstance(found, str)
        assert said in found
        return
    assert isinstance(found, FittedCuts)
    cuts = kept_cuts(found)
    assert -5 < cuts.dissatisfied_below <= cuts.satisfied_above < 5
    assert (cuts.calibrated, cuts.prompts, cuts.calibration) == (True, "p", found.calibration)
