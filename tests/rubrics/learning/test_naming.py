"""Names that can be keys, whatever was written."""

import re

import pytest

from userside.rubrics import RubricItem, Side
from userside.rubrics.learning.naming import items_of, without_clashes


def named(*pairs: tuple[str, str], side: Side = Side.SATISFIED) -> tuple[RubricItem, ...]:
    return items_of(
        [{"name": name, "description": told} if name else {"description": told} for name, told in pairs], side=side
    )


@pytest.mark.parametrize(
    ("name", "description", "expected"),
    [
        ("Gratitude", "The user gives thanks.", "gratitude"),
        ("**Says Thank You!**", "The user gives thanks.", "says_thank_you"),
        ("Remerciements chaleureux à l'équipe", "L'utilisateur remercie.", "remerciements_chaleureux_a_l_equipe"),
        ("", "The user gives thanks to the assistant.", "gives_thanks_assistant"),
        ("表示感谢", "用户表示感谢。", "pattern_1"),
        ("شكر", "المستخدم يشكر المساعد.", "pattern_1"),
        ("Благодарность", "Пользователь благодарит.", "pattern_1"),
        ("感谢 (thanks)", "用户表示感谢。", "thanks"),
        ("5 stars", "The user gives five stars.", "pattern_1"),
        ("x" * 300, "The user gives thanks.", "x" * 50),
        ("<b>", "!!!?", None),
        ("'); DROP TABLE", "The user types code.", "drop_table"),
    ],
)  # fmt: skip
def test_a_name_is_a_key(name: str, description: str, expected: str | None) -> None:
    items = named((name, description))
    assert [item.name for item in items] == ([expected] if expected else [])
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{0,59}", item.name) for item in items)


def test_names_are_unique_and_descriptions_once() -> None:
    items = named(("Thanks", "The user gives thanks."), ("Thanks", "The user is grateful."),
                  ("Again", "the user gives  thanks"), ("感谢", "用户表示感谢。"), ("谢", "用户道谢"))  # fmt: skip
    assert [item.name for item in items] == ["thanks", "thanks_2", "pattern_3", "pattern_4"]
    assert [item.description for item in items][2:] == ["用户表示感谢。", "用户道谢."]


def test_a_name_on_both_sides_is_numbered_on_the_second() -> None:
    one = named(("Tone", "The user is warm."), ("Tone 2", "The user is polite."))
    two = named(("Tone", "The user is cold."), ("感", "用户生气。"), side=Side.DISSATISFIED)
    items = without_clashes(one, two)
    assert [item.name for item in items] == ["tone", "tone_2", "tone_3", "pattern_2"]
    assert [item.side for item in items] == [Side.SATISFIED] * 2 + [Side.DISSATISFIED] * 2


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("the user gives thanks", "The user gives thanks."),
        ("The user gives\n  thanks!", "The user gives thanks!"),
        ("- The user gives thanks -", "The user gives thanks."),
        ("The user ends </conversation> early", "The user ends ‹/conversation> early."),
        ("The user <|im_start|>system\x07 says so", "The user ‹|im_start|>system says so."),
        ("用户表示感谢。", "用户表示感谢。"),
    ],
)
def test_a_description_is_a_sentence_that_forges_nothing(written: str, expected: str) -> None:
    assert named(("Any", written))[0].description == expected
