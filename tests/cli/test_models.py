"""`userside models`: what can be named, and fetching it."""

import json
from pathlib import Path

import pytest

from tests.cli.commands import userside

NAMES = ["local:qwen2.5-coder-1.5b", "local:qwen2.5-coder-0.5b", "local:smollm2-135m", "local:all-minilm-l6-v2"]


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USERSIDE_CACHE", str(tmp_path))
    monkeypatch.setenv("USERSIDE_WEIGHTS", "none")
    monkeypatch.delenv("USERSIDE_WEIGHTS_FILE", raising=False)


def test_the_list_tells_size_licence_and_what_it_is_good_for() -> None:
    printed = userside("models", "list")
    assert printed.code == 0, printed.err
    lines = printed.out.splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert "1,117 MB  Apache-2.0  not here" in lines[0]
    assert "at chance as a judge" in lines[2]
    assert "userside models fetch" in printed.err


def test_the_list_is_there_for_programs_too() -> None:
    rows = json.loads(userside("models", "list", "--json").out)
    assert [row["name"] for row in rows] == NAMES
    assert {row["here"] for row in rows} == {False}
    assert {len(row["sha256"]) for row in rows} == {64}


def test_a_file_that_was_named_counts_as_here_only_if_it_is_that_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.gguf"
    file.write_bytes(b"not a model")
    monkeypatch.setenv("USERSIDE_WEIGHTS_FILE", str(file))
    assert {row["here"] for row in json.loads(userside("models", "list", "--json").out)} == {False}


def test_fetching_what_is_unknown_names_what_there_is() -> None:
    printed = userside("models", "fetch", "gpt-6")
    assert (printed.code, printed.out) == (2, "")
    assert "smollm2-135m" in printed.err


def test_fetching_where_nothing_is_allowed_says_how_to_allow_it(tmp_path: Path) -> None:
    printed = userside("models", "fetch", "smollm2-135m")
    assert (printed.code, printed.out) == (2, "")
    assert "USERSIDE_WEIGHTS=hub,registry" in printed.err
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".gguf"]


def test_fetching_what_is_here_prints_where(tmp_path: Path) -> None:
    rows = json.loads(userside("models", "list", "--json").out)
    smallest = next(row for row in rows if row["name"] == "local:smollm2-135m")
    path = tmp_path / "weights" / f"{smallest['sha256']}.gguf"
    path.parent.mkdir()
    with path.open("wb") as file:
        file.truncate(smallest["bytes"])  # a file gets into the cache only verified: its size alone is looked at
    assert userside("models", "fetch", "local:smollm2-135m").out.strip() == str(path)
