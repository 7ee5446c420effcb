"""The demo, with the endpoint that ships in place of the embedded model; `make demo` runs it with the real one."""

from pathlib import Path

from tests.cli.commands import userside
from tests.cli.learner import learner
from userside.llm.fake_server import FakeServerThread


def test_the_demo_looks_learns_scores_and_reports_and_goes_on_when_run_again(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    with FakeServerThread(answer=learner) as server:
        words = ("demo", "--model", "fake", "--base-url", server.base_url, "--conversations", "6", "-o", folder)
        first = userside(*words)
        assert first.code == 0, first.err
        assert "48 conversations" in first.out
        assert "Learned from 24 of 24 labelled conversations" in first.out
        assert "6 of 6 conversations are scored" in first.out
        report = folder / "scores" / "report.html"
        assert f"The report: {report.resolve()}" in first.out
        assert "[4/4] took" in first.err
        assert "everyday-01" in report.read_text("utf-8")
        kept = [(folder / name).read_bytes() for name in ("scores/scores.jsonl", "rubric/rubric.json")]
        asked = server.tally.requests
        assert userside(*words).code == 0
        assert server.tally.requests == asked
    assert [(folder / name).read_bytes() for name in ("scores/scores.jsonl", "rubric/rubric.json")] == kept


def test_the_quick_demo_learns_nothing(tmp_path: Path) -> None:
    with FakeServerThread(answer=learner) as server:
        words = ("demo", "--quick", "--model", "fake", "--base-url", server.base_url, "--conversations", "3")
        done = userside(*words, "-o", tmp_path / "demo")
        assert done.code == 0, done.err
        assert "[3/3] took" in done.err
        assert server.tally.requests == 3
    assert not (tmp_path / "demo" / "rubric").exists()
