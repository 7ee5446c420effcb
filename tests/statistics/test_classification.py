"""Classification against scikit-learn, and the tables it warns about."""

from enum import StrEnum

import numpy as np
import pytest

from tests.statistics import oracles
from tests.statistics.tables import THREE, TWO, Labelled, random_labellings
from userside.errors import StatisticsError
from userside.statistics import (
    Averages,
    Classification,
    accuracy,
    compare_labels,
    constant_predictor,
    f1_of,
    macro_f1,
    majority_label,
    precision_of,
    recall_of,
    weighted_f1,
)


class Satisfaction(StrEnum):
    SATISFIED = "satisfied"
    DISSATISFIED = "dissatisfied"


def compared(table: Labelled) -> Classification:
    return compare_labels(table.first, predicted=table.second, labels=table.labels)


def as_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def test_each_class_is_what_scikit_learn_says() -> None:
    for table in random_labellings(200, seed=5):
        ours = [
            (
                as_nan(scores.precision.value),
                as_nan(scores.recall.value),
                as_nan(scores.f1),
                scores.support,
            )
            for scores in compared(table).per_class
        ]
        theirs = oracles.per_class(table.first, predicted=table.second, labels=table.labels)
        np.testing.assert_allclose(np.transpose(ours), theirs, atol=1e-12)


def test_the_averages_are_what_scikit_learn_says() -> None:
    for table in random_labellings(200, seed=6):
        row = compared(table)
        theirs = oracles.averaged(table.first, predicted=table.second)
        for ours, name in ((row.macro, "macro"), (row.weighted, "weighted")):
            assert ours is not None
            assert (ours.precision, ours.recall, ours.f1) == pytest.approx(theirs[name], abs=1e-12)


def test_the_measures_for_resampling_are_those_of_the_row() -> None:
    for table in random_labellings(300, seed=7):
        row = compared(table)
        assert row.macro is not None
        assert row.weighted is not None
        assert macro_f1(row.confusion.used()) == pytest.approx(row.macro.f1, abs=1e-12)
        assert weighted_f1(row.confusion) == pytest.approx(row.weighted.f1, abs=1e-12)
        assert accuracy(row.confusion) == row.accuracy.value


def test_the_measures_of_a_class_are_those_of_the_row() -> None:
    for labelled in random_labellings(100, seed=7):
        row = compare_labels(labelled.first, predicted=labelled.second, labels=labelled.labels)
        for scores in row.per_class:
            assert precision_of(row.confusion, scores.label) == scores.precision.value
            assert recall_of(row.confusion, scores.label) == scores.recall.value
            assert f1_of(row.confusion, scores.label) == scores.f1
            used = row.confusion.used()
            assert f1_of(used, scores.label) == scores.f1
    perfect = compare_labels(["satisfied"], predicted=["satisfied"], labels=TWO)
    for measure in (precision_of, recall_of, f1_of):
        assert measure(perfect.confusion, "no such class") is None


def test_a_perfect_predictor_is_perfect_although_nobody_is_neutral() -> None:
    truth = ["satisfied", "dissatisfied"]
    row = compare_labels(truth, predicted=truth, labels=THREE)
    assert row.macro == row.weighted == Averages(precision=1, recall=1, f1=1)
    assert row.kappa == 1
    assert row.per_class[2].f1 is None
    assert macro_f1(row.confusion) is None


def test_a_class_never_predicted_has_no_precision_and_an_f1_of_zero() -> None:
    row = compare_labels(["satisfied", "dissatisfied"], predicted=["satisfied"] * 2, labels=TWO)
    missed = row.per_class[1]
    assert (missed.precision.value, missed.recall.value, missed.f1) == (None, 0.0, 0.0)
    assert row.macro == Averages(precision=0.25, recall=0.5, f1=1 / 3)


def test_no_rows_have_no_scores() -> None:
    row = compare_labels([], predicted=[], labels=TWO, excluded={"unscored": 9})
    assert (row.n, row.accuracy.value, row.macro, row.weighted, row.kappa) == (0, *[None] * 4)
    assert [accuracy(row.confusion), macro_f1(row.confusion), weighted_f1(row.confusion)] == ([None] * 3)
    assert macro_f1(row.confusion.used()) is None
    assert row.accuracy.excluded == {"unscored": 9}


def test_one_class_throughout_has_scores_but_no_kappa() -> None:
    row = compare_labels(["neutral"] * 3, predicted=["neutral"] * 3, labels=THREE)
    assert row.macro == row.weighted == Averages(precision=1, recall=1, f1=1)
    assert row.kappa is None


def test_enumerated_labels_and_arrays_are_labels_too() -> None:
    truth = [Satisfaction.SATISFIED, Satisfaction.DISSATISFIED]
    predicted = np.array(["satisfied", "satisfied"])
    row = compare_labels(truth, predicted=predicted, labels=list(Satisfaction))
    assert row == compare_labels([*truth], predicted=predicted.tolist(), labels=TWO)


def test_the_constant_predictor_is_the_best_constant() -> None:
    for table in random_labellings(100, seed=8):
        best = constant_predictor(table.first, labels=table.labels)
        rivals = [
            compare_labels(table.first, predicted=[label] * len(table.first), labels=table.labels).accuracy.numerator
            for label in table.labels
        ]
        assert best.accuracy.numerator == max(rivals)
        assert sum(1 for total in best.confusion.column_totals if total) == 1
        assert best.kappa == (None if len(set(table.first)) == 1 else 0)


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        ([], None),
        (["neutral"], "neutral"),
        (["neutral", "dissatisfied"], "dissatisfied"),
        (["neutral", "neutral", "satisfied"], "neutral"),
    ],
)
def test_the_majority_label(truth: list[str], expected: str | None) -> None:
    assert majority_label(truth, labels=THREE) == expected


def test_the_constant_predictor_of_nothing_is_a_row_of_nothing() -> None:
    row = constant_predictor([], labels=TWO, excluded={"no label": 1})
    assert (row.n, row.macro, row.accuracy.excluded) == (0, None, {"no label": 1})


def test_a_missing_prediction_is_refused() -> None:
    with pytest.raises(StatisticsError, match="row 0 must be one of 'satisfied'"):
        compare_labels(["satisfied"], predicted=[""], labels=TWO)
