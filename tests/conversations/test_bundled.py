"""What the samples' README says of them is so: counts, order, languages, and what each conversation carries."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest

from userside.conversations import Conversation, Label, choose_labels, read_sample, sample_names

SATISFIED, NEUTRAL, DISSATISFIED = Label.SATISFIED, Label.NEUTRAL, Label.DISSATISFIED
SMALL = {"spanish": "es", "chinese": "zh", "arabic": "ar"}


def counts(conversations: Sequence[Conversation]) -> Counter[tuple[str | None, Label]]:
    """Return how many conversations there are of each platform and label."""
    labels = choose_labels(conversations)
    return Counter((one.platform, labels[one.id].label) for one in conversations)


def of_labels(conversations: Sequence[Conversation]) -> dict[Label, int]:
    """Return how many conversations there are of each label."""
    return dict(Counter(one.label for one in choose_labels(conversations).values()))


def test_the_large_sample_has_the_counts_of_its_readme() -> None:
    assert counts(read_sample("everyday")) == {
        ("support-bot", SATISFIED): 7, ("support-bot", NEUTRAL): 2, ("support-bot", DISSATISFIED): 7,
        ("booking-bot", SATISFIED): 7, ("booking-bot", NEUTRAL): 2, ("booking-bot", DISSATISFIED): 7,
        ("general-assistant", SATISFIED): 8, ("general-assistant", NEUTRAL): 2, ("general-assistant", DISSATISFIED): 6,
    }  # fmt: skip


@pytest.mark.parametrize("half", [slice(24), slice(24, None)], ids=["first", "last"])
def test_each_half_of_it_is_balanced(half: slice) -> None:
    part = read_sample("everyday")[half]
    assert of_labels(part) == {SATISFIED: 11, NEUTRAL: 3, DISSATISFIED: 10}
    assert set(Counter(one.platform for one in part).values()) == {8}


@pytest.mark.parametrize(("name", "language"), SMALL.items(), ids=SMALL.keys())
def test_the_small_samples_are_balanced_and_say_their_language(name: str, language: str) -> None:
    sample = read_sample(name)
    assert {one.language for one in sample} == {language}
    assert of_labels(sample) == {SATISFIED: 6, DISSATISFIED: 6}
    assert set(counts(sample).values()) == {2}
    assert of_labels(sample[:6]) == {SATISFIED: 3, DISSATISFIED: 3}


@pytest.mark.parametrize("name", sample_names())
def test_each_conversation_is_whole(name: str) -> None:
    for place, one in enumerate(read_sample(name), start=1):
        assert one.id == f"{name}-{place:02d}"
        assert 4 <= len(one.turns) <= 14
        assert all(first.speaker is not second.speaker for first, second in pairwise(one.turns))
        [said] = one.feedback
        assert said.purpose
        assert said.outcome
        assert said.rating is not None
        assert said.label is (SATISFIED if said.rating > 3 else DISSATISFIED if said.rating < 3 else NEUTRAL)
