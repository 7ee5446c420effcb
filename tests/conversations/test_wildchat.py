"""WildChat: what is taken, and what is left behind."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.talk import read_text, write_rows
from userside.conversations import ImportResult, Note, conversation_to_json, derive_label, read_conversations

FIRST, LAST = datetime(2023, 4, 9, 0, 2, 53, tzinfo=UTC), datetime(2023, 4, 9, 0, 4, tzinfo=UTC)
PRIVATE = ["h4shed", "Atlantis", "Sunken", "Mozilla", "en-XX", "192.0.2.7"]


def message(role: str, content: str | None, *, at: datetime | None = None) -> dict[str, Any]:
    return {
        "content": content,
        "role": role,
        "country": "Atlantis",
        "state": "Sunken",
        "hashed_ip": "h4shed",
        "ip": "192.0.2.7",
        "header": {"user-agent": "Mozilla", "accept-language": "en-XX"},
        "language": "English",
        "redacted": False,
        "toxic": False,
        "timestamp": at,
        "turn_identifier": 1,
    }


ROW: dict[str, Any] = {
    "conversation_hash": "abc",
    "model": "gpt-4-0314",
    "timestamp": LAST,
    "conversation": [
        message("user", "hi", at=FIRST),
        message("assistant", "hello", at=LAST),
        message("user", "and?", at=None),
    ],
    "turn": 2,
    "language": "English",
    "toxic": True,
    "redacted": False,
    "state": "Sunken",
    "country": "Atlantis",
    "hashed_ip": "h4shed",
    "header": {"user-agent": "Mozilla", "accept-language": "en-XX"},
    "openai_moderation": [{"flagged": False}],
}


def read(folder: Path, *rows: dict[str, Any], parquet: bool) -> ImportResult:
    if not parquet:
        return read_text(folder, "\n".join(json.dumps(row, default=str) for row in rows))
    return read_conversations(write_rows(list(rows), folder / "x.parquet"))


@pytest.mark.parametrize("parquet", [False, True])
def test_a_row(tmp_path: Path, parquet: bool) -> None:
    result = read(tmp_path, ROW, parquet=parquet)
    (conversation,) = result.conversations()
    assert set(result.tally.formats.values()) == {"wildchat"}
    assert (conversation.id, conversation.source, conversation.language) == ("abc", "wildchat", "en")
    assert [(str(turn.speaker), turn.text, turn.at, turn.model) for turn in conversation.turns] == [
        ("user", "hi", FIRST, None),
        ("assistant", "hello", LAST, "gpt-4-0314"),
        ("user", "and?", None, None),
    ]
    assert conversation.started_at == FIRST
    assert conversation.metadata == {"toxic": True, "redacted": False, "last_turn_at": LAST.isoformat()}
    assert (result.tally.notes, result.tally.skipped) == ({}, [])


@pytest.mark.parametrize("parquet", [False, True])
def test_addresses_places_and_browsers_stay_behind(tmp_path: Path, parquet: bool) -> None:
    (conversation,) = read(tmp_path, ROW | {"user_id": PRIVATE[0]}, parquet=parquet).conversations()
    written = conversation_to_json(conversation)
    assert [found for found in PRIVATE if found in written] == []


@pytest.mark.parametrize("parquet", [False, True])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"conversation": []}, "conversation: wanted a list with at least one message, not []"),
        (
            {"conversation": [message("narrator", "x")]},
            "conversation[0].role: wanted one of assistant, developer, function, system, tool, user, not 'narrator'",
        ),
    ],
)
def test_rows_that_are_refused(tmp_path: Path, parquet: bool, change: dict[str, Any], reason: str) -> None:
    result = read(tmp_path, ROW, ROW | change, ROW | {"conversation_hash": "d"}, parquet=parquet)
    assert [conversation.id for conversation in result] == ["abc", "d"]
    assert [(skipped.row, skipped.reason) for skipped in result.tally.skipped] == [(2, reason)]


@pytest.mark.parametrize(
    ("language", "tag", "metadata"),
    [
        ("Chinese", "zh", {}),
        ("Bokmal", "nb", {}),
        ("Sotho", None, {"language_name": "Sotho"}),
        ("Unknown", None, {"language_name": "Unknown"}),
        (None, None, {}),
    ],
)
def test_languages(tmp_path: Path, language: str | None, tag: str | None, metadata: dict[str, str]) -> None:
    row = {"conversation_hash": "a", "conversation": [message("user", "x")], "language": language}
    (conversation,) = read(tmp_path, row, parquet=False).conversations()
    assert (conversation.language, conversation.metadata) == (tag, metadata)


def test_ratings_that_somebody_added_can_become_labels(tmp_path: Path) -> None:
    (conversation,) = read(tmp_path, ROW | {"feedback": "👎", "country": "Atlantis"}, parquet=True).conversations()
    assert str(derive_label(conversation, rule="label").feedback[0].label) == "dissatisfied"


def test_turns_without_text_and_times_without_sense(tmp_path: Path) -> None:
    messages = [message("user", "x") | {"timestamp": "noon"}, message("assistant", None), message("assistant", " ")]
    result = read(tmp_path, ROW | {"conversation": messages, "model": 4}, parquet=False)
    (conversation,) = result.conversations()
    assert [turn.text for turn in conversation.turns] == ["x"]
    assert result.tally.notes == {Note.EMPTY_TURN: 2, Note.UNCLEAR_TIME: 1}
