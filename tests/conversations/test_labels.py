"""Label rules, and the choice among labels that are there."""

import pytest

from tests.conversations.talk import ASSISTANT, USER, exchange, talk
from userside.conversations import (
    Aggregation,
    Conversation,
    Feedback,
    Label,
    LabelledText,
    LabelRule,
    Thumb,
    choose_labels,
    count_labels,
    derive_label,
    label_sources,
    read_label,
    read_rating,
    read_thumb,
    rule_names,
)
from userside.errors import LabelError

SATISFIED, DISSATISFIED, NEUTRAL = Label.SATISFIED, Label.DISSATISFIED, Label.NEUTRAL
FIVE = (1.0, 5.0)


def rated(*ratings: tuple[int | None, float], scale: tuple[float, float] | None = FIVE) -> tuple[Feedback, ...]:
    return tuple(
        Feedback(by=f"rater-{number}", turn=turn, rating=rating, scale=scale)
        for number, (turn, rating) in enumerate(ratings, start=1)
    )


def derived(conversation: Conversation, rule: LabelRule | str) -> Feedback | None:
    name = rule if isinstance(rule, str) else rule.name
    entries = derive_label(conversation, rule=rule).feedback
    return next((entry for entry in entries if entry.by == f"rule:{name}"), None)


LONG = ("hi", "hello", "book", "booked", "wrong", "sorry", "bye")


@pytest.mark.parametrize(
    ("ratings", "label", "until"),
    [
        ([(0, 3), (2, 4), (4, 5)], SATISFIED, None),
        ([(0, 3), (2, 3)], NEUTRAL, None),
        ([(0, 4), (2, 3), (4, 2)], SATISFIED, 3),  # the answer at 3 is what the rating beside 4 judges
        ([(0, 2), (2, 4)], DISSATISFIED, 1),
        ([(6, 4), (0, 2), (2, 3)], DISSATISFIED, 5),
        ([(2, 3), (2, 3), (2, 4)], SATISFIED, None),  # no dead zone: 3.33 is satisfied
        ([(2, 3), (2, 3), (2, 2)], DISSATISFIED, None),
        ([(2, 2), (2, 4)], NEUTRAL, None),
        ([(None, 1), (2, 4)], SATISFIED, None),  # ratings of the whole do not count here
    ],
)
def test_uss(ratings: list[tuple[int | None, float]], label: Label, until: int | None) -> None:
    found = derived(exchange(*LONG, feedback=rated(*ratings)), "uss")
    assert found == Feedback(by="rule:uss", label=label, until=until)


def test_uss_cuts_between_two_turns_of_the_user() -> None:
    said = ((USER, "hi"), (ASSISTANT, "a"), (USER, "b"), (USER, "c"))
    found = derived(talk(*said, feedback=rated((2, 5), (3, 1))), "uss")
    assert found is not None
    assert found.until == 3


def test_no_rating_gives_no_label_and_an_old_one_goes() -> None:
    stale = Feedback(by="rule:uss", label=SATISFIED)
    assert derived(exchange("hi", feedback=(stale,)), "uss") is None


@pytest.mark.parametrize(
    ("rule", "ratings", "label"),
    [
        (LabelRule(name="overall"), [(None, 3), (None, 4)], SATISFIED),
        (LabelRule(name="overall"), [(0, 4)], None),
        (LabelRule(name="overall"), [(None, 2), (None, 4)], NEUTRAL),
        (LabelRule(name="overall", dead_zone=0.5), [(None, 3), (None, 4)], NEUTRAL),
        (LabelRule(name="overall", aggregation=Aggregation.MEDIAN), [(None, 3), (None, 3), (None, 5)], NEUTRAL),
        (LabelRule(name="overall", aggregation=Aggregation.MAJORITY), [(None, 2), (None, 4)], DISSATISFIED),
        (LabelRule(name="rating"), [(None, 1), (0, 5), (2, 5)], DISSATISFIED),
        (LabelRule(name="rating"), [(0, 5), (2, 4)], SATISFIED),
    ],
)
def test_ratings(rule: LabelRule, ratings: list[tuple[int | None, float]], label: Label | None) -> None:
    found = derived(exchange(*LONG, feedback=rated(*ratings)), rule)
    assert (found.label if found else None) is label


@pytest.mark.parametrize(
    ("rating", "scale", "label"),
    [
        (3, (1, 5), NEUTRAL),
        (4.5, (1, 5), SATISFIED),
        (1, (-1, 1), SATISFIED),
        (0, (-1, 1), NEUTRAL),
        (1, (0, 1), SATISFIED),
        (5, (0, 10), NEUTRAL),
        (5, (1, 10), DISSATISFIED),
        (5, None, None),  # nobody said out of what
    ],
)
def test_the_midpoint_of_the_declared_scale_decides(
    rating: float, scale: tuple[float, float] | None, label: Label | None
) -> None:
    found = derived(exchange("hi", feedback=rated((None, rating), scale=scale)), "rating")
    assert (found.label if found else None) is label


def test_a_rule_can_declare_the_scale() -> None:
    found = derived(exchange("hi", feedback=rated((None, 5), scale=None)), LabelRule(name="rating", scale=FIVE))
    assert found is not None
    assert found.label is SATISFIED


@pytest.mark.parametrize(
    ("thumbs", "label"),
    [
        ([(None, Thumb.UP)], SATISFIED),
        ([(None, Thumb.DOWN), (0, Thumb.UP), (2, Thumb.UP)], DISSATISFIED),
        ([(0, Thumb.UP), (2, Thumb.DOWN), (4, Thumb.DOWN)], DISSATISFIED),
        ([(0, Thumb.UP), (2, Thumb.DOWN)], NEUTRAL),
        ([], None),
    ],
)
def test_thumbs(thumbs: list[tuple[int | None, Thumb]], label: Label | None) -> None:
    given = tuple(Feedback(by="user", turn=turn, thumb=thumb) for turn, thumb in thumbs)
    found = derived(exchange(*LONG, feedback=given), "thumb")
    assert (found.label if found else None) is label


@pytest.mark.parametrize(
    ("extra", "rule", "label"),
    [
        ({"feedback": "👎"}, LabelRule(name="label"), DISSATISFIED),
        ({"rating": "5 "}, LabelRule(name="label", scale=FIVE), SATISFIED),
        ({"rating": "5 "}, LabelRule(name="label"), None),
        ({"csat": "like"}, LabelRule(name="label"), None),
        ({"csat": "like"}, LabelRule(name="label", field="csat"), SATISFIED),
        ({"success": False}, LabelRule(name="outcome"), DISSATISFIED),
        ({"resolved": "yes"}, LabelRule(name="outcome"), SATISFIED),
        ({"resolved": "partly"}, LabelRule(name="outcome"), NEUTRAL),
        ({}, LabelRule(name="outcome"), None),
    ],
)
def test_labels_from_unknown_fields(extra: dict[str, object], rule: LabelRule, label: Label | None) -> None:
    found = derived(Conversation(id="a", source="t", metadata={"extra": extra}), rule)
    assert (found.label if found else None) is label


@pytest.mark.parametrize(
    ("codes", "label"),
    [(("none_observed",), SATISFIED), (("wrong_answer",), DISSATISFIED), (("none_observed", "x"), DISSATISFIED)],
)
def test_outcome_from_codes(codes: tuple[str, ...], label: Label) -> None:
    found = derived(Conversation(id="a", source="t", codes={"failure_type": codes}), "outcome")
    assert found is not None
    assert found.label is label


@pytest.mark.parametrize(
    ("value", "label"),
    [
        *[
            (value, SATISFIED)
            for value in ("like", "Satisfied", "👍", "👍🏾", True, "5 ", 4.5, "4,5", "Yes", "RESOLVED")
        ],
        *[(value, DISSATISFIED) for value in ("dislike", "Very unhappy", "👎", False, "1", 2.9, " no ", "unsatisfied")],
        *[(value, NEUTRAL) for value in ("neutral", 3, "3.0", "so-so")],
        *[(value, None) for value in ("", None, "maybe", "nan", float("inf"), "5 stars")],
    ],
)
def test_read_label(value: object, label: Label | None) -> None:
    assert read_label(value, scale=FIVE) is label


@pytest.mark.parametrize(
    ("value", "label"), [(-1, DISSATISFIED), ("0", NEUTRAL), ("1", SATISFIED), ("+1", SATISFIED), ("like", SATISFIED)]
)
def test_read_label_on_another_scale(value: object, label: Label) -> None:
    assert read_label(value, scale=(-1, 1)) is label


def test_numbers_without_a_scale_are_no_label() -> None:
    assert [read_label(value) for value in (1, "0", -1, 5, "4.5")] == [None] * 5


@pytest.mark.parametrize(
    ("value", "thumb"),
    [
        *[(value, Thumb.UP) for value in ("👍", "up", "thumbs_up", "Thumbs Up", "like", "+1", 1, "1.0"[:1])],
        *[(value, Thumb.DOWN) for value in ("👎🏽", "thumbs-down", "dislike", "-1", -1)],
        *[(value, None) for value in ("", None, "0", "sideways", 3)],
    ],
)
def test_read_thumb(value: object, thumb: Thumb | None) -> None:
    assert read_thumb(value) is thumb


@pytest.mark.parametrize(("value", "rating"), [("4/5", 4), ("4 of 5", 4), (True, None), ("１", 1), ("1e999", None)])
def test_read_rating(value: object, rating: float | None) -> None:
    assert read_rating(value) == rating


def labelled(*by: tuple[str, Label], id: str = "a", until: int | None = None) -> Conversation:  # noqa: A002
    given = tuple(Feedback(by=name, label=label, until=until) for name, label in by)
    return exchange("hi", "ho", feedback=given, id=id)


def test_the_only_source_is_taken() -> None:
    conversations = [
        labelled(("ana", SATISFIED), id="a"),
        labelled(("ben", NEUTRAL), id="b", until=1),
        exchange("x", id="c"),
    ]
    assert choose_labels(conversations) == {
        "a": LabelledText(label=SATISFIED),
        "b": LabelledText(label=NEUTRAL, until=1),
    }
    counts = count_labels(conversations)
    assert (counts.source, counts.satisfied, counts.dissatisfied, counts.neutral) == ("label", 1, 0, 1)
    assert (counts.cut, counts.unlabelled) == (1, 1)


@pytest.mark.parametrize("name", ["uss", "rule:uss"])
def test_one_of_several_sources_is_named(name: str) -> None:
    conversation = labelled(("rule:uss", DISSATISFIED), ("ana", SATISFIED))
    assert label_sources([conversation]) == {"label": 1, "uss": 1}
    assert choose_labels([conversation], name=name)["a"].label is DISSATISFIED
    assert choose_labels([conversation], name="label")["a"].label is SATISFIED
    with pytest.raises(LabelError, match=r"several labels: label \(1\), uss \(1\)"):
        choose_labels([conversation])


def test_the_majority_stands_and_an_even_split_is_no_label() -> None:
    agreed = labelled(("a", SATISFIED), ("b", SATISFIED), ("c", NEUTRAL), id="agreed")
    split = labelled(("a", SATISFIED), ("b", DISSATISFIED), id="split")
    assert set(choose_labels([agreed, split])) == {"agreed"}
    assert count_labels([agreed, split]).unlabelled == 1


def test_labels_of_turns_are_no_labels_of_conversations() -> None:
    with pytest.raises(LabelError, match="none of the conversations carries a label"):
        choose_labels([exchange("x", feedback=(Feedback(by="a", turn=0, label=SATISFIED),))])


def test_names_that_are_not_there() -> None:
    with pytest.raises(LabelError, match=r"no conversation is labelled by 'uss'; there are: label \(1\)"):
        choose_labels([labelled(("a", SATISFIED))], name="uss")
    with pytest.raises(LabelError, match=f"there are: {', '.join(rule_names())}"):
        derive_label(exchange("x"), rule="guess")
