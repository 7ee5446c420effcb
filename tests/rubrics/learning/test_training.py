"""Which conversations are learned from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.rubrics.said import labelled
from userside.conversations import Conversation, Label, choose_labels
from userside.errors import LabelError
from userside.rubrics import TrainingSample, draw_training

LABELS = {"s": Label.SATISFIED, "d": Label.DISSATISFIED, "n": Label.NEUTRAL}


def talks(letters: str) -> list[Conversation]:
    return [labelled(LABELS[one], "Hello.", id=f"c{place}") for place, one in enumerate(letters)]


def draw(
    conversations: Sequence[Conversation], *, share: float = 0.05, least: int = 10, seed: int = 0
) -> TrainingSample:
    return draw_training(conversations, choose_labels(conversations), share=share, least=least, seed=seed)


@pytest.mark.parametrize(
    ("letters", "share", "least", "taken", "raised"),
    [
        ("sd" * 400, 0.05, 10, (20, 20, 0), False),
        ("sd" * 400 + "n" * 100, 0.05, 10, (20, 20, 5), False),
        ("sd" * 100, 0.05, 10, (10, 10, 0), True),
        ("s" * 400 + "d" * 100, 0.05, 10, (20, 10, 0), True),
        ("sd" * 10 + "nn", 0.05, 10, (10, 10, 0), True),
        ("sd" * 30, 1.0, 10, (30, 30, 0), False),
        ("sd" * 30, 0.0, 3, (3, 3, 0), True),
        ("sdn", 0.5, 1, (1, 1, 0), True),
    ],
)
def test_a_share_of_each_label_and_the_least_of_both_classes(
    letters: str, share: float, least: int, taken: tuple[int, int, int], raised: bool
) -> None:
    sample = draw(talks(letters), share=share, least=least)
    counts = (sample.counts[Label.SATISFIED], sample.counts[Label.DISSATISFIED], sample.counts[Label.NEUTRAL])
    assert (counts, sample.raised) == (taken, raised)
    assert sum(sample.available.values()) == len(letters)
    assert sample.is_all == (len(sample.ids) == len(letters))
    places = [int(one.removeprefix("c")) for one in sample.ids]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("letters", "listed", "short"),
    [
        ("ddd", "0 satisfied and 3 dissatisfied", "Label more satisfied and dissatisfied"),
        ("s" * 40, "40 satisfied and 0 dissatisfied", "Label more dissatisfied"),
        ("n" * 40, "0 satisfied and 0 dissatisfied", "Label more satisfied and dissatisfied"),
        ("s" * 40 + "d" * 9, "40 satisfied and 9 dissatisfied", "Label more dissatisfied"),
    ],
)
def test_too_few_of_a_class_are_refused_with_what_is_missing(letters: str, listed: str, short: str) -> None:
    with pytest.raises(LabelError, match=f"wanted 10 satisfied and 10 dissatisfied .* there are {listed}") as refused:
        draw(talks(letters))
    assert refused.value.__notes__[0].startswith(short)
    assert "--least" in refused.value.__notes__[0]


def test_a_contributor_is_taken_whole_or_not_at_all() -> None:
    mine = [replace(one, contributor=f"p{place // 5}") for place, one in enumerate(talks("sd" * 100))]
    taken = Counter(one.contributor for one in draw(mine, share=0.1).conversations)
    assert 2 < len(taken) < 20
    assert set(taken.values()) == {5}


def test_the_draw_hardly_changes_with_the_file_and_follows_the_seed() -> None:
    conversations = talks("sd" * 200)
    whole, without = draw(conversations), draw(conversations[1:])
    assert len(set(whole.ids) ^ set(without.ids)) <= 2
    assert draw(list(reversed(conversations))).ids == whole.ids[::-1]
    assert draw(conversations, seed=1).ids != whole.ids


def test_who_says_nothing_before_the_cut_is_not_learned_from() -> None:
    silent = [labelled(Label.SATISFIED, "  ", id="blank"), labelled(Label.SATISFIED, "Hello.", id="cut", until=0)]
    sample = draw([*talks("sd" * 10), *silent], share=1.0)
    assert not {"blank", "cut"} & set(sample.ids)
    assert sample.available[Label.SATISFIED] == 10
    with pytest.raises(LabelError, match="9 satisfied"):
        draw([*talks("d" + "sd" * 9), *silent], share=1.0)


def test_the_forgotten_are_not_in_the_sample() -> None:
    sample = draw(talks("sd" * 10), share=1.0).without(["c3"])
    assert "c3" not in sample.ids
    assert "c3" not in sample.labels
    assert len(sample.ids) == 19
