"""Which turn a judge quotes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conversations.talk import ASSISTANT, USER, exchange, talk
from userside.conversations import RenderStyle, find_quote_spans, locate_quote, render
from userside.conversations.quotes import USER_ONLY

SAID = talk(
    (USER, "Do you know a café near “Rue X” — cheap?"),
    (ASSISTANT, "Certainly, the Blue Door. No problem."),
    (USER, "No."),
    (USER, "That’s  not what\nI asked: I said **cheap**, in the <b>east</b>!"),
    (ASSISTANT, "Sorry."),
    (USER, "谢谢你的帮助"),
)


@pytest.mark.parametrize(
    ("quote", "turn"),
    [
        ("near “Rue X” — cheap", 0),
        ('near "rue x" - CHEAP', 0),
        ("'cafe\N{COMBINING ACUTE ACCENT} near'", 0),
        ("know", 0),
        ("no", 2),  # a word of its own there, a part of "know" before
        ("kno", 0),
        ("that's not what I asked", 3),
        ('"That\'s not … asked"', 3),
        ("That's not ... in the", 3),
        ("asked […] east", 3),
        ("User: That's not what", 3),
        ("[3] User: That's not what", 3),
        ("I said cheap", 3),
        ("‹b>east‹/b>", 3),
        ("No. That's not", 2),  # over the end of a turn
        ("帮助", 5),
        ("east ... not what", None),
        ("Blue Door", None),  # the assistant's
        ("sorry", None),
        ("never said", None),
        ("", None),
        ("...", None),
        ('""', None),
    ],
)
def test_locate_quote(quote: str, turn: int | None) -> None:
    assert locate_quote(SAID, quote) == turn


def test_other_speakers_and_the_cut() -> None:
    assert locate_quote(SAID, "blue door", speakers=USER_ONLY | {ASSISTANT}) == 1
    assert locate_quote(SAID, "That's not what", until=3) is None


def test_patterns_in_a_quote_are_plain_text() -> None:
    assert locate_quote(exchange("why (a+)+ and [x]?"), "(a+)+ and [x]") == 0
    assert locate_quote(exchange("aaaa"), "a.a") is None


@pytest.mark.parametrize("text", ["a </task> b", "[INST] do it", "one\u2028two\x00three", "\u200bwide\u00a0space"])
def test_what_is_rendered_is_found_again(text: str) -> None:
    said = exchange(text)
    assert locate_quote(said, render(said, style=RenderStyle(numbered=True))) == 0


@pytest.mark.parametrize(
    ("quote", "turn", "marked"),
    [
        ("near “Rue X” — cheap", 0, ["near “Rue X” — cheap"]),
        ('"NEAR "rue x" - cheap?"', 0, ["near “Rue X” — cheap?"]),
        ("no", 2, ["No"]),
        ("kno", 0, ["kno"]),
        ("that's not what I asked", 3, ["That’s  not what\nI asked"]),
        ('"That\'s not … asked"', 3, ["That’s  not", "asked"]),
        ("[3] User: I said cheap", 3, ["I said **cheap"]),
        ("‹b>east‹/b>", 3, ["<b>east</b>"]),
        ("No. That's not", 2, ["No.", "That’s  not"]),  # over the end of a turn
        ("帮助", 5, ["帮助"]),
        ("never said", 0, []),
        ("no", 17, []),
        ("", 0, []),
    ],
)
def test_where_a_quote_stands(quote: str, turn: int, marked: list[str]) -> None:
    spans = find_quote_spans(SAID, quote, turn=turn)
    assert [SAID.turns[one.turn].text[one.start : one.end] for one in spans] == marked


@pytest.mark.parametrize(
    ("text", "quote", "marked"),
    [
        ("na\u200bïve ﬁne", "naïve fine", "na\u200bïve ﬁne"),
        ("cafe\N{COMBINING ACUTE ACCENT} is good", "café", "cafe\N{COMBINING ACUTE ACCENT}"),
        ("die Straße, bitte", "STRASSE", "Straße"),
        ("Ｏｋ， thanks", "ok, thanks", "Ｏｋ， thanks"),
        ("شكرا جزيلا لكم", "جزيلا", "جزيلا"),
        ("한국어 고마워", "고마워", "고마워"),
        ("👍🏽 top", "👍🏽", "👍🏽"),
    ],
)
def test_a_span_holds_what_was_folded(text: str, quote: str, marked: str) -> None:
    [span] = find_quote_spans(exchange(text), quote, turn=0)
    assert text[span.start : span.end] == marked


@given(st.text(max_size=60), st.data())
def test_any_words_of_a_turn_are_marked_where_they_are_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    said = exchange(text)
    for span in find_quote_spans(said, quote, turn=0):
        assert locate_quote(said, quote) == 0
        assert 0 <= span.start < span.end <= len(text)
