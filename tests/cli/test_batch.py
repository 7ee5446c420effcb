"""The same work answered elsewhere gives the same scores as the live run."""

import json
import random
import urllib.request
from pathlib import Path

from tests.cli.commands import userside
from tests.rubrics.coherent_judge import judge
from userside.conversations import sample_path
from userside.llm.fake_server import Behaviour, FakeServerThread, Fault, Rule

CHATS = sample_path("everyday")


def answer_elsewhere(requests: Path, responses: Path, base_url: str) -> int:
    """Answer a file of requests as another program would: over HTTP, with nothing of ours, and out of order."""
    lines: list[str] = []
    for line in requests.read_text("utf-8").splitlines():
        request = json.loads(line)
        call = urllib.request.Request(
            base_url.removesuffix("/v1") + request["url"],
            data=json.dumps(request["body"]).encode(),
            headers={"Content-Type": "application/json"},
            method=request["method"],
        )
        with urllib.request.urlopen(call) as answered:
            body = json.loads(answered.read())
        lines.append(json.dumps({"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}}))
    random.Random(3).shuffle(lines)
    responses.write_text("\n".join(lines), "utf-8")
    return len(lines)


def scores(run: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (run / "scores.jsonl").read_text("utf-8").splitlines()]


def test_a_batch_gives_the_scores_of_the_live_run(tmp_path: Path) -> None:
    # Some answers are cut off for good, so that re-asks and larger budgets go through the batch too.
    awkward = Behaviour(rules=(Rule(fault=Fault.TRUNCATED, share=0.3), Rule(fault=Fault.PROSE, share=0.2)), seed=5)
    with FakeServerThread(awkward, answer=judge) as server:
        model = ("--model", "fake", "--base-url", server.base_url)
        live = userside("score", CHATS, *model, "-o", tmp_path / "live")
        assert live.code == 1, live.err
        started = userside("batch", "start", "score", CHATS, *model, "-o", tmp_path / "batch")
        assert (started.code, started.out.split()[0]) == (0, "48"), started.err
        rounds = 0
        done = started
        while rounds == 0 or "Done: nothing waits." not in done.out:
            rounds += 1
            assert rounds < 8
            requests, responses = tmp_path / f"requests-{rounds}.jsonl", tmp_path / f"responses-{rounds}.jsonl"
            assert userside("batch", "export", tmp_path / "batch", "-o", requests).code == 0
            assert answer_elsewhere(requests, responses, server.base_url) > 0
            done = userside("batch", "import", tmp_path / "batch", responses)
    assert rounds > 1
    assert scores(tmp_path / "batch") == scores(tmp_path / "live")
    assert json.loads((tmp_path / "batch" / "run.json").read_text("utf-8"))["state"] == "complete"


def test_what_was_not_answered_waits_on(tmp_path: Path) -> None:
    model = ("--model", "fake", "--base-url", "http://127.0.0.1:9/v1")
    run, requests = tmp_path / "run", tmp_path / "requests.jsonl"
    userside("batch", "start", "score", CHATS, *model, "-o", run)
    userside("batch", "export", run, "-o", requests)
    keys = [json.loads(line)["custom_id"] for line in requests.read_text("utf-8").splitlines()]
    failed: dict[str, object] = {
        "custom_id": keys[0],
        "response": {"status_code": 500, "body": {"error": {"message": "try later"}}},
    }
    too_long: dict[str, object] = {
        "custom_id": keys[1],
        "error": {"code": "context_length_exceeded", "message": "too long"},
    }
    foreign: dict[str, object] = {"custom_id": "of another run", "response": {"status_code": 200, "body": {}}}
    responses = tmp_path / "responses.jsonl"
    responses.write_text("\n".join([*map(json.dumps, (failed, too_long, foreign)), "{broken", ""]), "utf-8")
    taken = userside("batch", "import", run, responses, "--json")
    assert taken.code == 1
    assert json.loads(taken.out) | {"run": ""} == {
        "run": "",
        "imported": {
            "answers": 0, "refusals": 1, "failed": 1, "foreign": 1, "still_pending": 47,
            "unreadable": [[4, json.loads(taken.out)["imported"]["unreadable"][0][1]]],
        },
        "pending": 47,
    }  # fmt: skip
    again = tmp_path / "again.jsonl"
    userside("batch", "export", run, "-o", again)
    assert {json.loads(line)["custom_id"] for line in again.read_text("utf-8").splitlines()} == set(keys) - {keys[1]}


def test_a_file_of_requests_given_as_responses_is_recognised(tmp_path: Path) -> None:
    model = ("--model", "fake", "--base-url", "http://127.0.0.1:9/v1")
    run, notes = tmp_path / "run", tmp_path / "notes.txt"
    userside("batch", "start", "score", CHATS, *model, "-o", run)
    notes.write_text("call the plumber\n", "utf-8")
    taken = userside("batch", "import", run, notes)
    assert taken.code == 2
    assert "notes.txt:1: wanted a batch response with a custom_id, not 'call the plumber'" in taken.err
