"""ShareGPT: who speaks stands in each message, and nothing after the first pair is lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.talk import read_text, write_rows
from userside.conversations import Note, Speaker, read_conversations, render

HI = {"from": "human", "value": "hi"}
HELLO = {"from": "gpt", "value": "hello"}
AND = {"from": "human", "value": "and?"}
ROW = {"conversations": [HI, HELLO, AND]}


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        (json.dumps(ROW), [3]),
        (json.dumps(ROW, indent=2), [3]),
        (json.dumps([ROW, ROW]), [3, 3]),
        (json.dumps([ROW, ROW], indent=1), [3, 3]),
        (f"{json.dumps(ROW)}\n{json.dumps(ROW)}\n", [3, 3]),
        (json.dumps([HI, HELLO]), [2]),
        (f"{json.dumps([HI])}\n{json.dumps([HI, HELLO])}", [1, 2]),
        (json.dumps({"items": [HI, HELLO]}), [2]),
        (json.dumps({"conversation": [HI, HELLO]}), [2]),
        (json.dumps({"conversations": [{"role": "user", "content": "hi"}]}), [1]),
    ],
)
def test_the_shapes_of_a_file(tmp_path: Path, text: str, turns: list[int]) -> None:
    result = read_text(tmp_path, text)
    assert [len(conversation.turns) for conversation in result] == turns
    assert set(result.tally.formats.values()) == {"sharegpt"}
    assert result.tally.skipped == []


@pytest.mark.parametrize(
    ("name", "speaker"),
    [
        *[(name, Speaker.USER) for name in ("human", "user", "Human")],
        *[(name, Speaker.ASSISTANT) for name in ("gpt", "assistant", "chatgpt", "bing", "bard", "model")],
        ("system", Speaker.SYSTEM),
        *[(name, Speaker.TOOL) for name in ("function_call", "observation", "tool", "function_response")],
    ],
)
def test_speakers_are_read_and_never_counted(tmp_path: Path, name: str, speaker: Speaker) -> None:
    for messages in ([{"from": name, "value": "x"}, HI], [HI, {"from": name, "value": "x"}]):
        (conversation,) = read_text(tmp_path, json.dumps({"conversations": messages})).conversations()
        assert [turn.speaker for turn in conversation.turns if turn.text == "x"] == [speaker]


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        (
            [HI, {"from": "narrator", "value": "x"}],
            "conversations[1].from: wanted a speaker such as human, gpt, system or tool, not 'narrator'",
        ),
        (
            [{"from": None, "value": "x"}],
            "conversations[0].from: wanted a speaker such as human, gpt, system or tool, not None",
        ),
        ([{"from": "gpt", "value": ["x"]}], "conversations[0].value: wanted text or null, not ['x']"),
        (["hi"], "conversations[0]: wanted a message, not 'hi'"),
        ([], "conversations: wanted a list with at least one message, not []"),
        (None, "conversations: wanted a list with at least one message, not None"),
    ],
)
def test_rows_that_are_refused(tmp_path: Path, messages: Any, reason: str) -> None:
    lines = [json.dumps(ROW), json.dumps({"conversations": messages}), json.dumps(ROW)]
    result = read_text(tmp_path, "\n".join(lines))
    assert len(result.conversations()) == 2
    assert [(skipped.row, skipped.reason) for skipped in result.tally.skipped] == [(2, reason)]


def test_prompts_tools_and_what_is_not_known(tmp_path: Path) -> None:
    row = {
        "id": 7,
        "system": "Be nice.",
        "model": "m-1",
        "title": 5,
        "rating": 4,
        "metadata": {"team": "x"},
        "conversations": [
            HI,
            {"from": "function_call", "value": '{"name": "weather", "arguments": {}}'},
            {"from": "observation", "value": "3C"},
            HELLO | {"loss": False},
            {"from": "gpt", "value": None},
        ],
    }
    result = read_text(tmp_path, json.dumps(row))
    (conversation,) = result.conversations()
    assert (conversation.id, conversation.source, conversation.title) == ("7", "sharegpt", None)
    assert conversation.metadata == {"team": "x", "extra": {"rating": 4, "title": 5}}
    assert [str(turn.speaker) for turn in conversation.turns] == ["system", "user", "tool", "tool", "assistant"]
    assert conversation.turns[2].name == "weather"
    assert (conversation.turns[4].model, conversation.turns[4].metadata) == ("m-1", {"extra": {"loss": False}})
    assert render(conversation) == "User: hi\n[weather answered]\n[a tool answered]\nAssistant: hello"
    assert result.tally.notes == {Note.EMPTY_TURN: 1}


def test_parquet(tmp_path: Path) -> None:
    result = read_conversations(write_rows([ROW | {"rating": 4}, ROW], tmp_path / "x"))
    first, second = result.conversations()
    assert [turn.text for turn in first.turns] == [turn.text for turn in second.turns] == ["hi", "hello", "and?"]
    assert (first.metadata, second.metadata) == ({"extra": {"rating": 4}}, {})
    assert set(result.tally.formats.values()) == {"sharegpt"}


@pytest.mark.parametrize("is_array", [False, True])
def test_a_first_conversation_longer_than_what_is_looked_at(tmp_path: Path, is_array: bool) -> None:
    long = {"conversations": [{"from": "human", "value": "ok \udeaa " + "x" * 1000}] * 200}
    result = read_text(tmp_path, json.dumps([long, ROW] if is_array else long, indent=1))
    assert len(result.conversations()[0].turns) == 200
    assert result.tally.skipped == []
