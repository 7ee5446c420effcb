"""Each item by itself, against scipy and statsmodels, and what becomes of missing scores."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from statsmodels.stats import contingency_tables, multitest

from tests.rubrics.scored import item, labels_of, rubric, score, scored
from tests.statistics.oracles import SCIPY, roc_auc
from userside.conversations import Label
from userside.llm import Reason, Unscored
from userside.rubrics import (
    ConversationScore,
    EvaluationSettings,
    ItemEvaluation,
    ItemVerdict,
    Rubric,
    RubricItem,
    Side,
    evaluate,
    render_evaluation,
)
from userside.statistics import AssociationTest

TABLES = cast("Any", contingency_tables)
MULTITEST = cast("Any", multitest)
FEW = EvaluationSettings(replicates=200)
LABELS = (Label.SATISFIED, Label.DISSATISFIED, Label.NEUTRAL)


def items_of(
    scores: list[ConversationScore], letters: str, *, chosen: Rubric | None = None
) -> tuple[ItemEvaluation, ...]:
    found = evaluate(
        scores, labels_of(letters), rubric=chosen or rubric(), generator=np.random.default_rng(0), settings=FEW
    )
    return found.items


def judged(place: int, items: Mapping[str, ItemVerdict]) -> ConversationScore:
    return replace(score(f"c{place}", 0.0), items=dict(items))


def many(n: int, *, seed: int) -> tuple[list[ConversationScore], str, Rubric]:
    """Return noisy scores on six items of growing worth, the labels, and the rubric."""
    generator = np.random.default_rng(seed)
    letters = "".join(generator.choice(list("ssddn"), size=n))
    names = [f"item_{number}" for number in range(6)]
    chosen = Rubric(
        name="six", items=tuple(RubricItem(name=name, description="It is.", side=Side.SATISFIED) for name in names)
    )
    rows = [
        {
            name: item(
                float(generator.integers(1, 11)) if generator.random() < 0.2 + 0.1 * number * (one == "s") else 0.0
            )
            for number, name in enumerate(names)
        }
        for one in letters
    ]
    return [judged(place, row) for place, row in enumerate(rows)], letters, chosen


def test_tests_ratios_and_areas_are_those_of_scipy_and_statsmodels() -> None:
    scores, letters, chosen = many(150, seed=3)
    found = items_of(scores, letters, chosen=chosen)
    clear = [(one, letter) for one, letter in zip(scores, letters, strict=True) if letter != "n"]
    positive = np.array([letter == "s" for _, letter in clear])
    expected_p: list[float] = []
    for entry in found:
        points = np.array([cast("Any", one.items[entry.name]).score for one, _ in clear])
        table = np.array(
            [[((points > 0) == yes)[positive == sat].sum() for sat in (True, False)] for yes in (True, False)]
        )
        assert entry.association.table.cells == tuple(table.ravel())
        assert entry.association.test is AssociationTest.CHI_SQUARE
        expected_p.append(float(SCIPY.chi2_contingency(table, correction=False)[1]))
        theirs = TABLES.Table2x2(table)
        assert entry.association.odds_ratio == pytest.approx(theirs.oddsratio)
        assert entry.association.interval is not None
        assert (entry.association.interval.low, entry.association.interval.high) == pytest.approx(
            theirs.oddsratio_confint()
        )
        assert entry.auc is not None
        assert entry.auc.estimate == pytest.approx(roc_auc(points, positive=positive))
        assert entry.auc_of_yes == pytest.approx(roc_auc((points > 0).astype(np.float64), positive=positive))
    assert [entry.association.p_value for entry in found] == pytest.approx(expected_p)
    adjusted = MULTITEST.multipletests(expected_p, method="fdr_bh")[1]
    assert [entry.adjusted_p for entry in found] == pytest.approx(adjusted.tolist())


def test_means_have_their_n_and_an_interval_about_as_wide_as_the_normal_one() -> None:
    scores, letters, chosen = many(200, seed=5)
    for entry in items_of(scores, letters, chosen=chosen):
        for label, letter in zip(LABELS, "sdn", strict=True):
            own = [
                cast("Any", one.items[entry.name]).score
                for one, said in zip(scores, letters, strict=True)
                if said == letter
            ]
            mean = entry.means[label]
            assert (mean.n, mean.mean) == (len(own), pytest.approx(np.mean(own)))
            assert mean.interval is not None
            error = float(np.std(own) / np.sqrt(len(own)))
            assert mean.interval.width == pytest.approx(2 * 1.96 * error, rel=0.35)
            assert mean.interval.low <= np.mean(own) <= mean.interval.high


def test_one_conversation_of_a_label_has_a_mean_and_no_interval() -> None:
    thanks = items_of(scored(8, -3, -4), "sdd")[0]
    assert (thanks.means[Label.SATISFIED].mean, thanks.means[Label.SATISFIED].interval) == (8.0, None)
    assert (thanks.means[Label.NEUTRAL].n, thanks.means[Label.NEUTRAL].mean) == (0, None)


def test_the_histogram_has_a_bin_for_every_score_by_label() -> None:
    points = [0, 0, 0.4, 0.5, 9.6, 10, 5]
    scores = [judged(place, {"thanks": item(one), "repeats": item(0)}) for place, one in enumerate(points)]
    thanks = items_of(scores, "ssddsdn")[0]
    counts = {label: list(thanks.histogram[label]) for label in LABELS}
    assert counts[Label.SATISFIED] == [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert counts[Label.DISSATISFIED] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert counts[Label.NEUTRAL] == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]


def test_an_item_keeps_the_conversations_in_which_another_is_missing() -> None:
    scores = scored(8, -3, Reason.TRUNCATED, Reason.REFUSED, Reason.TRUNCATED)  # `repeats` is what is missing
    thanks, repeats = items_of(scores, "sdsdn")
    assert (thanks.prevalence.denominator, dict(thanks.prevalence.excluded)) == (5, {})
    assert (repeats.prevalence.denominator, dict(repeats.prevalence.excluded)) == (2, {"truncated": 2, "refused": 1})
    assert thanks.association.table.n == 4
    assert sum(map(sum, repeats.histogram.values())) == 2


def test_training_conversations_are_in_no_item() -> None:
    chosen = rubric(training_ids=["c0", "c1"])
    thanks, _ = items_of(scored(8, 7, -3, Reason.EMPTY), "ssds", chosen=chosen)
    assert thanks.prevalence.denominator == 2


def test_an_item_that_the_scores_do_not_know_is_missing_everywhere() -> None:
    chosen = Rubric(
        name="x", items=(*rubric().items, RubricItem(name="new", description="It is.", side=Side.SATISFIED))
    )
    new = items_of(scored(8, -3), "sd", chosen=chosen)[2]
    assert (new.prevalence.denominator, dict(new.prevalence.excluded)) == (0, {"not in the scores": 2})
    assert (new.spread, new.has_no_spread, new.auc_of_yes, new.prevalence.value) == (None, False, None, None)


def test_the_points_add_nothing_where_yes_says_it_all() -> None:
    thanks, repeats = items_of(scored(9, 9, 9, -4, -8, 9), "sssddd")
    assert thanks.auc is not None
    assert thanks.auc.estimate == thanks.auc_of_yes == pytest.approx(5 / 6)
    assert repeats.auc is not None
    assert repeats.auc_of_yes == pytest.approx(5 / 6)  # signed as in R: that it does not apply speaks for the user


def test_missing_scores_are_named_in_the_text() -> None:
    items = {"thanks": Unscored(reason=Reason.OUT_OF_RANGE), "repeats": item(2)}
    found = evaluate(
        [*scored(8, -3), replace(judged(2, items), R=None)], labels_of("sdd"), rubric=rubric(),
        generator=np.random.default_rng(0), settings=FEW,
    )  # fmt: skip
    assert "Left out for want of a score: thanks 1 (1 out of range)." in render_evaluation(found)
