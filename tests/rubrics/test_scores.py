"""R, labels and rows: arithmetic in which what is missing stays missing."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from userside.conversations import Label
from userside.errors import FormatError
from userside.llm import Elicited, Reason, Unscored
from userside.rubrics import (
    ConversationScore,
    Cuts,
    ItemScore,
    ItemVerdict,
    Side,
    label_of,
    open_rubric,
    read_scores,
    score_row,
    sum_scores,
    tally_scores,
    write_scores,
)

RUBRIC = open_rubric("builtin:general")
LOST = Unscored(reason=Reason.TRUNCATED, detail="cut off")


def items(**changes: ItemVerdict) -> dict[str, ItemVerdict]:
    """Return 8 for each satisfied item and 1 for each dissatisfied one, but for the changes."""
    scores = {item.name: 8.0 if item.side is Side.SATISFIED else 1.0 for item in RUBRIC.items}
    return {name: ItemScore(score=score, yes=1.0) for name, score in scores.items()} | changes


def score(verdicts: dict[str, ItemVerdict], total: float | None) -> ConversationScore:
    return ConversationScore(
        id="c-1", R=total, label=label_of(total, Cuts()), items=verdicts, judge="openai:x", elicited=Elicited.SCHEMA
    )


def test_r_is_the_sum_of_one_side_less_the_sum_of_the_other() -> None:
    assert sum_scores(items(), RUBRIC) == 10 * 8 - 10 * 1


def test_a_missing_item_makes_r_missing_unless_the_caller_chose_otherwise() -> None:
    verdicts = items(thanks=LOST)
    assert sum_scores(verdicts, RUBRIC) is None
    assert sum_scores(verdicts, RUBRIC, answered_only=True) == 9 * 8 - 10
    assert sum_scores(dict.fromkeys(items(), LOST), RUBRIC, answered_only=True) is None


@given(st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(chance: random.Random) -> None:
    shuffled = list(items().items())
    chance.shuffle(shuffled)
    assert sum_scores(dict(shuffled), RUBRIC) == sum_scores(items(), RUBRIC)


@pytest.mark.parametrize(
    ("total", "label"),
    [(2.1, Label.SATISFIED), (2.0, Label.NEUTRAL), (0.0, Label.NEUTRAL), (-1.0, Label.NEUTRAL),
     (-1.1, Label.DISSATISFIED), (None, None)],
)  # fmt: skip
def test_a_label_needs_more_than_the_cut(total: float | None, label: Label | None) -> None:
    assert label_of(total, Cuts(dissatisfied_below=-1, satisfied_above=2)) is label


def test_without_cuts_for_the_judge_there_is_no_label() -> None:
    assert label_of(5.0, None) is None


def test_a_row_is_what_scripts_rely_on_and_comes_back(tmp_path: Path) -> None:
    verdicts = items(
        thanks=ItemScore(score=8, yes=1.0, quote="thank you 🎉", turn=4),
        praise=ItemScore(score=0, yes=0.0, note="No with a score of 4"),
        repeats_request=LOST,
    )
    one = score(verdicts, None)
    row = score_row(one)
    assert row["items"]["thanks"] == {"score": 8, "yes": 1.0, "quote": "thank you 🎉", "turn": 4}
    assert row["items"]["repeats_request"] == {"unscored": "truncated", "detail": "cut off"}
    assert (row["id"], row["R"], row["label"], row["missing"], row["judge"], row["elicited"]) == (
        "c-1", None, None, 1, "openai:x", "schema",
    )  # fmt: skip
    write_scores([one, score(items(), 70.0)], tmp_path / "scores.jsonl")
    read = read_scores(tmp_path / "scores.jsonl")
    assert [score_row(each) for each in read] == [row, score_row(score(items(), 70.0))]


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "a"}', '{"id": "a", "R": 1, "label": "happy"}'])
def test_a_row_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "scores.jsonl").write_text(json.dumps(score_row(score(items(), 70.0))) + "\n" + line + "\n", "utf-8")
    with pytest.raises(FormatError, match=r"scores\.jsonl:2: wanted a row of scores"):
        read_scores(tmp_path / "scores.jsonl")


def test_the_tally_counts_conversations_and_reasons() -> None:
    pending = items(thanks=Unscored(reason=Reason.PENDING), praise=LOST)
    tally = tally_scores([score(items(), 70.0), score(pending, None), score(items(praise=LOST), None)])
    assert (tally.scored, tally.unscored, tally.open) == (1, 2, 1)
    assert tally.reasons == {Reason.TRUNCATED: 2, Reason.PENDING: 1}
