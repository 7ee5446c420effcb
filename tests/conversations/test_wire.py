"""The record's border: what is mended, what is kept, what is refused and in which words."""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conversations.strategies import QUICK, conversations
from userside.conversations import (
    Completeness,
    Conversation,
    Feedback,
    Label,
    Note,
    Part,
    PartKind,
    Speaker,
    Turn,
    conversation_from_dict,
    conversation_from_json,
    conversation_schema,
    conversation_to_dict,
    conversation_to_json,
    sample_names,
    sample_path,
)
from userside.errors import FormatError

SCHEMA = Path(__file__).parents[2] / "schemas" / "conversation.schema.json"


def errors(value: object) -> list[object]:
    """Return what the schema says against a value."""
    validator: Any = jsonschema.Draft202012Validator(conversation_schema())
    return list(validator.iter_errors(value))


def row(**fields: Any) -> dict[str, Any]:
    return {"id": "a", "source": "s", "turns": [{"speaker": "user", "text": "hi"}], **fields}


@QUICK
@given(conversations())
def test_what_is_written_is_read_again(conversation: Conversation) -> None:
    assert conversation_from_json(conversation_to_json(conversation)) == conversation


@QUICK
@given(conversations())
def test_what_is_written_is_valid_by_the_schema(conversation: Conversation) -> None:
    assert errors(conversation_to_dict(conversation)) == []


@pytest.mark.parametrize("name", sample_names())
def test_samples_are_valid_by_the_schema(name: str) -> None:
    for line in sample_path(name).read_text(encoding="utf-8").splitlines():
        assert errors(json.loads(line)) == []


def test_the_published_schema_is_current() -> None:
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == conversation_schema(), (
        "write it again: json.dumps(conversation_schema(), indent=2, ensure_ascii=False)"
    )


def test_format_is_written_and_other_defaults_are_not() -> None:
    feedback = Feedback(by="rule:uss", label=Label.SATISFIED)
    rated = Feedback(by="rater-1", turn=0, rating=3.0, scale=(1.0, 5.0))
    turn = Turn(index=0, speaker=Speaker.USER, text="hi")
    written = conversation_to_dict(Conversation(id="a", source="uss", turns=(turn,), feedback=(rated, feedback)))
    assert written == {
        "format": 1,
        "id": "a",
        "turns": [{"index": 0, "speaker": "user", "text": "hi"}],
        "source": "uss",
        "feedback": [
            {"by": "rater-1", "turn": 0, "rating": 3, "scale": [1, 5]},
            {"by": "rule:uss", "label": "satisfied"},
        ],
    }
    assert json.dumps(written["feedback"][0]["scale"]) == "[1, 5]"


def test_missing_indices_are_positions_and_nulls_are_absent() -> None:
    turns = [{"speaker": "user", "text": "a", "at": None, "parts": None}, {"speaker": "assistant", "text": "b"}]
    read = conversation_from_dict(row(turns=turns, feedback=None, codes=None, metadata=None, format=None))
    assert [turn.index for turn in read.turns] == [0, 1]
    assert (read.feedback, read.codes, read.metadata, read.format) == ((), {}, {}, 1)


def test_unknown_fields_are_kept_where_they_stood() -> None:
    read = conversation_from_dict(
        row(
            colour="red",
            metadata={"kept": 1, "extra": {"earlier": True}},
            turns=[{"speaker": "user", "text": "x", "mood": "sad", "parts": [{"kind": "image", "alt": "a cat"}]}],
            feedback=[{"by": "u", "stars": 4}],
        )
    )
    assert read.metadata == {"kept": 1, "extra": {"earlier": True, "colour": "red"}}
    assert read.turns[0].metadata == {"extra": {"mood": "sad"}}
    assert read.turns[0].parts == (Part(kind=PartKind.IMAGE, metadata={"extra": {"alt": "a cat"}}),)
    assert read.feedback[0].metadata == {"extra": {"stars": 4}}
    assert conversation_from_dict(conversation_to_dict(read)) == read


def test_lone_surrogates_are_mended_at_any_depth_and_counted() -> None:
    notes = Counter[str]()
    line = (
        r'{"id": "a\ud800", "turns": [{"speaker": "user", "text": "ok \udeaa 😀 \ud83d\ude00"}],'
        r'"x": [{"\udc00": 1}]}'
    )
    read = conversation_from_json(line, notes=notes)
    assert (read.id, read.turns[0].text) == ("a�", "ok � 😀 😀")
    assert read.metadata["extra"]["x"] == [{"�": 1}]
    assert notes == {Note.SURROGATE: 3}
    assert conversation_to_json(read).encode()


def test_a_missing_id_is_a_hash_of_the_content() -> None:
    first, same, other = (
        conversation_from_dict({"turns": [{"speaker": "user", "text": text}]}) for text in ("a", "a", "b")
    )
    assert first.id == same.id != other.id
    assert len(first.id) == 16
    assert first.source == "jsonl"


@pytest.mark.parametrize(("given_id", "read_id"), [(17, "17"), ("x", "x"), ("  ", "  ")])
def test_a_number_is_an_id(given_id: object, read_id: str) -> None:
    assert conversation_from_dict(row(id=given_id)).id == read_id


def test_other_fields_are_read() -> None:
    read = conversation_from_dict(row(started_at="2026-03-02T17:52:08Z", completeness="partial", codes={"a": ["b"]}))
    assert read.started_at == datetime(2026, 3, 2, 17, 52, 8, tzinfo=UTC)
    assert (read.completeness, read.codes) == (Completeness.PARTIAL, {"a": ("b",)})


USER = {"speaker": "user", "text": "x"}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["a"], "the row: wanted an object, not ['a']"),
        (row(id=["a"]), "id: wanted a valid string, not ['a']"),
        (row(format=2), "format: wanted 1, not 2"),
        (row(turns=["hi"]), "turns[0]: wanted an object, not 'hi'"),
        (row(turns="hi"), "turns: wanted a list, not 'hi'"),
        (row(turns={"a": 1}), "turns: wanted a list, not {'a': 1}"),
        (
            row(turns=[{"speaker": "bot", "text": "x"}]),
            "turns[0].speaker: wanted 'user', 'assistant', 'system' or 'tool', not 'bot'",
        ),
        (row(turns=[USER, {"speaker": "user"}]), "turns[1].text: is missing"),
        (row(turns=[USER, USER | {"index": 5}]), "turns[1].index: wanted 1, its position, not 5"),
        (row(turns=[USER | {"parts": [{}]}]), "turns[0].parts[0].kind: is missing"),
        (row(turns=[USER | {"parts": "x"}]), "turns[0].parts: wanted a list, not 'x'"),
        (row(feedback=[{"by": "u", "turn": 1}]), "feedback[0].turn: wanted the index of one of 1 turns, not 1"),
        (row(feedback=[{"by": "u", "turn": -1}]), "feedback[0].turn: wanted the index of one of 1 turns, not -1"),
        (row(feedback=[{"by": "u", "until": 2}]), "feedback[0].until: wanted 0 to 1, not 2"),
        (
            row(feedback=[{"by": "u", "rating": 9, "scale": [1, 5]}]),
            "feedback[0].rating: wanted 1 to 5, its scale, not 9",
        ),
        (
            row(feedback=[{"by": "u", "rating": 9, "scale": [5, 1]}]),
            "feedback[0].scale: wanted the lower bound first, not [5.0, 1.0]",
        ),
        (row(feedback=[{"by": "u", "rating": float("nan")}]), "feedback[0].rating: wanted a finite number, not nan"),
        (row(feedback=[{"by": "u", "rating": "four"}]), None),
        (row(feedback=[{"rating": 1}]), "feedback[0].by: is missing"),
        (row(metadata="x"), None),
        (row(turns=[{"speaker": "user", "text": "x" * 500, "index": "y" * 500}]), None),
    ],
)
def test_an_error_is_one_sentence_with_the_path(value: object, message: str | None) -> None:
    with pytest.raises(FormatError) as caught:
        conversation_from_dict(value)
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 200
    assert "pydantic" not in said
    if message is not None:
        assert said == message


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_rating_that_is_not_finite_is_refused_and_other_numbers_are_left_out(number: str) -> None:
    turns = '"turns": [{"speaker": "user", "text": "x"}]'
    with pytest.raises(FormatError, match=r"feedback\[0\].rating: wanted a finite number"):
        conversation_from_json(f'{{{turns}, "feedback": [{{"by": "u", "rating": {number}}}]}}')
    with pytest.raises(FormatError, match=r"feedback\[0\].rating: wanted a finite number"):
        conversation_from_json(f'{{{turns}, "feedback": [{{"by": "u", "scale": [1, {number}]}}]}}')
    notes = Counter[str]()
    read = conversation_from_json(f'{{{turns}, "score": {number}}}', notes=notes)
    assert read.metadata == {"extra": {"score": None}}
    assert notes == {Note.NOT_FINITE: 1}


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a": ' + "9" * 5000 + "}", "nonsense"])
def test_text_that_is_no_json_is_a_format_error(text: str) -> None:
    with pytest.raises(FormatError):
        conversation_from_json(text)


def test_a_row_nested_too_deeply_is_a_format_error() -> None:
    value: Any = "x"
    for _ in range(50_000):
        value = [value]
    with pytest.raises(FormatError, match="nested too deeply"):
        conversation_from_dict(row(deep=value))


FIELDS = ["id", "turns", "text", "speaker", "feedback", "parts", "metadata", "codes", "kind", "by", "rating", "scale"]
anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*FIELDS, "at", "x"]), inner, max_size=6)
    ),
    max_leaves=12,
)


@QUICK
@given(anything)
def test_any_value_is_a_conversation_or_a_format_error(value: object) -> None:
    try:
        read = conversation_from_dict(value)
    except FormatError:
        return
    assert conversation_from_json(conversation_to_json(read)) == read
