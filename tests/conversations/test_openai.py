"""Chat messages, with everything that a content and a call can be."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.talk import read_text
from userside.conversations import Conversation, Note, Part, PartKind, Speaker, Tally, Turn, render


def read(tmp_path: Path, *messages: Any, **fields: Any) -> tuple[Conversation, Tally]:
    result = read_text(tmp_path, json.dumps({"messages": messages, **fields}), format="openai")
    (conversation,) = result.conversations()
    return conversation, result.tally


HI = {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        (json.dumps([HI, HI]), [2]),
        (json.dumps([HI, HI], indent=1), [2]),
        (f"{json.dumps([HI])}\n{json.dumps([HI, HI])}\n", [1, 2]),
        (json.dumps([[HI], [HI, HI]]), [1, 2]),
        (json.dumps([{"messages": [HI]}, {"messages": [HI, HI]}]), [1, 2]),
        (json.dumps({"messages": [HI]}, indent=1), [1]),
        (json.dumps({"messages": [HI]}, indent=1) * 2, [1, 1]),
        ("\ufeff" + json.dumps({"messages": [HI]}) + "\r\n", [1]),
    ],
)
def test_the_shapes_of_a_file(tmp_path: Path, text: str, turns: list[int]) -> None:
    result = read_text(tmp_path, text)
    assert [len(conversation.turns) for conversation in result] == turns
    assert result.tally.skipped == []


def test_roles(tmp_path: Path) -> None:
    roles = ["system", "developer", "user", "assistant", "tool", "function"]
    conversation, _ = read(tmp_path, *[{"role": role, "content": "x"} for role in roles])
    assert [str(turn.speaker) for turn in conversation.turns] == [
        "system",
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
    ]


def test_tool_calls_and_their_answers(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    conversation, tally = read(
        tmp_path,
        HI,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "3C"},
        {"role": "assistant", "content": "Cold."},
    )
    assert conversation.turns[1].parts == (
        Part(kind=PartKind.TOOL_CALL, name="weather", text='{"city": "Oslo"}', metadata={"id": "c1"}),
    )
    assert conversation.turns[2] == Turn(
        index=2, speaker=Speaker.TOOL, text="3C", name="weather", metadata={"tool_call_id": "c1"}
    )
    assert render(conversation) == "User: hi\n[assistant called weather]\n[weather answered]\nAssistant: Cold."
    assert tally.notes == {}


def test_a_legacy_call(tmp_path: Path) -> None:
    call = {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": "{}"}}
    conversation, _ = read(tmp_path, call, {"role": "function", "name": "weather", "content": "3C"})
    assert render(conversation) == "[assistant called weather]\n[weather answered]"


BASE64 = "iVBORw0KGgoAAAANSUhEUg=="


@pytest.mark.parametrize(
    ("part", "read_as"),
    [
        (
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BASE64}"}},
            Part(kind=PartKind.IMAGE, media_type="image/png", metadata={"bytes": 16}),
        ),
        (
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
            Part(kind=PartKind.IMAGE, url="https://example.org/a.png"),
        ),
        (
            {"type": "input_image", "image_url": "https://example.org/a.png"},
            Part(kind=PartKind.IMAGE, url="https://example.org/a.png"),
        ),
        (
            {"type": "input_audio", "input_audio": {"data": BASE64, "format": "wav"}},
            Part(kind=PartKind.AUDIO, media_type="audio/wav", metadata={"bytes": 16}),
        ),
        (
            {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{BASE64}"}},
            Part(kind=PartKind.FILE, name="a.pdf", media_type="application/pdf", metadata={"bytes": 16}),
        ),
    ],
)
def test_attachments_lose_their_data_and_keep_their_size(tmp_path: Path, part: Any, read_as: Part) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "What is this?"}, part]}
    conversation, tally = read(tmp_path, message)
    assert conversation.turns[0].text == "What is this?"
    assert conversation.turns[0].parts == (read_as,)
    assert BASE64[:8] not in repr(conversation)
    assert tally.notes == ({Note.RAW_LEFT_OUT: 1} if read_as.metadata else {})
    mark = {PartKind.IMAGE: "[image]", PartKind.AUDIO: "[audio]", PartKind.FILE: "[file]"}[read_as.kind]
    assert render(conversation) == f"User: What is this?\n  {mark}"


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"role": "assistant", "content": None, "refusal": "I cannot."}, "I cannot."),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}, "No."),
        ({"role": "assistant", "content": [{"type": "text", "text": "a"}, "b"]}, "a\nb"),
        ({"role": "user", "content": [{"type": "input_text", "text": "a"}]}, "a"),
        ({"role": "assistant", "content": "a", "reasoning_content": "secret"}, "a"),
    ],
)
def test_text_wherever_it_stands(tmp_path: Path, message: Any, text: str) -> None:
    conversation, _ = read(tmp_path, message)
    assert conversation.turns[0].text == text
    assert "secret" not in render(conversation)


def test_empty_turns_are_left_out_and_counted(tmp_path: Path) -> None:
    empty = [{"role": "assistant", "content": content} for content in (None, "", "  ")]
    conversation, tally = read(tmp_path, HI, *empty, HI)
    assert [turn.index for turn in conversation.turns] == [0, 1]
    assert tally.notes == {Note.EMPTY_TURN: 3}


def test_unknown_keys_are_kept(tmp_path: Path) -> None:
    message = {"role": "assistant", "content": "x", "weight": 0, "name": "bot"}
    conversation, _ = read(tmp_path, message, rating=4, tools=[{"a": 1}], model="m-1", id=7, metadata={"team": "x"})
    assert conversation.id == "7"
    assert conversation.metadata == {"team": "x", "extra": {"rating": 4, "tools": [{"a": 1}]}}
    assert conversation.turns[0].model == "m-1"
    assert conversation.turns[0].metadata == {"extra": {"weight": 0}}
    assert conversation.turns[0].name == "bot"


def test_runs_of_one_speaker_and_a_last_word_of_the_user_are_legal(tmp_path: Path) -> None:
    conversation, _ = read(tmp_path, HI, HI, {"role": "assistant", "content": "x"}, HI)
    assert [str(turn.speaker) for turn in conversation.turns] == ["user", "user", "assistant", "user"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"messages": []}, "messages: wanted at least one message, not an empty list"),
        ({"messages": "hi"}, "wanted an object with a list of `messages`, or a list of messages"),
        ("hi", "wanted an object with a list of `messages`, or a list of messages"),
        (
            {"messages": [HI, {"role": "narrator", "content": "x"}]},
            "messages[1].role: wanted one of assistant, developer, function, system, tool, user, not 'narrator'",
        ),
        ({"messages": ["hi"]}, "messages[0]: wanted a message, not 'hi'"),
        (
            {"messages": [{"role": "user", "content": 5}]},
            "messages[0].content: wanted text, null or a list of parts, not 5",
        ),
        ({"messages": [{"role": "user", "content": [5]}]}, "messages[0].content[0]: wanted a part, not 5"),
        (
            {"messages": [{"role": "assistant", "content": None, "tool_calls": [{"id": 1}]}]},
            "messages[0].tool_calls[0]: wanted a call with the name of its function, not {'id': 1}",
        ),
        (
            {"messages": [{"role": "assistant", "content": None, "tool_calls": {"id": 1}}]},
            "messages[0].tool_calls: wanted a list, not {'id': 1}",
        ),
        ({"messages": [{"role": "user", "content": "x", "name": 5}]}, "turns[0].name: wanted a valid string, not 5"),
    ],
)
def test_rows_that_are_refused(tmp_path: Path, row: Any, reason: str) -> None:
    result = read_text(tmp_path, f"{json.dumps({'messages': [HI]})}\n{json.dumps(row)}\n", format="openai")
    assert len(result.conversations()) == 1
    assert [(skipped.row, skipped.reason) for skipped in result.tally.skipped] == [(2, reason)]
