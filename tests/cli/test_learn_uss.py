"""From real dialogues with ratings to a rubric, scores and an evaluation; the endpoint has no mind."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.in_process import run_here
from tests.cli.learner import learner
from tests.cli.learning_runs import rubric, written
from userside.conversations import Conversation, read_conversations
from userside.llm.fake_server import FakeServerThread

ROOT = Path(__file__).parents[2]
USS = Path(os.environ.get("USERSIDE_USS", ROOT / "../shared/data/uss"))


@pytest.mark.skipif(not USS.is_dir(), reason="USS is not here (USERSIDE_USS)")
@pytest.mark.parametrize("name", ["MWOZ", "SGD", "ReDial"])
def test_real_dialogues_from_ratings_to_an_evaluation(name: str, tmp_path: Path) -> None:
    labelled, run, scores = tmp_path / f"{name}.jsonl", tmp_path / "rubric", tmp_path / "scores"
    assert run_here("import", USS / f"{name}.txt", "--labels", "uss", "-o", labelled).code == 0
    with FakeServerThread(answer=learner) as endpoint:
        model = ("--model", "fake", "--base-url", endpoint.base_url)
        printed = run_here("learn", labelled, *model, "--labels", "uss", "--train", "0.05", "--items", "3",
                           "--folds", "2", "--embedder", "scripted:words", "-o", run)  # fmt: skip
        assert printed.code == 0, printed.err
        trained = set(rubric(run)["training_ids"])
        assert 45 <= len(trained) <= 60
        all_of_them = read_conversations(labelled).conversations()
        seen = [one for one in all_of_them if one.id in trained][:12]
        new = [one for one in all_of_them if one.id not in trained][:48]
        part = written([*seen, *new], tmp_path / "part.jsonl")
        scored = run_here("score", part, "--rubric", run, *model, "--labels", "uss", "-o", scores)
        assert scored.code == 0, scored.err
    evaluated = run_here("evaluate", scores, "--labels", "uss", "--json")
    assert evaluated.code in {0, 1}, evaluated.err
    found = json.loads(evaluated.out)
    assert found["coverage"]["training"] == 12
    quotes_stand_before_the_cut(run, {one.id: one for one in all_of_them})


def quotes_stand_before_the_cut(run: Path, by_id: dict[str, Conversation]) -> None:
    quotes: list[dict[str, Any]] = [words for item in rubric(run)["items"] for words in item["evidence"]]
    assert len(quotes) > 30
    for quote in quotes:
        conversation = by_id[quote["id"]]
        until = next(entry.until for entry in conversation.feedback if entry.by == "rule:uss")
        assert until is None or quote["turn"] < until
        assert conversation.turns[int(quote["turn"])].text.startswith(quote["quote"][:20].strip())
