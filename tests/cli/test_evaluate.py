"""`userside evaluate`, run as a stranger would."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.commands import userside
from tests.rubrics.coherent_judge import judge
from userside import score
from userside.conversations import Conversation, Feedback, Label, Thumb, read_sample, write_jsonl
from userside.llm import ScriptedModel
from userside.llm.fake_server import FakeServerThread
from userside.rubrics import (
    ConversationScore,
    Cuts,
    ItemScore,
    open_rubric,
    read_scores,
    sum_scores,
    write_rubric,
    write_scores,
)

RUBRIC = open_rubric("builtin:general")
SILENT = ScriptedModel(lambda _: "I had rather not say.")


def made_run(folder: Path, conversations: Sequence[Conversation]) -> Path:
    """Return the folder of a run whose scores were put in by hand: they follow the labels, with some noise."""
    scores = score(conversations, model=SILENT, folder=folder)
    write_scores(map(scored, range(len(scores)), scores, conversations), folder / "scores.jsonl")
    return folder


def scored(place: int, one: ConversationScore, conversation: Conversation) -> ConversationScore:
    said = {entry.label for entry in conversation.feedback}
    items = {
        item.name: ItemScore(score=points, yes=points / 10)
        for number, item in enumerate(RUBRIC.items)
        for points in [float((7 * place + 3 * number) % 8 + 2 * (Label(item.side.value) in said))]
    }
    return replace(one, items=items, R=sum_scores(items, RUBRIC))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return made_run(tmp_path / "run", read_sample("everyday"))


def test_the_report_is_printed_and_all_figures_are_written(run: Path) -> None:
    printed = userside("evaluate", run)
    assert printed.code == 0, printed.err
    assert "48 evaluated: 22 satisfied, 20 dissatisfied, 6 neutral" in printed.out
    assert "uncalibrated" in printed.out
    assert "R − signals" in printed.out
    assert max(map(len, printed.out.splitlines())) <= 100
    written = json.loads((run / "evaluation.json").read_text("utf-8"))
    assert written["ranking"]["rivals"][0]["name"] == "signals"
    assert written["users_satisfied"]["value"] == pytest.approx(22 / 48)


def test_fitted_cuts_are_kept_and_the_scores_labelled_anew(run: Path) -> None:
    before = read_scores(run / "scores.jsonl")
    printed = userside("evaluate", run, "--fit-cuts", "--json")
    assert printed.code == 0, printed.err
    kept = json.loads((run / "cuts.json").read_text("utf-8"))
    assert (kept["labels"], kept["cuts"]["calibrated"]) == ("label", True)
    assert kept["left_out"] == {"too few neutral": 6}
    after = read_scores(run / "scores.jsonl")
    assert [one.R for one in after] == [one.R for one in before]
    assert all(one.label is not None and one.probability is not None for one in after)
    # Later it is again the held-out figures that are given, not those of the labels the cuts were fitted to.
    found = json.loads(printed.out)
    assert found == json.loads((run / "evaluation.json").read_text("utf-8"))
    assert found["tables"]["is_held_out"]
    assert found["reliability"]["is_held_out"]
    assert json.loads(userside("evaluate", run, "--json").out) == found
    assert sorted(path.name for path in run.iterdir() if path.name.endswith(".tmp")) == []


def test_labels_can_come_from_another_file(run: Path, tmp_path: Path) -> None:
    turned = {Label.SATISFIED: Label.DISSATISFIED, Label.DISSATISFIED: Label.SATISFIED, Label.NEUTRAL: Label.NEUTRAL}
    others = [
        replace(one, feedback=tuple(replace(said, label=said.label and turned[said.label]) for said in one.feedback))
        for one in read_sample("everyday")[:40]
    ]
    write_jsonl(others, tmp_path / "turned.jsonl")
    printed = userside("evaluate", run, "--labels-from", tmp_path / "turned.jsonl", "--json")
    assert printed.code == 0, printed.err
    found = json.loads(printed.out)
    assert found["coverage"]["unlabelled"] == 8
    assert found["ranking"]["auc"]["estimate"] < 0.5  # the scores follow the labels that were turned


def test_another_run_stands_beside_without_what_its_rubric_was_learned_from(run: Path, tmp_path: Path) -> None:
    other = made_run(tmp_path / "other", read_sample("everyday"))
    learned = replace(RUBRIC, training_ids=tuple(one.id for one in read_sample("everyday")[:3]))
    write_rubric(learned, other / "rubric.json")
    printed = userside("evaluate", run, "--beside", other, "--json")
    assert printed.code == 0, printed.err
    rivals = json.loads(printed.out)["tables"]["three"]["rivals"]
    assert [(rival["name"], rival["missing"]) for rival in rivals] == [
        ("R, cuts fitted", 0),
        ("signals", 0),
        ("R of other", 3),
    ]


def test_one_class_of_labels_is_evaluated_as_far_as_it_goes(tmp_path: Path) -> None:
    satisfied = [one for one in read_sample("everyday") if one.feedback[0].label is Label.SATISFIED]
    run = made_run(tmp_path / "run", satisfied)
    printed = userside("evaluate", run)
    assert printed.code == 1
    assert "there are 22 satisfied, 0 dissatisfied" in " ".join(printed.out.split())
    assert "22/22" in printed.out
    refused = userside("evaluate", run, "--fit-cuts")
    assert refused.code == 2
    assert "not 22 and 0" in refused.err
    assert "22/22" in refused.out
    assert not (run / "cuts.json").exists()


def test_scores_that_are_all_missing_are_said_to_be(tmp_path: Path) -> None:
    score(read_sample("everyday")[:4], model=SILENT, folder=tmp_path / "run")
    printed = userside("evaluate", tmp_path / "run")
    assert printed.code == 1
    assert "0 evaluated" in printed.out
    assert "no conversation has both R and a label" in printed.out


def without_labels(one: Conversation) -> Conversation:
    return replace(one, feedback=())


def labelled_twice(one: Conversation) -> Conversation:
    return replace(one, feedback=(*one.feedback, Feedback(by="rule:thumb", label=Label.SATISFIED)))


def rated(one: Conversation) -> Conversation:
    return replace(one, feedback=(Feedback(by="user", rating=7, scale=(1, 10), thumb=Thumb.UP),))


@pytest.mark.parametrize(
    ("change", "words", "said"),
    [
        (without_labels, (), "none of the conversations carries a label"),
        (rated, (), "there are 4 ratings on 1 to 10 and 4 thumbs"),
        (rated, (), "import FILE --labels rating -o LABELLED.jsonl"),
        (labelled_twice, (), "Name one with --labels"),
        (labelled_twice, ("--labels", "overall"), "'overall'"),
    ],
)
def test_labels_that_cannot_be_used_are_wrong_input(
    tmp_path: Path, change: Callable[[Conversation], Conversation], words: tuple[str, ...], said: str
) -> None:
    run = made_run(tmp_path / "run", [change(one) for one in read_sample("everyday")[:4]])
    printed = userside("evaluate", run, *words)
    assert (printed.code, printed.out) == (2, "")
    assert said in " ".join(printed.err.split())
    assert not (run / "evaluation.json").exists()


def test_a_folder_without_a_run_is_wrong_input(tmp_path: Path) -> None:
    printed = userside("evaluate", tmp_path)
    assert (printed.code, printed.out) == (2, "")
    assert "run.json" in printed.err


def test_a_run_scored_with_another_judge_than_the_cuts_are_for_says_so(tmp_path: Path) -> None:
    write_rubric(replace(RUBRIC, cuts=(Cuts(judge="openai:large", calibrated=True),)), tmp_path / "rubric.json")
    write_jsonl(read_sample("everyday")[:4], tmp_path / "chats.jsonl")
    words = ("--rubric", tmp_path / "rubric.json", "--model", "fake", "-o", tmp_path / "run")
    with FakeServerThread(answer=judge) as server:
        scored_ = userside("score", tmp_path / "chats.jsonl", *words, "--base-url", server.base_url)
    assert "4 conversations have R, and no label follows from it: the cuts at hand are for openai:large" in scored_.err
    assert all(one.label is None for one in read_scores(tmp_path / "run" / "scores.jsonl"))
    printed = userside("evaluate", tmp_path / "run")
    assert printed.code == 1
    assert "the cuts at hand are for openai:large" in " ".join(printed.out.split())


def test_help_has_an_example() -> None:
    assert "userside evaluate run --labels overall" in userside("evaluate", "--help").out
