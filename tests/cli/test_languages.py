"""Conversations in three scripts go through whole: imported, looked at, learned from, scored, evaluated, reported."""

import json
from pathlib import Path

import pytest

from tests.cli.commands import Printed, userside
from tests.cli.learner import learner
from userside.conversations import sample_path
from userside.llm.fake_server import FakeServerThread


def done(printed: Printed) -> Printed:
    assert printed.code == 0, printed.err
    return printed


@pytest.mark.parametrize(
    ("name", "tag", "language"),
    [("spanish", "es", "Spanish"), ("chinese", "zh", "Chinese"), ("arabic", "ar", "Arabic")],
)
def test_a_language_goes_through_whole(name: str, tag: str, language: str, tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(body: dict[str, object]) -> str:
        asked.append(json.dumps(body, ensure_ascii=False))
        return learner(body)

    file, rubric, run = tmp_path / f"{name}.jsonl", tmp_path / "rubric", tmp_path / "run"
    done(userside("import", sample_path(name), "-o", file))
    done(userside("look", file))
    with FakeServerThread(answer=answer) as server:
        model = ("--model", "fake", "--base-url", server.base_url)
        few = ("--least", "3", "--train", "0.5", "--items", "2", "--folds", "0", "--language", language)
        done(userside("learn", file, *model, *few, "-o", rubric))
        done(userside("score", file, "--rubric", rubric, *model, "-o", run))
    conversations = [body for body in asked if "<conversation>" in body]
    learned = json.loads((rubric / "rubric.json").read_text("utf-8"))
    assert len(conversations) == 2 * len(learned["training_ids"]) + 12  # reasons, cuts; scores
    assert all(f"[The conversation is in {language}.]" in body for body in conversations)
    assert all(f"in {language}." in body for body in asked if "Rubric so far" in body)
    # Too few labels for cuts: R is there and labels are not, which is "done in part".
    evaluation = userside("evaluate", run, "--json")
    assert evaluation.code == 1, evaluation.err
    evaluated = json.loads(evaluation.out)
    assert {one["language"] for one in evaluated["languages"]} <= {tag}
    done(userside("report", run))
    page = (run / "report.html").read_text("utf-8")
    first = json.loads(file.read_text("utf-8").splitlines()[0])["turns"][0]["text"]
    assert first[:12] in page
    assert all(item["evidence"] for item in learned["items"])
