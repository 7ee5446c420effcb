"""Agreement against scikit-learn, and where it has no value."""

from math import isnan

import pytest

from tests.statistics import oracles
from tests.statistics.tables import THREE, random_labellings
from userside.errors import StatisticsError
from userside.statistics import (
    ConfusionMatrix,
    Disagreement,
    cohen_kappa,
    confusion_matrix,
    raw_agreement,
)


@pytest.mark.parametrize(
    ("disagreement", "weights"),
    [
        (Disagreement.NOMINAL, None),
        (Disagreement.LINEAR, "linear"),
        (Disagreement.QUADRATIC, "quadratic"),
    ],
)
def test_kappa_is_what_scikit_learn_says(disagreement: Disagreement, weights: str | None) -> None:
    undefined = 0
    for table in random_labellings(300, seed=2):
        counted = confusion_matrix(table.first, second=table.second, labels=table.labels)
        ours = cohen_kappa(counted, disagreement=disagreement)
        theirs = oracles.kappa(table.first, second=table.second, labels=table.labels, weights=weights)
        if ours is None:
            undefined += 1
            assert isnan(theirs)
        else:
            assert ours == pytest.approx(theirs, abs=1e-12)
    assert 0 < undefined < 150


def test_raw_agreement_is_accuracy_and_counts_what_was_left_out() -> None:
    for table in random_labellings(100, seed=3):
        share = raw_agreement(table.first, second=table.second, labels=table.labels, excluded={"unscored": 2})
        assert share.value == oracles.accuracy(table.first, predicted=table.second)
        assert (share.denominator, share.excluded) == (len(table.first), {"unscored": 2})


@pytest.mark.parametrize(
    ("first", "second", "kappa"),
    [
        ([], [], None),
        (["neutral"] * 5, ["neutral"] * 5, None),
        (["neutral"] * 5, ["satisfied"] * 5, 0.0),
        (["neutral", "satisfied"], ["neutral", "satisfied"], 1.0),
        (["neutral", "satisfied"], ["satisfied", "neutral"], -1.0),
    ],
)
def test_kappa_at_its_edges(first: list[str], second: list[str], kappa: float | None) -> None:
    assert cohen_kappa(confusion_matrix(first, second=second, labels=THREE)) == kappa


def test_kappa_of_a_huge_table_is_exact() -> None:
    million = 10**12
    table = ConfusionMatrix(labels=("a", "b"), counts=((million, 0), (1, 0)))
    assert cohen_kappa(table) == 0.0


@pytest.mark.parametrize("disagreement", Disagreement)
def test_kappa_does_not_care_who_is_first(disagreement: Disagreement) -> None:
    for table in random_labellings(50, seed=4):
        one = confusion_matrix(table.first, second=table.second, labels=table.labels)
        other = confusion_matrix(table.second, second=table.first, labels=table.labels)
        assert cohen_kappa(one, disagreement=disagreement) == cohen_kappa(other, disagreement=disagreement)


def test_used_drops_only_what_nobody_gave() -> None:
    table = confusion_matrix(["neutral"], second=["satisfied"], labels=THREE)
    assert table.used() == ConfusionMatrix(labels=("satisfied", "neutral"), counts=((0, 0), (1, 0)))
    assert confusion_matrix([], second=[], labels=THREE).used().labels == ()


@pytest.mark.parametrize(
    ("first", "second", "labels", "message"),
    [
        (
            ["a", "b"],
            ["a"],
            ["a", "b"],
            "the second labelling: must have 2 rows as the first labelling has, not 1",
        ),
        (
            ["a", "c"],
            ["a", "a"],
            ["a", "b"],
            "the first labelling: row 1 must be one of 'a', 'b', not 'c'",
        ),
        (
            ["a", "b"],
            ["a", None],
            ["a", "b"],
            "the second labelling: row 1 must be one of 'a', 'b', not None",
        ),
        ("ab", "ab", ["a", "b"], "the first labelling: must be a list of labels, not 'ab'"),
        (
            ["a"],
            ["a"],
            ["a", "a"],
            "labels: must be a list of different class names, not ['a', 'a']",
        ),
        (["a"], ["a"], [], "labels: must be a list of different class names, not []"),
        (["a"], ["a"], "ab", "labels: must be a list of different class names, not 'ab'"),
    ],
)
def test_what_is_no_labelling_is_refused(first: list[str], second: list[str], labels: list[str], message: str) -> None:
    with pytest.raises(StatisticsError) as caught:
        raw_agreement(first, second=second, labels=labels)
    assert str(caught.value) == message
