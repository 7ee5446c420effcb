"""What is planted is found; what is not there is not."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.rubrics.learning.planted import CROSS, GLAD, SIGNS, plant, reply
from userside.conversations import Conversation, Label, locate_quote
from userside.llm import AnswerStore, HashingEmbeddingModel, Request, ScriptedModel, StoredEmbedder
from userside.rubrics import (
    Learned,
    LearningModels,
    LearnSettings,
    Rubric,
    ScoringPlan,
    Side,
    Stage,
    learn_rubric,
    make_job,
    score_conversations,
)
from userside.statistics import auc

SETTINGS = LearnSettings(share=0.5, items=3, batch_size=10)


def learn(conversations: list[Conversation], settings: LearnSettings = SETTINGS) -> tuple[Learned, ScriptedModel]:
    job = make_job(conversations, settings, inputs={}, source="planted")
    model = ScriptedModel(reply, name="planted")
    with AnswerStore(Path(":memory:")) as store:
        embedder = StoredEmbedder(HashingEmbeddingModel(), store)
        models = LearningModels(extractor=model, judge=model, embedder=embedder)
        return asyncio.run(learn_rubric(job.sample, models, learning=job.learning)), model


def held_out_auc(conversations: list[Conversation], rubric: Rubric, settings: LearnSettings = SETTINGS) -> float:
    rest = [one for one in conversations if one.id not in rubric.training_ids]
    job = make_job(conversations, settings, inputs={}, source="planted")
    plan = ScoringPlan(rubric=rubric, judging=job.learning.judging)
    scores = asyncio.run(score_conversations(rest, ScriptedModel(reply, name="planted"), plan=plan))
    totals = [score.R for score in scores]
    assert len(rest) > 50
    value = auc(
        [total for total in totals if total is not None],
        positive=[one.feedback[0].label is Label.SATISFIED for one in rest],
    )
    assert value is not None
    return value


def summaries(model: ScriptedModel) -> list[Request]:
    return [one for one in model.asked if "Rubric so far:" in one.messages[-1].text]


def test_the_planted_patterns_are_the_rubric() -> None:
    conversations = plant(240)
    learned, _ = learn(conversations)
    assert learned.stage is Stage.DONE
    assert learned.rubric is not None
    assert {item.description for item in learned.rubric.side(Side.SATISFIED)} == {SIGNS[sign] for sign in GLAD}
    assert {item.description for item in learned.rubric.side(Side.DISSATISFIED)} == {SIGNS[sign] for sign in CROSS}
    assert held_out_auc(conversations, learned.rubric) >= 0.95


def test_every_quote_is_in_its_transcript_and_behind_the_right_item() -> None:
    conversations = plant(240)
    learned, _ = learn(conversations)
    assert learned.rubric is not None
    by_id = {one.id: one for one in conversations}
    for item in learned.rubric.items:
        assert item.evidence
        for evidence in item.evidence:
            assert evidence.id in learned.rubric.training_ids
            assert locate_quote(by_id[evidence.id], evidence.quote) == evidence.turn
            sign = next(sign for sign, told in SIGNS.items() if told == item.description)
            assert sign in evidence.quote


def test_shuffled_labels_teach_nothing() -> None:
    values: list[float] = []
    for seed in range(6):
        conversations = plant(240, seed=seed, shuffled=True)
        learned, _ = learn(conversations, replace(SETTINGS, items=3, seed=seed))
        assert learned.rubric is not None
        values.append(held_out_auc(conversations, learned.rubric))
    assert sum(values) / len(values) == pytest.approx(0.5, abs=0.08)


def test_batches_are_several_and_each_carries_the_rubric_so_far() -> None:
    learned, model = learn(plant(240))
    by_side = {side: [one for one in summaries(model) if f"were {side}" in one.messages[0].text] for side in Side}
    for side in Side:
        found = sum(len(one.patterns) for one in learned.extractions if one.side is side)
        whole = by_side[side][: -(-found // 10)]  # the folds' batches follow
        assert len(whole) > 3
        assert "(none yet)" in whole[0].messages[-1].text
        for request in whole[1:]:
            carried = request.messages[-1].text.partition("Rubric so far:")[2]
            assert carried.count(": The user") == 3
    assert learned.rubric is not None
    assert [len(learned.rubric.side(side)) for side in Side] == [3, 3]


def test_the_same_seed_and_answers_give_the_same_rubric() -> None:
    first, second = learn(plant(120))[0], learn(plant(120))[0]
    assert first.rubric == second.rubric
    other = learn(plant(120), replace(SETTINGS, seed=1))[0]
    assert other.rubric is not None
    assert first.rubric is not None
    assert other.rubric.training_ids != first.rubric.training_ids


def test_cuts_come_from_folds_that_had_not_seen_their_conversations() -> None:
    learned, model = learn(plant(240))
    assert learned.fitted is not None
    assert learned.rubric is not None
    assert len(learned.scores) == len(learned.rubric.training_ids)
    [cuts] = learned.rubric.cuts
    assert cuts.calibrated
    assert cuts.judge == "scripted:planted"
    assert cuts.calibration is not None
    assert -8 < cuts.dissatisfied_below <= cuts.satisfied_above < 8
    once, _ = learn(plant(240), replace(SETTINGS, folds=0))
    assert len(summaries(model)) > len(once.summaries)


def test_a_selection_keeps_the_items_that_tell_the_labels_apart() -> None:
    conversations = plant(240)
    learned, _ = learn(conversations, replace(SETTINGS, items=2, select=True))
    assert learned.rubric is not None
    assert all(1 <= len(learned.rubric.side(side)) <= 2 for side in Side)
    assert {name for score in learned.scores for name in score.items} > {item.name for item in learned.rubric.items}
