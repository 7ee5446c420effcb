"""Fitting a conversation into a budget."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.conversations.strategies import QUICK, conversations
from tests.conversations.talk import ASSISTANT, SYSTEM, USER, exchange, talk
from userside.conversations import Conversation, RenderStyle, Shortened, Trimmed, render, trim


def words(text: str) -> int:
    return len(text.split())


ANSWER = ("one two three four five six seven eight nine ten " * 20).strip()


def test_what_fits_is_whole() -> None:
    said = exchange("hi", ANSWER)
    assert trim(said, budget=1000, count=words) == Trimmed(text=render(said), tokens=words(render(said)))


def test_answers_are_shortened_first_and_said_to_be() -> None:
    said = exchange("hi", ANSWER, "and then?", ANSWER, "thanks", "You are welcome.")
    trimmed = trim(said, budget=120, count=words)
    assert 100 < trimmed.tokens <= 120
    assert not trimmed.dropped
    assert not trimmed.is_whole
    assert [cut.turn for cut in trimmed.shortened] == [1, 3]
    assert all(text in trimmed.text for text in ("hi", "and then?", "thanks", "You are welcome."))
    assert trimmed.text.count("[…]") == 2
    assert "Assistant: one two three" in trimmed.text
    assert "nine ten\nUser: and" in trimmed.text
    assert trimmed.shortened[0].characters == len(ANSWER) - sum(
        len(piece) for piece in regex.split(r" \[…\] ", _turn(trimmed.text, 1))
    )


def _turn(text: str, number: int) -> str:
    return text.split("\n")[number].partition(": ")[2]


def test_every_user_turn_is_kept_while_it_can_be() -> None:
    said = exchange(*[f"question {number}" if number % 2 == 0 else ANSWER for number in range(300)])
    trimmed = trim(said, budget=3 * 150 + 2 * 150 + 10, count=words)
    assert not trimmed.dropped
    assert all(f"question {number}\n" in trimmed.text + "\n" for number in range(0, 300, 2))


def test_then_the_middle_is_left_out_at_turn_boundaries() -> None:
    said = exchange(*[f"question {number}" if number % 2 == 0 else ANSWER for number in range(300)])
    trimmed = trim(said, budget=100, count=words)
    assert trimmed.tokens <= 100
    assert trimmed.text.startswith("User: question 0\n")
    assert trimmed.text.endswith("User: question 298\nAssistant: […]")
    assert f"[… {len(trimmed.dropped)} turns left out …]" in trimmed.text
    assert trimmed.dropped == tuple(range(trimmed.dropped[0], trimmed.dropped[-1] + 1))
    assert {cut.turn for cut in trimmed.shortened}.isdisjoint(trimmed.dropped)


def test_at_last_the_last_turn_of_the_user_is_shortened() -> None:
    said = exchange("first " * 500, ANSWER, "begin " + "x " * 500 + "end", "bye")
    trimmed = trim(said, budget=30, count=words)
    assert trimmed.dropped == (0, 1, 3)
    assert [cut.turn for cut in trimmed.shortened] == [2]
    assert "User: begin x" in trimmed.text
    assert trimmed.text.endswith("x end\n[… 1 turns left out …]")
    assert trimmed.tokens <= 30


@pytest.mark.parametrize("budget", [0, 1, 2])
def test_a_budget_for_nothing(budget: int) -> None:
    trimmed = trim(exchange("a b c d e f g h i j k", "yes"), budget=budget, count=words)
    assert (trimmed.text, trimmed.tokens, trimmed.fits, trimmed.dropped) == ("", 0, False, (0, 1))
    assert not trimmed.is_whole


def test_no_turns_and_no_user() -> None:
    assert trim(Conversation(id="a", source="t"), budget=0, count=words).is_whole
    assert trim(talk((ASSISTANT, ANSWER), (ASSISTANT, ANSWER)), budget=20, count=words).tokens <= 20


def test_the_cut_of_a_label_and_system_turns() -> None:
    said = talk((SYSTEM, ANSWER), (USER, "a"), (ASSISTANT, "b"), (USER, "c"))
    assert trim(said, budget=4, count=words, until=3).text == "User: a\nAssistant: b"
    numbered = trim(said, budget=8, count=words, style=RenderStyle(system=True, numbered=True), until=2)
    assert [cut.turn for cut in numbered.shortened] == [0]


FAMILY = "👨‍👩‍👧‍👦"


@pytest.mark.parametrize("cluster", [FAMILY, "e\N{COMBINING ACUTE ACCENT}", "🇳🇱", "👍🏽", "한", "क्षि"])
@pytest.mark.parametrize("budget", range(60, 160, 7))
def test_no_cut_inside_a_character(cluster: str, budget: int) -> None:
    trimmed = trim(exchange("hi", cluster * 300), budget=budget, count=len)
    for piece in _turn(trimmed.text, 1).split(" […] "):
        assert piece == cluster * (len(piece) // len(cluster))
    assert trimmed.shortened == (Shortened(turn=1, characters=300 - trimmed.text.count(cluster)),)


@QUICK
@given(conversations(), st.integers(0, 60))
def test_nothing_is_ever_over_budget_and_nothing_is_cut_silently(conversation: Conversation, budget: int) -> None:
    trimmed = trim(conversation, budget=budget, count=len)
    assert trimmed.tokens == len(trimmed.text) <= budget
    assert trimmed.is_whole == (trimmed.text == render(conversation) and trimmed.fits)
