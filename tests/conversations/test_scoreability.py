"""Whether a conversation has anything of its user."""

import pytest

from tests.conversations.talk import ASSISTANT, SYSTEM, TOOL, USER, talk
from userside.conversations import Scoreability, Speaker, scoreable


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ([], Scoreability.NO_TURNS),
        ([(ASSISTANT, "hello")], Scoreability.NO_USER_TEXT),
        ([(SYSTEM, "x"), (TOOL, "3C"), (ASSISTANT, "x")], Scoreability.NO_USER_TEXT),
        ([(USER, " \u200b\n")], Scoreability.NO_USER_TEXT),
        ([(USER, "-"), (USER, "…"), (USER, "—")], Scoreability.NO_USER_TEXT),
        ([(USER, "?")], Scoreability.SCOREABLE),
        ([(USER, "👍")], Scoreability.SCOREABLE),
        ([(USER, "谢谢")], Scoreability.SCOREABLE),
        ([(USER, "NAME_1")], Scoreability.SCOREABLE),
    ],
)
def test_scoreable(said: list[tuple[Speaker, str]], status: Scoreability) -> None:
    assert scoreable(talk(*said)) is status
    assert bool(status) == (status is Scoreability.SCOREABLE)


def test_the_cut_counts() -> None:
    assert scoreable(talk((ASSISTANT, "a"), (USER, "b")), until=1) is Scoreability.NO_USER_TEXT
