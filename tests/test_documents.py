"""What the documents say is true: their Python runs, their commands run, their links lead somewhere."""

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_examples import CodeExample, EvalExample, find_examples

from tests.cli.learner import learner
from userside.conversations import Label, read_sample, sample_path
from userside.llm.fake_server import FakeServerThread

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHELL = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]+\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("example", [*find_examples(*map(str, PAGES))], ids=str)
def test_python_in_a_document_runs_and_prints_what_it_says(example: CodeExample, eval_example: EvalExample) -> None:
    eval_example.set_config(line_length=120)
    eval_example.run_print_check(example)


def pages_with_commands() -> list[Path]:
    return [page for page in PAGES if SHELL.search(page.read_text("utf-8"))]


def write_thumbs(path: Path) -> None:
    """Write the sample as a product's own table: a message a row, and the thumb under the chat."""
    thumbs = {Label.SATISFIED: "up", Label.DISSATISFIED: "down"}
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["chat", "role", "message", "thumb"])
        for one in read_sample("everyday"):
            thumb = next((thumbs.get(entry.label, "") for entry in one.feedback if entry.label), "")
            table.writerows([one.id, turn.speaker.value, turn.text, thumb] for turn in one.turns)


@pytest.mark.parametrize("page", pages_with_commands(), ids=lambda page: page.name)
def test_commands_in_a_document_run_in_order(page: Path, tmp_path: Path) -> None:
    shutil.copyfile(sample_path("everyday"), tmp_path / "chats.jsonl")
    write_thumbs(tmp_path / "thumbs.csv")
    # The judge is the endpoint that ships for tests; the documents name no key and no address.
    with FakeServerThread(answer=learner) as server:
        environment = {**os.environ, "USERSIDE_JUDGE": "openai:fake", "USERSIDE_JUDGE_BASE_URL": server.base_url}
        for line in "".join(SHELL.findall(page.read_text("utf-8"))).splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            program, *words = shlex.split(line, comments=True)
            assert program == "userside", f"a document's commands are Userside's, not {line!r}"
            command = [sys.executable, "-m", "userside", *words]
            done = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
            )
            # 1 is "done in part": the fake judge contradicts itself now and then.
            assert done.returncode in {0, 1}, f"{line}\n{done.stderr}"
            assert "Traceback" not in done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(page: Path) -> None:
    broken = [link for link in LINK.findall(page.read_text("utf-8")) if not (page.parent / link).exists()]
    assert broken == []
