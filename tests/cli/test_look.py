"""`userside look`, run as a stranger would."""

import json
from pathlib import Path

from tests.cli.commands import userside
from userside.conversations import sample_path


def test_the_sample_is_looked_at() -> None:
    printed = userside("look", sample_path("everyday"))
    assert printed.code == 0, printed.err
    assert printed.out.startswith("48 conversations\n")
    assert "A signal is a hint, not a verdict." in printed.out
    assert printed.err == ""


def test_json_is_for_programs() -> None:
    printed = userside("look", sample_path("everyday"), "--json")
    look = json.loads(printed.out)
    assert look["conversations"] == sum(look["scoreability"].values()) == 48


def test_a_bad_row_is_told_and_the_exit_code_says_so(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text('{"format": 1, "id": "a", "source": "t", "turns": []}\n{"turns": 7}\n', encoding="utf-8")
    printed = userside("look", file, "--format", "jsonl")
    assert printed.code == 1
    assert printed.out.startswith("1 conversation\n")
    assert "some.jsonl:2" in printed.err


def test_labels_that_are_not_there_are_wrong_input() -> None:
    printed = userside("look", sample_path("everyday"), "--labels", "overall")
    assert (printed.code, printed.out) == (2, "")
    assert "'overall'" in printed.err


def test_help_has_an_example() -> None:
    assert "userside look conversations.jsonl" in userside("look", "--help").out
