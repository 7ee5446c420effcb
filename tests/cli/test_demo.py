"""The demo, with the endpoint that ships in place of the embedded model; `make demo` runs it with the real one."""

from pathlib import Path

from tests.cli.commands import userside
from tests.rubrics.coherent_judge import judge
from userside.llm.fake_server import FakeServerThread


def test_the_demo_looks_scores_and_reports_and_goes_on_when_run_again(tmp_path: Path) -> None:
    with FakeServerThread(answer=judge) as server:
        words = (
            "demo",
            "--model",
            "fake",
            "--base-url",
            server.base_url,
            "--conversations",
            "6",
            "-o",
            tmp_path / "demo",
        )
        first = userside(*words)
        assert first.code == 0, first.err
        assert "48 conversations" in first.out
        assert "6 of 6 conversations are scored" in first.out
        report = tmp_path / "demo" / "report.html"
        assert f"The report: {report.resolve()}" in first.out
        assert "[3/3] took" in first.err
        assert "everyday-01" in report.read_text("utf-8")
        scores = (tmp_path / "demo" / "scores.jsonl").read_bytes()
        assert userside(*words).code == 0
        assert server.tally.requests == 6
    assert (tmp_path / "demo" / "scores.jsonl").read_bytes() == scores
