"""A first look: counts that add up, what cannot be known, and how it prints."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.rubrics.said import labelled, said
from userside.conversations import Conversation, Feedback, Label, Speaker, Thumb, Turn
from userside.errors import LabelError
from userside.rubrics.look import Look, look_at
from userside.rubrics.look_text import CAUTION, render_look

GLAD = ("Where is the cheap hotel?", "Great, thanks!")
CROSS = ("Where is the cheap hotel?", "No, that's wrong, useless")


def both(count: int) -> list[Conversation]:
    glad = [labelled(Label.SATISFIED, *GLAD, id=f"s{number}") for number in range(count)]
    return glad + [labelled(Label.DISSATISFIED, *CROSS, id=f"d{number}") for number in range(count)]


def seen(look: Look, name: str):
    return next(signal for signal in look.signals if signal.name == name)


def test_what_is_there_is_counted() -> None:
    rated = [Feedback(by="r1", rating=4, scale=(1, 5)), Feedback(by="r2", rating=2, scale=(1, 5), turn=0)]
    day = datetime(2026, 3, 2, tzinfo=UTC)
    conversations = [
        replace(said(*GLAD, id="1", language="en", feedback=rated), platform="bot", started_at=day),
        replace(said("ขอบคุณ", id="2", language="th"), feedback=(Feedback(by="u", thumb=Thumb.UP),)),
        Conversation(id="3", source="test"),
        Conversation(id="4", source="test", turns=(Turn(index=0, speaker=Speaker.SYSTEM, text="Be kind"),)),
    ]
    look = look_at(conversations)
    assert look.scoreability == {"scoreable": 2, "no_turns": 1, "no_user_text": 1}
    assert look.languages == {"not stated": 2, "en": 1, "th": 1}
    assert look.word_tables == {"en": 1, "none for its language": 1}
    assert look.platforms == {"not stated": 3, "bot": 1}
    assert (look.started, look.undated) == ((day, day), 3)
    assert look.thumbs == {"up": 1}
    assert [(counts.of, counts.ratings, counts.mean) for counts in look.ratings] == [
        ("conversation", 1, 4),
        ("turn", 1, 2),
    ]
    assert look.user_turns is not None
    assert (look.user_turns.n, look.user_turns.median) == (2, 1.5)


def test_a_share_says_what_it_leaves_out_and_why() -> None:
    conversations = [
        said(*GLAD, id="1", language="en"),
        said("ขอบคุณ", id="2", language="th"),
        Conversation(id="3", source="t"),
    ]
    rate = seen(look_at(conversations), "thanks").rate
    assert rate is not None
    assert (rate.numerator, rate.denominator, rate.excluded) == (1, 1, {"no user text": 1, "no word table": 1})


def test_signals_are_held_against_labels_surest_first() -> None:
    compared = look_at(both(25)).by_label
    assert compared is not None
    assert (compared.satisfied, compared.dissatisfied, compared.cut) == (25, 25, 0)
    first = compared.signals[0]
    assert first.auc.estimate in {0.0, 1.0}
    assert [signal.at_least for signal in compared.signals] == sorted(
        (s.at_least for s in compared.signals), reverse=True
    )
    thanks = next(signal for signal in compared.signals if signal.name == "thanks")
    assert (thanks.satisfied, thanks.dissatisfied, thanks.auc.estimate) == (1, 0, 1)
    assert compared.together is not None
    assert compared.together.estimate == 1.0


def test_a_cut_label_is_held_against_the_turns_before_it() -> None:
    cut = [labelled(Label.SATISFIED, *CROSS, id=f"c{number}", until=2) for number in range(5)]
    compared = look_at([*both(5)[5:], *cut]).by_label
    assert compared is not None
    assert compared.cut == 5
    complaint = next(signal for signal in compared.signals if signal.name == "complaint")
    assert (complaint.satisfied, complaint.dissatisfied) == (0, 1)
    assert "hold for a part of the turns" in render_look(look_at([*both(5)[5:], *cut]))


def test_few_labels_are_not_judged_together() -> None:
    compared = look_at(both(5)).by_label
    assert compared is not None
    assert (compared.together, compared.not_together) == (None, "fewer than 20 conversations of one label")


def test_neutral_and_silent_conversations_are_left_out_and_counted() -> None:
    others = [labelled(Label.NEUTRAL, *GLAD, id="n"), labelled(Label.SATISFIED, id="silent")]
    compared = look_at(both(3) + others).by_label
    assert compared is not None
    assert compared.left_out == {"neutral": 1, "no user text": 1}


def test_one_label_only_compares_nothing() -> None:
    compared = look_at(both(3)[:3]).by_label
    assert compared is not None
    assert (compared.satisfied, compared.dissatisfied, compared.signals) == (3, 0, ())


def test_several_labels_are_named_and_one_can_be_chosen() -> None:
    two = [replace(one, feedback=(*one.feedback, Feedback(by="rule:uss", label=Label.NEUTRAL))) for one in both(3)]
    look = look_at(two)
    assert look.by_label is None
    assert look.no_comparison == "there are several kinds of labels (label, uss); name one with --labels"
    chosen = look_at(two, labels="label").by_label
    assert chosen is not None
    assert chosen.source == "label"
    with pytest.raises(LabelError):
        look_at(two, labels="thumb")


@pytest.mark.parametrize(
    "conversations",
    [
        [],
        [Conversation(id="1", source="t")],
        [said("hi", id="1")],
        both(1),
        both(21),
        [replace(said("مرحبا، أين الفندق؟", id="1", language="ar"), platform="\x1b[31m\u202e" + "x" * 200)],
    ],
    ids=["empty", "no turns", "one", "labelled", "together", "hostile"],
)
@pytest.mark.parametrize("width", [10, 70, 80, 100])
def test_it_prints_plain_lines_of_the_width_asked_for(conversations: list[Conversation], width: int) -> None:
    text = render_look(look_at(conversations), width=width)
    assert max(map(len, text.splitlines())) <= max(width, 70)
    assert text.endswith("\n")
    assert not {"\x1b", "\u202e"} & set(text)
    assert (" ".join(CAUTION.split()) in " ".join(text.split())) is any(one.user_turns for one in conversations)


def test_it_reads_like_this() -> None:
    text = render_look(look_at(both(2)))
    assert text.startswith(
        "4 conversations\n"
        "  Scoreable     scoreable 4\n"
        "  User turns    median 2, middle half 2 to 2\n"
        "  User words    median 8, middle half 7 to 9\n"
        "  Languages     en 4\n"
        "  Word tables   en 4\n"
        "  Sources       test 4\n"
        "  Labels        label: 2 satisfied, 2 dissatisfied, 0 neutral\n"
    )
    assert "  Thanks            █████              2/4   50 %  [15, 85]\n" in text
    assert "  Thanks                 100 %           0 % · 1.00\n" in text


@pytest.mark.parametrize("conversations", [[], both(2), both(20)], ids=["empty", "few", "many"])
def test_as_json_is_json_without_nan(conversations: list[Conversation]) -> None:
    look = look_at([replace(one, started_at=datetime(2026, 3, 2, tzinfo=UTC)) for one in conversations])
    read = json.loads(json.dumps(look.as_json(), allow_nan=False))
    assert read["conversations"] == len(conversations)
    assert {signal["name"] for signal in read["signals"]} == {signal.name for signal in look.signals}
