"""Run folders: resumed by the same plan, refused to another, and cleaned of a subject that withdraws."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from userside.errors import RunError
from userside.llm import (
    Message,
    Request,
    Role,
    Run,
    RunPlan,
    RunState,
    ScriptedModel,
    StoredModel,
    forget,
    read_run,
    write_atomically,
)

PLAN = RunPlan(
    command="score",
    inputs={"chats.jsonl": "ab12"},
    models={"judge": "openai:x"},
    settings={"rubric": "builtin:booking", "seeds": (1, 2), "nested": {"deep": 1}},
)


def test_the_same_plan_on_the_same_folder_goes_on(tmp_path: Path) -> None:
    with Run.open(tmp_path / "run", PLAN, version="1.2") as run:
        run.note(state=RunState.PARTIAL, summary={"scored": 3})
    with Run.open(tmp_path / "run", PLAN) as run:
        assert run.record.state is RunState.PARTIAL
        assert run.record.summary == {"scored": 3}
        assert run.record.userside == "1.2"


def test_another_plan_on_the_folder_is_refused_and_the_difference_named(tmp_path: Path) -> None:
    with Run.open(tmp_path / "run", PLAN):
        pass
    other = RunPlan(
        command="score", inputs={"chats.jsonl": "ab12"}, models={"judge": "openai:y"}, settings=PLAN.settings
    )
    difference = r"holds other work: models\.judge was 'openai:x' and is now 'openai:y'"
    with pytest.raises(RunError, match=difference) as caught:
        Run.open(tmp_path / "run", other)
    assert caught.value.__notes__ == ["Name a new folder with -o, or repeat the command as it was."]


def test_two_processes_do_not_share_a_run(tmp_path: Path) -> None:
    with Run.open(tmp_path / "run", PLAN), pytest.raises(RunError, match="another process is working in this run"):
        Run.open(tmp_path / "run", PLAN)


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_text("precious")
    with pytest.raises(RunError, match="holds other files"):
        Run.open(tmp_path, PLAN)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.docx"]


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(RunError, match="wanted a folder for the run, and it is a file"):
        Run.open(tmp_path / "run", PLAN)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 2}', '{"format": 1, "plan": {"command": 3}}'])
def test_a_damaged_run_file_is_named_and_kept(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").write_text(text)
    with pytest.raises(RunError, match=r"run\.json: "):
        Run.open(folder, PLAN)
    assert (folder / "run.json").read_text() == text


def test_no_run_at_all_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"there is no run\.json in it"):
        read_run(tmp_path)


def test_a_failure_leaves_the_run_marked_as_partial(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Run.open(tmp_path / "run", PLAN):
        raise KeyboardInterrupt
    assert read_run(tmp_path / "run").state is RunState.PARTIAL


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.txt", "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(tmp_path / "a.txt", "new \udeaa")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.txt", "old")]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """A run about two conversations of Anna's and one of Ben's."""
    with Run.open(tmp_path / "run", PLAN) as run:
        rows = [
            {"id": "c-1", "contributor": "anna", "turns": [{"text": "my secret zebra"}]},
            {"id": "c-11", "contributor": "ben", "turns": [{"text": "a walrus"}]},
            {"id": "c-2", "contributor": "anna", "turns": [{"text": "the zebra again"}]},
        ]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        write_atomically(run.input_copy, lines)
        write_atomically(run.folder / "scores.jsonl", lines)
        write_atomically(run.folder / "report.html", "<p>secret zebra</p>")
        rubric = {
            "items": [
                {"name": "i", "evidence": [{"id": "c-1", "quote": "secret zebra"}, {"id": "c-11", "quote": "walrus"}]}
            ],
            "training_ids": ["c-1", "c-11"],
        }
        write_atomically(run.folder / "rubric.json", json.dumps(rubric))
        model = StoredModel(inner=ScriptedModel(["zebra!", "walrus!"]), store=run.store)
        for subject, text in (("c-1", "zebra?"), ("c-11", "walrus?")):
            message = Message(role=Role.USER, text=text)
            asyncio.run(model.ask(Request(messages=(message,), subjects=frozenset({subject}))))
        yield run


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_contributor_takes_all_their_conversations_with_them(run: Run) -> None:
    forgotten = forget(run, ["anna"])
    left = everything(run.folder)
    for trace in (b"zebra", b"anna", b'"c-1"', b'"c-2"'):
        assert trace not in left
    assert b"walrus" in left
    assert (forgotten.answers, forgotten.rows, forgotten.mentions) == (1, 4, 2)
    assert forgotten.removed == ("report.html",)


def test_an_id_that_begins_like_another_takes_only_its_own(run: Run) -> None:
    forget(run, ["c-1"])
    kept = [json.loads(line)["id"] for line in (run.folder / "scores.jsonl").read_text().splitlines()]
    assert kept == ["c-11", "c-2"]
    rubric = json.loads((run.folder / "rubric.json").read_text())
    assert rubric["training_ids"] == ["c-11"]
    assert rubric["items"][0]["evidence"] == [{"id": "c-11", "quote": "walrus"}]


def test_who_was_forgotten_is_known_by_digest_only(run: Run) -> None:
    forget(run, ["c-1"])
    assert run.store.is_forgotten(["c-1"])
    assert not run.store.is_forgotten(["c-11"])
