"""`userside report`: where the file goes, and what is refused."""

from pathlib import Path

import pytest

from tests.cli.commands import userside
from tests.rubrics.learning.planted import plant, reply
from tests.rubrics.report_runs import everyday, inputs, written
from userside.facade import learn
from userside.llm import ScriptedModel
from userside.rubrics import LearnSettings


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return written(inputs(everyday()[:12]), tmp_path / "run")


def test_the_report_is_in_the_run_and_its_path_is_printed(run: Path) -> None:
    printed = userside("report", run)
    assert (printed.code, printed.err) == (0, "")
    path = Path(printed.out.strip())
    assert path == (run / "report.html").resolve()
    first = path.read_bytes()
    assert userside("report", run).code == 0
    assert path.read_bytes() == first


def test_the_file_can_be_named(run: Path, tmp_path: Path) -> None:
    printed = userside("report", run, "-o", "mine.html", cwd=tmp_path)
    assert printed.code == 0, printed.err
    assert (tmp_path / "mine.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert not (run / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "nowhere/mine.html"), "its folder is not there"),
        (("-o", "."), "it is a folder"),
        (("--labels", "mood"), "'mood'"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(
    run: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    printed = userside("report", run, *words, cwd=tmp_path)
    assert (printed.code, printed.out) == (2, "")
    assert said in printed.err
    assert list(tmp_path.rglob("*.html")) == []


def test_a_run_without_scores_says_what_to_do(run: Path) -> None:
    (run / "scores.jsonl").unlink()
    printed = userside("report", run)
    assert printed.code == 2
    assert "userside score" in printed.err


def test_a_learning_run_has_a_report_too(tmp_path: Path) -> None:
    settings = LearnSettings(share=0.4, items=3, batch_size=10, folds=0)
    learn(plant(60), model=ScriptedModel(reply, name="planted"), settings=settings, folder=tmp_path / "learned")
    printed = userside("report", tmp_path / "learned")
    assert (printed.code, printed.err) == (0, "")
    assert "whose words it comes from" in Path(printed.out.strip()).read_text(encoding="utf-8")
