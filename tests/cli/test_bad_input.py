"""Wrong input: one clear message, exit code 2, nothing half-written."""

import json
import os
import time
from pathlib import Path

import pytest

from tests.cli.commands import userside
from userside.conversations import sample_path

CHATS = sample_path("everyday")
HERE = ("--base-url", "http://127.0.0.1:9/v1")

CASES: dict[str, tuple[tuple[str | Path, ...], str]] = {
    "missing file": (("score", "nowhere.jsonl", "--model", "x", *HERE), "nowhere.jsonl"),
    "wrong format": (("score", "picture.png", "--model", "x", *HERE), "picture.png"),
    "empty file": (("score", "empty.jsonl", "--model", "x", *HERE), "empty.jsonl"),
    "nobody says anything": (("score", "silent.jsonl", "--model", "x", *HERE), "in which a user says something"),
    "unknown provider": (("score", CHATS, "--model", "gpt-7"), "--model: wanted PROVIDER:MODEL, not 'gpt-7'"),
    "unknown embedded model": (("score", CHATS, "--model", "local:hal"), "'hal'"),
    "no model": (("score", CHATS), "--model: wanted a model for the judge"),
    "no key": (("score", CHATS, "--model", "openai:gpt-5-mini"), "OPENAI_API_KEY"),
    "no such rubric": (("score", CHATS, "--rubric", "builtin:charm", "--model", "x", *HERE), "builtin:charm"),
    "no such rubric file": (("score", CHATS, "--rubric", "r.json", "--model", "x", *HERE), "r.json: wanted a rubric"),
    "no such elicitation": (("score", CHATS, "--elicit", "telepathy", "--model", "x", *HERE), "telepathy"),
    "price unknown": (("score", CHATS, "--max-cost", "1", "--model", "x", *HERE), "--max-cost: the price of"),
    "import to a wrong name": (("import", CHATS, "-o", "out.docx"), "out.docx: wanted a name that ends in"),
    "import of nothing": (("import", "empty.jsonl", "-o", "out.jsonl"), "empty.jsonl"),
    "import with a wrong column": (("import", CHATS, "--column", "text", "-o", "o.jsonl"), "wanted OUR=THEIRS"),
    "import with a wrong scale": (("import", CHATS, "--scale", "5-1", "-o", "o.jsonl"), "wanted the lower value first"),
    "import with a wrong format": (("import", CHATS, "--format", "doc", "-o", "o.jsonl"), "no format is called 'doc'"),
    "import with a wrong rule": (("import", CHATS, "--labels", "mood", "-o", "o.jsonl"), "mood"),
    "look at nothing": (("look", "nowhere.jsonl"), "nowhere.jsonl"),
    "report of no run": (("report", "nowhere"), "nowhere"),
    "evaluate no run": (("evaluate", "nowhere"), "nowhere"),
    "batch of a local model": (("batch", "start", "score", CHATS, "--model", "local:smollm2-135m"), "answers at once"),
    "export of no run": (("batch", "export", "nowhere", "-o", "out.jsonl"), "nowhere"),
    "forget in no run": (("forget", "nowhere", "anna"), "nowhere"),
}


@pytest.mark.parametrize(("words", "said"), CASES.values(), ids=CASES.keys())
def test_one_clear_message_and_nothing_written(words: tuple[str | Path, ...], said: str, tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "silent.jsonl").write_text('{"format": 1, "id": "a", "source": "x", "turns": []}\n')
    before = sorted(path.name for path in tmp_path.iterdir())
    printed = userside(*words, cwd=tmp_path)
    assert (printed.code, printed.out) == (2, "")
    assert said in printed.err
    assert "Traceback" not in printed.err
    assert printed.err.startswith("userside: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_an_endpoint_that_lets_nobody_in_leaves_no_folder(tmp_path: Path) -> None:
    from userside.llm.fake_server import Behaviour, FakeServerThread

    with FakeServerThread(Behaviour(key="right")) as server:
        printed = userside("score", CHATS, "--model", "x", "--base-url", server.base_url, "-o", tmp_path / "run")
    assert printed.code == 2, printed.err
    assert not (tmp_path / "run").exists()
    assert "Traceback" not in printed.err


def test_a_terminal_cannot_be_driven_by_a_file_name(tmp_path: Path) -> None:
    printed = userside("look", "\x1b[31mred\x07.jsonl", cwd=tmp_path)
    assert printed.code == 2
    assert "\x1b" not in printed.err


def test_help_comes_at_once() -> None:
    """Measured as CPU seconds of the process: the machines are shared, and wall time says who else is busy."""
    used: list[float] = []
    for _ in range(3):
        before = os.times()
        assert userside("--help").code == 0
        after = os.times()
        used.append(after.children_user + after.children_system - before.children_user - before.children_system)
        time.sleep(0.01)
    assert min(used) < 0.3, used


def test_a_rule_that_labels_nothing_says_so(tmp_path: Path) -> None:
    rated = tmp_path / "rated.jsonl"
    row = {"format": 1, "id": "a", "source": "x", "turns": [{"index": 0, "speaker": "user", "text": "Hi"}]}
    rated.write_text(json.dumps(row | {"feedback": [{"by": "u", "rating": 4}]}) + "\n", "utf-8")
    printed = userside("import", rated, "--labels", "rating", "-o", tmp_path / "out.jsonl")
    assert printed.code == 1
    assert "--scale LOW-HIGH" in printed.err
    assert userside("import", rated, "--labels", "rating", "--scale", "1-5", "-o", tmp_path / "out.jsonl").code == 0
