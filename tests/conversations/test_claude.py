"""Claude's export: order, branches, blocks, and what it leaves out."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.exports import CLAUDE, Fields, the_part
from tests.conversations.talk import read_text
from userside.conversations import Completeness, Conversation, ImportResult, render

NOBODY = "00000000-0000-4000-8000-000000000000"


def read(folder: Path, *given: Any) -> ImportResult:
    return read_text(folder, json.dumps(list(given)), name="conversations.json")


def read_one(folder: Path, *messages: Fields, **fields: Any) -> Conversation:
    result = read(folder, CLAUDE | {"chat_messages": list(messages)} | fields)
    assert set(result.tally.formats.values()) == {"claude"}
    (conversation,) = result.conversations()
    assert result.tally.skipped == []
    return conversation


def message(uuid: str, *, sender: str = "human", parent: str | None = None, **fields: Any) -> Fields:
    named = {} if parent is None else {"parent_message_uuid": parent}
    return {"uuid": uuid, "sender": sender, "text": uuid, **named, **fields}


def answer(*blocks: Any, **fields: Any) -> Fields:
    return {"uuid": "b", "sender": "assistant", "text": "", "content": list(blocks), **fields}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([CLAUDE]),
        json.dumps([CLAUDE], indent=1),
        json.dumps(CLAUDE),
        json.dumps(CLAUDE, indent=1),
        json.dumps(CLAUDE) + "\n",
    ],
)
def test_the_shapes_of_a_file(tmp_path: Path, text: str) -> None:
    (conversation,) = read_text(tmp_path, text).conversations()
    assert (conversation.id, conversation.source, conversation.platform) == ("k", "claude", "claude")
    assert (conversation.title, conversation.started_at) == (
        "A talk",
        datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC),
    )
    assert [(str(turn.speaker), turn.text, turn.model) for turn in conversation.turns] == [
        ("user", "hi", None),
        ("assistant", "hello", None),
    ]
    assert conversation.completeness is Completeness.COMPLETE
    assert conversation.metadata == {}


EDITED = [
    message("1", parent=NOBODY, created_at="2026-01-01T00:00:01Z"),
    message("2", sender="assistant", parent="1", created_at="2026-01-01T00:00:02Z"),
    message("3", parent=NOBODY, created_at="2026-01-01T00:00:03Z"),
    message("4", sender="assistant", parent="3", created_at="2026-01-01T00:00:04Z"),
    message("5", sender="assistant", parent="3", created_at="2026-01-01T00:00:05Z"),
]


@pytest.mark.parametrize(
    ("messages", "fields", "texts", "metadata", "completeness"),
    [
        ([message("1"), message("2", sender="assistant")], {}, ["1", "2"], {}, "complete"),
        ([message("b", index=1), message("a", index=0)], {}, ["a", "b"], {}, "complete"),
        ([message("b", created_at="2026-02"), message("a", created_at="2026-01")], {}, ["a", "b"], {}, "complete"),
        ([message("b", created_at="2026-02"), message("a")], {}, ["b", "a"], {}, "complete"),
        (EDITED, {"current_leaf_message_uuid": "4"}, ["3", "4"], {"edited": 1, "regenerated": 1}, "complete"),
        (EDITED, {}, ["3", "5"], {"edited": 1, "regenerated": 1}, "unknown"),
        (EDITED[::-1], {}, ["3", "5"], {"edited": 1, "regenerated": 1}, "unknown"),
        (EDITED, {"current_leaf_message_uuid": "gone"}, ["3", "5"], {"edited": 1, "regenerated": 1}, "unknown"),
        ([message("1", parent=NOBODY), message("2", parent="1"), message("3")], {}, ["1", "2", "3"], {}, "complete"),
        ([message("1", parent="2"), message("2", parent="1")], {}, ["1", "2"], {}, "partial"),
        ([message("1", parent="0dead-1")], {}, ["1"], {}, "partial"),
        ([message("1", truncated=True)], {}, ["1"], {}, "partial"),
        ([], {}, [], {}, "complete"),
        ([{"sender": "human", "text": "a"}, {"sender": "assistant", "text": "b"}], {}, ["a", "b"], {}, "complete"),
    ],
    ids=[
        "linear",
        "by index",
        "by time",
        "as it stands",
        "the current leaf",
        "the newest",
        "the newest, in any order",
        "a leaf that is gone",
        "a message without a parent",
        "a circle",
        "a parent that is gone",
        "cut off",
        "never used",
        "no ids",
    ],
)
def test_order_and_branches(
    tmp_path: Path, messages: list[Fields], fields: Fields, texts: list[str], metadata: Fields, completeness: str
) -> None:
    conversation = read_one(tmp_path, *messages, **fields)
    assert [turn.text for turn in conversation.turns] == texts
    assert conversation.metadata == metadata
    assert str(conversation.completeness) == completeness


EMPTY: Fields = {}
OLD_ARTIFACT = 'Here: <antArtifact identifier="p" type="text/markdown" title="Poem">O!</antArtifact> Enjoy.'
MADE = {"command": "create", "type": "text/html", "title": "Page", "content": "<p>"}


@pytest.mark.parametrize(
    ("given", "text", "parts"),
    [
        (answer({"type": "text", "text": "a"}, {"type": "text", "text": "b"}), "a\n\nb", []),
        (answer(text="plain"), "plain", []),
        ({"sender": "assistant", "text": "plain", "content": None}, "plain", []),
        (
            answer({"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}),
            "a",
            [("thinking", None, "hm")],
        ),
        (
            answer({"type": "tool_use", "name": "search", "input": {"q": "é"}}),
            "",
            [("tool_call", "search", '{"q": "é"}')],
        ),
        (
            answer({"type": "tool_result", "name": "search", "content": [{"type": "text", "text": "3C"}, EMPTY]}),
            "",
            [("tool_result", "search", "3C")],
        ),
        (answer({"type": "tool_result", "content": "3C", "is_error": True}), "", [("tool_result", None, "3C")]),
        (answer({"type": "tool_use", "name": "artifacts", "input": MADE}), "", [("artifact", "Page", "<p>")]),
        (answer({"type": "text", "text": OLD_ARTIFACT}), "Here:  Enjoy.", [("artifact", "Poem", "O!")]),
        (
            answer({"type": "text", "text": OLD_ARTIFACT[: OLD_ARTIFACT.index("</")]}),
            "Here:",
            [("artifact", "Poem", "O!")],
        ),
        (answer({"type": "voice_note", "text": "spoken"}), "spoken", []),
        (answer({"type": "hologram", "beams": 1}), "", [("unknown", "hologram", None)]),
        (answer({"type": ["x"]}), "", [("unknown", None, None)]),
        (
            {"sender": "human", "text": "see", "attachments": [{"file_name": "a.txt", "extracted_content": "pasted"}]},
            "see",
            [("file", "a.txt", "pasted")],
        ),
        (
            {
                "sender": "human",
                "text": "",
                "files": [{"file_kind": "image", "file_name": "c.png"}],
                "files_v2": [EMPTY],
            },
            "",
            [("image", "c.png", None)],
        ),
    ],
)
def test_blocks(tmp_path: Path, given: Fields, text: str, parts: list[tuple[str, str | None, str | None]]) -> None:
    conversation = read_one(tmp_path, given)
    (turn,) = conversation.turns
    assert turn.text == text
    assert [(str(part.kind), part.name, part.text) for part in turn.parts or ()] == parts
    is_partial = any(kind == "unknown" for kind, _, _ in parts)
    assert (conversation.completeness is Completeness.PARTIAL) == is_partial


def test_artifacts_that_the_export_lost(tmp_path: Path) -> None:
    lost = "Viewing artifacts created via the Analysis Tool web feature preview isn't yet supported on mobile."
    conversation = read_one(tmp_path, answer({"type": "text", "text": lost}))
    assert conversation.completeness_reasons == ("the export left out artifacts",)


def test_citations(tmp_path: Path) -> None:
    cited = {"type": "text", "text": "So.", "citations": [{"title": "A", "url": "https://a.example"}]}
    conversation = read_one(tmp_path, answer(cited))
    part = the_part(conversation.turns[0])
    assert part.metadata == {"sources": [{"title": "A", "url": "https://a.example"}]}
    assert render(conversation) == "Assistant: So."


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (7, "chat_messages: wanted a list with at least one message, not None"),
        (CLAUDE | {"chat_messages": None}, "chat_messages: wanted a list with at least one message, not None"),
        (CLAUDE | {"chat_messages": ["x"]}, "chat_messages[0]: wanted a message, not 'x'"),
        (
            CLAUDE | {"chat_messages": [{"sender": "robot"}]},
            "chat_messages[0].sender: wanted one of human, assistant, not 'robot'",
        ),
        (
            CLAUDE | {"chat_messages": [{"sender": ["human"]}]},
            "chat_messages[0].sender: wanted one of human, assistant, not ['human']",
        ),
        (CLAUDE | {"chat_messages": [answer("x")]}, "content[0]: wanted a block, not 'x'"),
        (CLAUDE | {"chat_messages": [answer() | {"content": 7}]}, "content: wanted a list of blocks, not 7"),
    ],
)
def test_one_bad_conversation_costs_itself_only(tmp_path: Path, bad: Any, reason: str) -> None:
    result = read(tmp_path, CLAUDE, bad, CLAUDE | {"uuid": "l", "account": None})
    assert [conversation.id for conversation in result] == ["k", "l"]
    assert [(skipped.row, skipped.reason) for skipped in result.tally.skipped] == [(2, reason)]
