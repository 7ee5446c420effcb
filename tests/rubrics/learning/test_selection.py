"""Which of too many items are kept."""

from collections.abc import Mapping, Sequence

import pytest

from tests.rubrics.scored import JUDGE, item, labels_of
from userside.llm import Elicited, Reason, Unscored
from userside.rubrics import ConversationScore, ItemVerdict, RubricItem, Side
from userside.rubrics.learning.selection import select_items

LABELS = "ssssddddnn"
MISSING = "?"


def items(satisfied: str, dissatisfied: str) -> list[RubricItem]:
    sides = {Side.SATISFIED: satisfied, Side.DISSATISFIED: dissatisfied}
    return [RubricItem(name=name, description=name, side=side) for side, names in sides.items() for name in names]


def scores(columns: Mapping[str, str]) -> list[ConversationScore]:
    """Return scores from columns of digits, one for each conversation."""
    return [
        ConversationScore(
            id=f"c{row}", R=None, label=None, judge=JUDGE, elicited=Elicited.TEXT,
            items={name: _verdict(column[row]) for name, column in columns.items()},
        )
        for row in range(len(LABELS))
    ]  # fmt: skip


def _verdict(digit: str) -> ItemVerdict:
    return Unscored(reason=Reason.MISSING) if digit == MISSING else item(float(digit))


GLAD, CROSS, NOISE, SAME = "9998000000", "0000999900", "9090909099", "5555555555"


def kept(all_items: Sequence[RubricItem], columns: Mapping[str, str], *, keep: int, letters: str = LABELS) -> str:
    return "".join(one.name for one in select_items(all_items, scores(columns), labels_of(letters), keep=keep))


@pytest.mark.parametrize(
    ("columns", "keep", "expected"),
    [
        ({"a": NOISE, "b": GLAD, "c": CROSS, "d": NOISE}, 1, "bc"),
        ({"a": GLAD, "b": GLAD, "c": CROSS, "d": CROSS}, 1, "ac"),  # the earlier of two alike
        ({"a": SAME, "b": SAME, "c": SAME, "d": SAME}, 1, "ac"),
        ({"a": GLAD, "b": GLAD, "c": CROSS, "d": CROSS}, 2, "abcd"),
        ({"a": CROSS, "b": SAME, "c": GLAD, "d": GLAD}, 1, "bc"),  # one of a side, though it misleads
        ({"a": "????????99", "b": GLAD, "c": CROSS, "d": "????????00"}, 1, "bc"),
        ({"a": "?99?000000", "b": SAME, "c": SAME, "d": "0000?9??00"}, 1, "ac"),
    ],
)
def test_the_items_that_tell_the_labels_apart_are_kept(columns: Mapping[str, str], keep: int, expected: str) -> None:
    assert kept(items("ab", "cd"), columns, keep=keep) == expected


def test_with_one_class_the_first_are_kept() -> None:
    assert kept(items("ab", "cd"), dict.fromkeys("abcd", GLAD), keep=1, letters="ssssssssnn") == "ac"
