"""USS: a few lines of our own in its manner, and the real files where they are."""

import os
from pathlib import Path

import pytest

from tests.conversations.talk import read_text
from userside.conversations import (
    Completeness,
    Conversation,
    Feedback,
    Note,
    Speaker,
    choose_labels,
    count_labels,
    derive_label,
    read_conversations,
)

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("USERSIDE_USS", ROOT / "../shared/data/uss"))
needs_uss = pytest.mark.skipif(not (FOLDER / "MWOZ.txt").is_file(), reason=f"no USS data in {FOLDER}")

LINES = """

USER\ta table please\tBook\t3,3,4
SYSTEM\twhen?\tAsk\t
USER\tat six\t\t2, 2,,2
SYSTEM\tdone\t\t
USER\tOVERALL\t\t3,4,3

SYSTEM\thello\t\t
USER\thi\tgreet\t3,9,x\tnice;slow;
ROBOT\thm\t\t
USER\ttoo short
USER\t\t\t3,3,3
@
no tabs at all
""".replace("@", "   ")


def read(tmp_path: Path, text: str = LINES, *, name: str = "MiniSet.txt") -> tuple[Conversation, ...]:
    return read_text(tmp_path, text, name=name).conversations()


def test_ids_turns_and_ratings(tmp_path: Path) -> None:
    first, second = read(tmp_path)
    assert (first.id, first.source, second.id) == ("miniset-1", "uss", "miniset-2")
    assert [(turn.speaker, turn.text) for turn in first.turns] == [
        (Speaker.USER, "a table please"),
        (Speaker.ASSISTANT, "when?"),
        (Speaker.USER, "at six"),
        (Speaker.ASSISTANT, "done"),
    ]
    assert [turn.metadata for turn in first.turns] == [{"action": "Book"}, {"action": "Ask"}, {}, {}]
    scale = (1.0, 5.0)
    assert [entry for entry in first.feedback if not entry.by.startswith("rule:")] == [
        *(Feedback(by=f"rater-{n}", turn=0, rating=rating, scale=scale) for n, rating in ((1, 3), (2, 3), (3, 4))),
        *(Feedback(by=f"rater-{n}", turn=2, rating=rating, scale=scale) for n, rating in ((1, 2), (2, 2), (4, 2))),
        *(Feedback(by=f"rater-{n}", rating=rating, scale=scale) for n, rating in ((1, 3), (2, 4), (3, 3))),
    ]


def test_the_rule_is_applied_unless_another_is_named(tmp_path: Path) -> None:
    first, _ = read(tmp_path)
    assert first.feedback[-1] == Feedback(by="rule:uss", label=choose_labels([first])["miniset-1"].label, until=1)
    overall = read_text(tmp_path, LINES, labels="overall").conversations()[0].feedback[-1]
    assert (overall.by, overall.until) == ("rule:overall", None)
    assert all(
        entry.by.startswith("rater") for entry in read_text(tmp_path, LINES, labels="none").conversations()[0].feedback
    )


def test_odd_rows_are_counted_and_the_rest_is_kept(tmp_path: Path) -> None:
    result = read_text(tmp_path, LINES, name="mini.txt")
    _, second = result.conversations()
    assert [(skipped.row, skipped.reason.split(",")[0]) for skipped in result.tally.skipped] == [
        (11, "wanted USER or SYSTEM"),
        (12, "wanted USER or SYSTEM"),
        (15, "wanted USER or SYSTEM"),
        (15, "dialogue mini-3 has no turns"),
    ]
    assert result.tally.notes == {Note.RATING_LEFT_OUT: 2, Note.EMPTY_TURN: 1}
    assert second.completeness is Completeness.PARTIAL
    assert second.completeness_reasons == ("line 11 could not be read", "line 12 could not be read")
    assert second.turns[1].metadata == {"action": "greet", "explanations": "nice;slow;"}


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "\n", "\ufeff\n\n"])
def test_line_ends_and_blank_beginnings(tmp_path: Path, ending: str, before: str) -> None:
    text = (before + "USER\thi\t\t5,5,5\nSYSTEM\tyes\t\t\nUSER\tOVERALL\t\t5,5,5").replace("\n", ending)
    (conversation,) = read(tmp_path, text)
    assert [turn.text for turn in conversation.turns] == ["hi", "yes"]


@needs_uss
@pytest.mark.parametrize(
    ("part", "count", "uss", "overall", "kept", "user_turns"),
    [
        ("MWOZ", 1000, (547, 444, 9, 668), (493, 224, 283), 6975, 11553),
        ("ReDial", 1000, (685, 309, 6, 664), (607, 216, 177), 6329, 10802),
        ("SGD", 1000, (682, 315, 3, 796), (584, 186, 230), 6622, 12833),
        ("CCPE", 500, (354, 135, 11, 355), (183, 162, 155), 3614, 6360),
    ],
)
def test_the_real_files(
    part: str, count: int, uss: tuple[int, ...], overall: tuple[int, ...], kept: int, user_turns: int
) -> None:
    result = read_conversations(FOLDER / f"{part}.txt")
    read = result.conversations()
    assert (len(read), result.tally.skipped) == (count, [])
    assert [conversation.id for conversation in read] == [f"{part.lower()}-{n}" for n in range(1, count + 1)]
    assert not any(turn.text.strip() == "OVERALL" for conversation in read for turn in conversation.turns)
    found = count_labels(read)
    assert (found.source, found.unlabelled) == ("uss", 0)
    assert (found.satisfied, found.dissatisfied, found.neutral, found.cut) == uss
    whole = count_labels([derive_label(conversation, rule="overall") for conversation in read], name="overall")
    assert (whole.satisfied, whole.dissatisfied, whole.neutral) == overall
    labels = choose_labels(read)
    assert sum(_user_turns(conversation, until=labels[conversation.id].until) for conversation in read) == kept
    assert sum(_user_turns(conversation, until=None) for conversation in read) == user_turns


def _user_turns(conversation: Conversation, *, until: int | None) -> int:
    return sum(turn.speaker is Speaker.USER for turn in conversation.turns[:until])
