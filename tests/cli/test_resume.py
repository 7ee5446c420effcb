"""A run killed at a random moment goes on: complete, nothing twice, hardly anything asked again."""

import json
import random
import time
from pathlib import Path

import pytest

from tests.cli.commands import start_userside, userside
from tests.rubrics.coherent_judge import judge
from userside.conversations import Conversation, Speaker, Turn, write_jsonl
from userside.llm.fake_server import Behaviour, FakeServerThread

CALLS = 400
UNDER_WAY = 16


@pytest.fixture(scope="module")
def chats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As many conversations as calls: the rubric fits into one."""
    path = tmp_path_factory.mktemp("chats") / "chats.jsonl"
    texts = [f"I need the invoice of order {number}, please." for number in range(CALLS)]
    turns = [(Turn(index=0, speaker=Speaker.USER, text=text), Turn(index=1, speaker=Speaker.ASSISTANT, text="Here."),
              Turn(index=2, speaker=Speaker.USER, text="Thanks!")) for text in texts]  # fmt: skip
    write_jsonl((Conversation(id=f"c-{n}", source="test", turns=said) for n, said in enumerate(turns)), path)
    return path


def score(chats: Path, server: FakeServerThread, run: Path) -> tuple[str | Path, ...]:
    return (
        "score",
        chats,
        "--model",
        "fake",
        "--base-url",
        server.base_url,
        "--concurrency",
        str(UNDER_WAY),
        "-o",
        run,
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_a_killed_run_goes_on_and_asks_nothing_it_was_answered(chats: Path, tmp_path: Path, seed: int) -> None:
    run = tmp_path / "run"
    with FakeServerThread(Behaviour(delay=0.1), answer=judge) as server:
        process = start_userside(*score(chats, server, run))
        until = random.Random(seed).randrange(20, 300)
        while server.tally.requests < until and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        process.communicate()
        killed_at = server.tally.requests
        assert until <= killed_at < CALLS
        done = userside(*score(chats, server, run), "--json")
        assert done.code == 0, done.err
        assert server.tally.requests <= CALLS + UNDER_WAY
    assert json.loads(done.out)["scored"] == CALLS
    rows = [json.loads(line)["id"] for line in (run / "scores.jsonl").read_text("utf-8").splitlines()]
    assert rows == [f"c-{number}" for number in range(CALLS)]


def test_a_finished_run_asks_nothing_and_writes_the_same_bytes(chats: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with FakeServerThread(answer=judge) as server:
        userside(*score(chats, server, run))
        first, asked = (run / "scores.jsonl").read_bytes(), server.tally.requests
        assert userside(*score(chats, server, run)).code == 0
        assert server.tally.requests == asked == CALLS
    assert (run / "scores.jsonl").read_bytes() == first


def test_a_limit_stops_cleanly_and_a_higher_one_goes_on(chats: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with FakeServerThread(answer=judge) as server:
        first = userside(*score(chats, server, run), "--max-calls", "150", "--json")
        assert (first.code, json.loads(first.out)["missing_items"]["budget"]) == (1, (CALLS - 150) * 20)
        assert server.tally.requests == 150
        assert "Run the same command again" not in first.out
        second = userside(*score(chats, server, run), "--max-calls", "400", "--json")
        assert (second.code, json.loads(second.out)["scored"], server.tally.requests) == (0, CALLS, CALLS)


def test_forgetting_leaves_no_trace_of_a_conversation(chats: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with FakeServerThread(answer=judge) as server:
        userside(*score(chats, server, run))
        assert userside("report", run).code == 0
        gone = userside("forget", run, "c-7", "--json")
        assert gone.code == 0, gone.err
        assert json.loads(gone.out)["answers"] == 1
        for path in run.rglob("*"):
            if path.is_file():
                text = path.read_bytes()
                assert b"order 7," not in text, path
                assert b'"c-7"' not in text, path
        again = userside(*score(chats, server, run), "--json")
        assert json.loads(again.out)["scored"] == CALLS - 1
        assert server.tally.requests == CALLS
