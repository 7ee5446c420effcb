"""LMSYS-Chat-1M: its rows, and telling them from others."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.talk import read_text, write_rows
from userside.conversations import Conversation, Speaker, Turn, read_conversations
from userside.errors import FormatError

ROW: dict[str, Any] = {
    "conversation_id": "33f0",
    "model": "vicuna-13b",
    "conversation": [{"content": "I am NAME_1.", "role": "user"}, {"content": "Hello, NAME_1!", "role": "assistant"}],
    "turn": 1,
    "language": "Portuguese",
    "openai_moderation": [{"categories": {"harassment": False}, "flagged": False}],
    "redacted": True,
}
READ = Conversation(
    id="33f0",
    source="lmsys",
    language="pt",
    turns=(
        Turn(index=0, speaker=Speaker.USER, text="I am NAME_1."),
        Turn(index=1, speaker=Speaker.ASSISTANT, text="Hello, NAME_1!", model="vicuna-13b"),
    ),
    metadata={"redacted": True},
)


@pytest.mark.parametrize("text", [json.dumps(ROW), json.dumps([ROW]), json.dumps(ROW, indent=2)])
def test_json(tmp_path: Path, text: str) -> None:
    result = read_text(tmp_path, text)
    assert result.conversations() == (READ,)
    assert set(result.tally.formats.values()) == {"lmsys"}


def test_parquet(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [ROW, ROW | {"conversation_id": "b", "conversation": []}]
    result = read_conversations(write_rows(rows, tmp_path / "x"))
    assert result.conversations() == (READ,)
    assert set(result.tally.formats.values()) == {"lmsys"}
    assert [skipped.row for skipped in result.tally.skipped] == [2]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"conversation_hash": "a", **ROW}, "wildchat"),
        ({"conversation_id": "a", "conversation": [{"from": "human", "value": "x"}]}, "sharegpt"),
        ({"conversation_id": "a", "messages": ROW["conversation"]}, "openai"),
    ],
)
def test_what_is_much_like_it(tmp_path: Path, row: dict[str, Any], found: str) -> None:
    result = read_text(tmp_path, json.dumps(row))
    assert set(result.tally.formats.values()) == {found}
    assert len(result.conversations()) == 1


def test_parquet_of_an_unknown_kind_says_what_was_tried(tmp_path: Path) -> None:
    write_rows([{"conversation": "User: hi"}], tmp_path / "x")
    with pytest.raises(FormatError, match="is in no format that is known here"):
        read_conversations(tmp_path / "x")
    write_rows([{"a": 1}], tmp_path / "x")
    with pytest.raises(FormatError, match="wanted a column `turns`, not only a"):
        read_conversations(tmp_path / "x").conversations()


def test_rows_of_the_arena_are_not_taken_for_it(tmp_path: Path) -> None:
    row: dict[str, Any] = {
        "question_id": "q",
        "winner": "model_a",
        "conversation_a": ROW["conversation"],
        "conversation_b": [],
    }
    with pytest.raises(FormatError, match="is in no format that is known here"):
        read_text(tmp_path, json.dumps(row))
