"""The library without `await`: alone, inside a running loop, and with a folder that remembers."""

import asyncio
import json
from pathlib import Path

import pytest

import userside
from tests.rubrics.learning.planted import plant, reply
from userside import ScriptedModel, learn, open_rubric, score, wait_for
from userside.conversations import read_sample
from userside.errors import RunError, UnknownModelError
from userside.llm import Request
from userside.rubrics import LearnSettings, Side


def all_no(request: Request) -> str:
    assert request.schema is not None
    return json.dumps({name: {"quote": "", "answer": "No", "score": 0} for name in request.schema["properties"]})


def test_scores_come_in_the_order_of_conversations() -> None:
    conversations = read_sample("everyday")[:5]
    scores = score(conversations, model=ScriptedModel(all_no))
    assert [one.id for one in scores] == [one.id for one in conversations]
    assert {one.R for one in scores} == {0.0}


def test_it_works_where_a_loop_runs_already() -> None:
    async def notebook() -> int:
        return len(
            score(read_sample("everyday")[:2], model=ScriptedModel(all_no), rubric=open_rubric("builtin:booking"))
        )

    assert asyncio.run(notebook()) == 2


def test_a_folder_remembers_between_calls(tmp_path: Path) -> None:
    conversations = read_sample("everyday")[:3]
    first, second = ScriptedModel(all_no), ScriptedModel([])
    scores = score(conversations, model=first, folder=tmp_path / "run")
    assert score(conversations, model=second, folder=tmp_path / "run") == scores
    assert (len(first.asked), second.asked) == (3, [])
    with pytest.raises(RunError, match="holds other work"):
        score(conversations, model=second, rubric="builtin:booking", folder=tmp_path / "run")


def test_what_a_coroutine_raises_is_raised() -> None:
    async def fail() -> None:
        raise KeyError("why")

    with pytest.raises(KeyError, match="why"):
        wait_for(fail())


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(UnknownModelError, match="'hal'"):
        score(read_sample("everyday")[:1], model="hal")


def test_the_front_page_offers_what_it_lists_and_nothing_else() -> None:
    assert all(getattr(userside, name) is not None for name in userside.__all__)
    with pytest.raises(AttributeError, match="no attribute 'magic'"):
        _ = userside.magic  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]


def test_a_rubric_is_learned_and_scores_with_what_it_learned(tmp_path: Path) -> None:
    conversations = plant(120)
    settings = LearnSettings(share=0.5, items=3)
    learned = learn(conversations, model=ScriptedModel(reply), settings=settings, folder=tmp_path / "rubric")
    assert learned.rubric is not None
    assert [len(learned.rubric.side(side)) for side in Side] == [3, 3]
    assert learn(conversations, model=ScriptedModel([]), settings=settings, folder=tmp_path / "rubric") == learned
    rest = [one for one in conversations if one.id not in learned.rubric.training_ids]
    labels = [one.label for one in score(rest, model=ScriptedModel(reply), rubric=str(tmp_path / "rubric"))]
    right = sum(label is one.feedback[0].label for one, label in zip(rest, labels, strict=True))
    assert right / len(rest) > 0.9
