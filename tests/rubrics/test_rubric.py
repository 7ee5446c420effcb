"""Rubrics: those that ship, those that are read, and those that cannot be used."""

import json
from pathlib import Path

import pytest

from userside.errors import RubricError
from userside.llm import Elicited
from userside.rubrics import Cuts, Side, builtin_names, open_rubric, read_rubric, write_rubric

ITEM = {"name": "thanks", "description": "The user gives thanks.", "side": "satisfied"}


@pytest.mark.parametrize(("name", "items"), [("booking", 8), ("general", 10)])
def test_a_built_in_rubric_has_as_many_items_a_side_and_says_it_is_uncalibrated(name: str, items: int) -> None:
    assert name in builtin_names()
    rubric = open_rubric(f"builtin:{name}")
    assert [len(rubric.side(side)) for side in Side] == [items, items]
    assert all(item.description.endswith(".") for item in rubric.items)
    [cuts] = rubric.cuts
    assert (cuts.dissatisfied_below, cuts.satisfied_above, cuts.calibrated) == (0, 0, False)


def test_a_rubric_comes_back_as_it_was_written(tmp_path: Path) -> None:
    rubric = open_rubric("builtin:booking")
    write_rubric(rubric, tmp_path / "rubric.json")
    assert open_rubric(str(tmp_path / "rubric.json")) == rubric
    assert open_rubric(str(tmp_path)) == rubric, "the folder of a run stands for its rubric"


def test_the_file_has_the_fields_that_scripts_rely_on(tmp_path: Path) -> None:
    write_rubric(open_rubric("builtin:general"), tmp_path / "rubric.json")
    written = json.loads((tmp_path / "rubric.json").read_text("utf-8"))
    assert list(written) == ["format", "name", "items", "cuts", "training_ids", "provenance"]
    assert set(written["items"][0]) == {"name", "description", "side", "evidence"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "r.json: the whole file: Invalid JSON"),
        ("[]", "r.json: the whole file: "),
        ('{"format": 2, "name": "r", "items": []}', "r.json: format: "),
        ('{"name": "r", "items": []}', "r.json: wanted items with different names"),
        (json.dumps({"name": "r", "items": [ITEM, ITEM]}), "r.json: wanted items with different names"),
        (json.dumps({"name": "r", "items": [{**ITEM, "side": "happy"}]}), "r.json: items.0.side: "),
        (json.dumps({"name": "r", "items": [{**ITEM, "name": "Thanks!"}]}), "wanted names such as `repeats_request`"),
        (json.dumps({"name": "r", "items": [{**ITEM, "name": ""}]}), "wanted names such as `repeats_request`"),
    ],
)
def test_a_rubric_that_cannot_be_used_is_said_where(text: str, said: str) -> None:
    with pytest.raises(RubricError) as caught:
        read_rubric(text, where="r.json")
    assert said in str(caught.value)


def test_a_title_is_the_name_as_a_reader_writes_it() -> None:
    assert [item.title for item in open_rubric("builtin:booking").items][3:5] == ["Glad of result", "Accepts offer"]


def test_cuts_hold_for_the_judge_they_were_fitted_to_and_no_other() -> None:
    fitted = Cuts(judge="openai:x", elicited=Elicited.SCHEMA, prompts="ab", calibrated=True, satisfied_above=3)
    rubric = open_rubric("builtin:booking")
    both = read_rubric(json.dumps({"name": "r", "items": [ITEM], "cuts": [{}, {
        "judge": "openai:x", "elicited": "schema", "prompts": "ab", "calibrated": True, "satisfied_above": 3,
    }]}), where="r")  # fmt: skip
    assert both.cuts_for(judge="openai:x", elicited=Elicited.SCHEMA, prompts="ab") == fitted
    for other in ({"judge": "openai:y"}, {"elicited": Elicited.TEXT}, {"prompts": "cd"}):
        asked = {"judge": "openai:x", "elicited": Elicited.SCHEMA, "prompts": "ab", **other}
        assert not fitted.holds_for(**asked)  # pyright: ignore[reportArgumentType]
        assert both.cuts_for(**asked) == Cuts()  # pyright: ignore[reportArgumentType]
    assert rubric.cuts_for(judge="any", elicited=Elicited.TOKENS, prompts="") == Cuts()
