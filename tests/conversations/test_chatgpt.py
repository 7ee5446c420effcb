"""ChatGPT's export: the shapes of a file, missing fields, damage, the tree, and what its user never saw."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.exports import CHATGPT, HI, Fields, chain, node, read_chatgpt, read_one_chatgpt, said, tree
from tests.conversations.talk import read_text
from userside.conversations import (
    Completeness,
    Conversation,
    Note,
    conversation_to_json,
    read_conversations,
)

OK = said("assistant", "ok")


def lines(conversation: Conversation) -> list[tuple[str, str]]:
    return [(str(turn.speaker), turn.text) for turn in conversation.turns]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (json.dumps([CHATGPT, CHATGPT]), 2),
        (json.dumps([CHATGPT], indent=2), 1),
        (json.dumps(CHATGPT), 1),
        (json.dumps(CHATGPT, indent=2), 1),
        (f"{json.dumps(CHATGPT)}\n{json.dumps(CHATGPT)}\n", 2),
        ("\ufeff" + json.dumps([CHATGPT]), 1),
    ],
    ids=["list", "list over lines", "object", "object over lines", "lines", "byte order mark"],
)
def test_1_the_shapes_of_a_file(tmp_path: Path, text: str, number: int) -> None:
    result = read_text(tmp_path, text)
    assert [lines(conversation) for conversation in result] == [[("user", "hi"), ("assistant", "hello")]] * number
    assert set(result.tally.formats.values()) == {"chatgpt"}
    assert result.tally.skipped == []


def test_a_conversation(tmp_path: Path) -> None:
    answer = said("assistant", "hello", create_time=1_700_000_060, metadata={"model_slug": "gpt-4o"})
    conversation = read_one_chatgpt(
        tmp_path, chain(None, HI, answer, default_model_slug="gpt-5", gizmo_id="g-1", is_archived=1)
    )
    assert (conversation.id, conversation.source, conversation.platform) == ("c", "chatgpt", "chatgpt")
    assert (conversation.title, conversation.completeness) == ("A talk", Completeness.COMPLETE)
    assert conversation.started_at == datetime(2023, 11, 14, 22, 13, 20, 500_000, tzinfo=UTC)
    assert [(turn.model, turn.at) for turn in conversation.turns] == [
        (None, None),
        ("gpt-4o", datetime(2023, 11, 14, 22, 14, 20, tzinfo=UTC)),
    ]
    assert conversation.metadata == {"gizmo_id": "g-1"}


@pytest.mark.parametrize(
    ("change", "title", "started", "model"),
    [
        ({"title": None}, None, True, None),
        ({"create_time": None}, "A talk", False, None),
        ({"default_model_slug": "gpt-5"}, "A talk", True, "gpt-5"),
        ({"conversation_id": None, "id": None}, "A talk", True, None),
    ],
)
def test_2_null_and_missing_fields(
    tmp_path: Path, change: Fields, title: str | None, started: bool, model: str | None
) -> None:
    conversation = read_one_chatgpt(tmp_path, CHATGPT | change)
    assert (conversation.title, bool(conversation.started_at)) == (title, started)
    assert [turn.model for turn in conversation.turns] == [None, model]
    assert conversation.id


def test_2_a_time_that_is_none_and_a_start_taken_from_a_turn(tmp_path: Path) -> None:
    late = said("user", "hi", create_time=1_700_000_060)
    conversation = read_one_chatgpt(tmp_path, chain(late, said("assistant", "ok", create_time=None), create_time=None))
    assert conversation.started_at == datetime(2023, 11, 14, 22, 14, 20, tzinfo=UTC)
    result = read_chatgpt(tmp_path, CHATGPT | {"create_time": float("nan")})
    assert result.conversations()[0].started_at is None
    assert result.tally.notes == {Note.UNCLEAR_TIME: 1}


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (None, "mapping: wanted a tree of messages, not None"),
        ("text", "mapping: wanted a tree of messages, not None"),
        (tree({}), "mapping: wanted a tree of messages, not {}"),
        (tree([1]), "mapping: wanted a tree of messages, not [1]"),
        (tree({"0": node("text", parent=None)}), "mapping.0.message: wanted a message whose author's role is one of"),
        (chain(said("narrator", "x")), "mapping.0.message: wanted a message whose author's role is one of"),
        (chain(HI | {"author": {"role": ["user"]}}), "mapping.0.message: wanted a message whose author's role is one"),
        (chain(HI | {"content": "text"}), "content: wanted an object, not 'text'"),
        (chain(HI | {"content": {"content_type": "text", "parts": "x"}}), "content.parts: wanted a list, not 'x'"),
        (chain(HI, title=["x"]), "title: wanted a valid string, not ['x']"),
        (tree({"0": 7}, current_node="0"), "mapping.0.message: wanted a message whose author's role is one of"),
    ],
)
def test_2_one_bad_conversation_costs_itself_only(tmp_path: Path, bad: Any, reason: str) -> None:
    result = read_chatgpt(tmp_path, CHATGPT, bad, CHATGPT | {"conversation_id": "d"})
    assert [conversation.id for conversation in result] == ["c", "d"]
    assert [(skipped.row, skipped.reason[: len(reason)]) for skipped in result.tally.skipped] == [(2, reason)]


GOOD = json.dumps(CHATGPT)


@pytest.mark.parametrize(
    ("text", "ids", "skipped"),
    [
        (f"[{GOOD}, {{'a': 1}}, {GOOD}]", ["c", "c-2"], [(2, "not JSON: Expecting property name")]),
        (f'[{GOOD}, {{"a": "\\q }}"}}, {GOOD}]', ["c", "c-2"], [(2, "not JSON: Invalid \\escape")]),
        (f'[{GOOD}, {{"a": {"[" * 100_000}{"]" * 100_000}}}, {GOOD}]', ["c", "c-2"], [(2, "not usable JSON: nested")]),
        (f"[{GOOD}, {GOOD[:200]}", ["c"], [(2, "not JSON from here to the end of the file")]),
        (f"[{GOOD}, {GOOD}", ["c", "c-2"], [(3, "the file ends before its array does")]),
        (f'[{GOOD}, {{"a" "b}}, {GOOD}, {GOOD}]', ["c"], [(2, "not JSON: Expecting ':' delimiter")]),
        (f"[{GOOD}, undefined, {GOOD}]", ["c"], [(2, "not JSON: Expecting value")]),
    ],
    ids=["quotes", "escape", "depth", "broken off in one", "broken off between", "a quote missing", "a bare word"],
)
def test_2_damaged_json(tmp_path: Path, text: str, ids: list[str], skipped: list[tuple[int, str]]) -> None:
    result = read_text(tmp_path, text)
    assert [conversation.id for conversation in result] == ids
    assert [(one.row, one.reason[: len(skipped[0][1])]) for one in result.tally.skipped] == skipped


def test_2_broken_utf8_and_lone_surrogates_are_mended(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    surrogate, broken = (
        GOOD.replace("hi", "ok \\udeaa"),
        GOOD.replace("hi", "Grüße aus Köln").replace('"c"', '"d"').encode(),
    )
    path.write_bytes(b"[" + surrogate.encode() + b", " + broken.replace(b"aus", b"\xff") + b"]")
    result = read_conversations(path)
    assert [conversation.turns[0].text for conversation in result] == ["ok \N{REPLACEMENT CHARACTER}", "Grüße � Köln"]
    odd = "conversations.json: not all of it is UTF-8; the odd bytes became U+FFFD"
    assert result.tally.notes == {Note.SURROGATE: 1, odd: 1}


def branches(**fields: Any) -> Fields:
    """Return an edited prompt (`edit`), a regenerated answer (`b`, `c`), and a longer talk that was left (`old`)."""
    return tree(
        {
            "root": node(None, parent=None),
            "old": node(said("user", "old"), parent="root"),
            "o1": node(said("assistant", "o1"), parent="old"),
            "o2": node(said("user", "o2"), parent="o1"),
            "o3": node(said("assistant", "o3", create_time=5.0), parent="o2"),
            "edit": node(said("user", "edit"), parent="root"),
            "b": node(said("assistant", "b"), parent="edit"),
            "c": node(said("assistant", "c"), parent="edit"),
            "d": node(said("user", "d", create_time=9.0), parent="c"),
        },
        **fields,
    )


FORKS = {"edited": 1, "regenerated": 1}
A_CIRCLE = {"a": node(HI, parent="b"), "b": node(OK, parent="a")}
SLIM = {
    "root": {"id": "root", "message": None, "parent": None},
    "2": {"id": "2", "message": OK, "parent": "1"},
    "1": {"id": "1", "message": HI, "parent": "root"},
}
CHILDREN_ONLY: Fields = {
    "root": {"message": None, "children": ["1"]},
    "1": {"message": HI, "children": ["2", "gone", 7]},
    "2": {"message": OK, "children": []},
}
TWO_ROOTS = {
    "r": node(None, parent=None),
    "s": node(None, parent=None),
    "1": node(HI, parent="s"),
    "2": node(OK, parent="1"),
}


@pytest.mark.parametrize(
    ("given", "texts", "metadata", "completeness"),
    [
        (branches(current_node="d"), ["edit", "c", "d"], FORKS, "complete"),
        (branches(current_node="b"), ["edit", "b"], FORKS, "complete"),
        (branches(), ["old", "o1", "o2", "o3"], FORKS, "unknown"),
        (branches(current_node="gone"), ["old", "o1", "o2", "o3"], FORKS, "unknown"),
        (branches(current_node=["d"]), ["old", "o1", "o2", "o3"], FORKS, "unknown"),
        (tree(SLIM, current_node="2"), ["hi", "ok"], {}, "complete"),
        (tree(SLIM), ["hi", "ok"], {}, "complete"),
        (tree(CHILDREN_ONLY, current_node="2"), ["hi", "ok"], {}, "complete"),
        (tree(A_CIRCLE, current_node="b"), ["hi", "ok"], {}, "partial"),
        (tree(A_CIRCLE), ["ok", "hi"], {}, "partial"),
        (tree({"a": node(HI, parent="a")}), ["hi"], {}, "partial"),
        (tree({"a": node(HI, parent="gone")}, current_node="a"), ["hi"], {}, "partial"),
        (tree(TWO_ROOTS, current_node="2"), ["hi", "ok"], {}, "complete"),
        (tree({"root": node(None, parent=None)}, current_node="root"), [], {}, "complete"),
    ],
    ids=[
        "the current branch",
        "an older branch is current",
        "no current node: the deepest",
        "a current node that is gone",
        "a current node of the wrong type",
        "slim, without children",
        "slim, without a current node",
        "children and no parents",
        "a circle",
        "a circle without a current node",
        "its own parent",
        "a parent that is gone",
        "two roots",
        "nothing was said",
    ],
)
def test_3_the_tree(tmp_path: Path, given: Fields, texts: list[str], metadata: Fields, completeness: str) -> None:
    conversation = read_one_chatgpt(tmp_path, given)
    assert [turn.text for turn in conversation.turns] == texts
    assert conversation.metadata == metadata
    assert str(conversation.completeness) == completeness
    assert bool(conversation.completeness_reasons) == (completeness != "complete")


def test_3_of_equally_deep_branches_the_newest(tmp_path: Path) -> None:
    given = {
        "new": node(said("user", "new", create_time=9.0), parent=None),
        "old": node(said("user", "old", create_time=5.0), parent=None),
    }
    assert lines(read_one_chatgpt(tmp_path, tree(given))) == [("user", "new")]


HIDDEN = {"is_visually_hidden_from_conversation": True}
PRIVATE = "call me Ishmael"


@pytest.mark.parametrize(
    ("middle", "dropped"),
    [
        (said("system", ""), {"system": 1}),
        (said("system", PRIVATE), {"system": 1}),
        (said("user", PRIVATE, metadata=HIDDEN), {"hidden": 1}),
        (said("tool", PRIVATE, metadata=HIDDEN), {"hidden": 1}),
        (said("user", PRIVATE, metadata={"is_user_system_message": True}), {"context": 1}),
        (
            said("user", PRIVATE, metadata={"user_context_message_data": {"about_user_message": PRIVATE}}),
            {"context": 1},
        ),
        (HI | {"content": {"content_type": "user_editable_context", "user_profile": PRIVATE}}, {"context": 1}),
        (OK | {"content": {"content_type": "model_editable_context", "model_set_context": PRIVATE}}, {"context": 1}),
        (None, None),
    ],
)
def test_4_nodes_in_the_middle_are_walked_through(
    tmp_path: Path, middle: Fields | None, dropped: Fields | None
) -> None:
    conversation = read_one_chatgpt(tmp_path, chain(None, HI, middle, OK))
    assert lines(conversation) == [("user", "hi"), ("assistant", "ok")]
    assert conversation.metadata.get("dropped") == dropped
    assert PRIVATE not in conversation_to_json(conversation)
