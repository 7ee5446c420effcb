"""Scores against users' own labels: a hand-computed example, scikit-learn, and poor input."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.rubrics.said import labelled
from tests.rubrics.scored import LETTERS, drawn, item, labels_of, rubric, score, scored
from tests.statistics.oracles import accuracy, averaged, kappa, roc_auc
from userside.conversations import Label, LabelledText
from userside.llm import Elicited, Reason
from userside.rubrics import (
    ConversationScore,
    Cuts,
    Evaluation,
    EvaluationSettings,
    evaluate,
    extract_signals,
    render_evaluation,
)
from userside.rubrics.signals import out_of_fold_signals
from userside.statistics import AssociationTest

FEW = EvaluationSettings(replicates=200)
CLASSES = [str(label) for label in Label]


def evaluated(
    scores: list[ConversationScore],
    labels: dict[str, LabelledText],
    *,
    cuts: Cuts | None = Cuts(),  # noqa: B008 - frozen
    settings: EvaluationSettings = FEW,
) -> Evaluation:
    chosen = rubric(cuts=[cuts] if cuts else [])
    return evaluate(scores, labels, rubric=chosen, generator=np.random.default_rng(0), settings=settings)


# Six users. R puts 5 of the 6 pairs of satisfied and dissatisfied in order and ties on none: c1 (1) is below c3 (2).
BY_HAND = evaluated(scored(8, 1, 5, 2, -4, 0), labels_of("sssddn"))


def test_the_example_by_hand() -> None:
    ranking, tables = BY_HAND.ranking, BY_HAND.tables
    assert ranking is not None
    assert (ranking.satisfied, ranking.dissatisfied, ranking.neutral_left_out) == (3, 2, 1)
    assert ranking.auc.estimate == pytest.approx(5 / 6)
    assert tables is not None
    assert tables.two is not None
    # Called satisfied: 8, 1, 5, 2; dissatisfied: -4; neutral: 0.
    assert tables.three.figures.confusion.counts == ((3, 0, 0), (1, 1, 0), (0, 0, 1))
    assert tables.three.accuracy.estimate == pytest.approx(5 / 6)
    assert tables.two.figures.confusion.counts == ((3, 0), (1, 1))
    # p_o = 4/5, p_e = (3·4 + 2·1)/25 = 14/25, hence kappa = 6/11.
    assert tables.two.kappa.estimate == pytest.approx(6 / 11)
    # F1: satisfied 2·3/7, dissatisfied 2·1/3.
    assert tables.two.macro_f1.estimate == pytest.approx((6 / 7 + 2 / 3) / 2)
    assert [scores.recall.value for scores in tables.two.figures.per_class] == [1.0, 0.5]


def test_the_constant_stands_beside_and_is_what_arithmetic_says() -> None:
    tables = BY_HAND.tables
    assert tables is not None
    constant, share = tables.three.constant, 3 / 6
    assert tables.three.always == "satisfied"
    assert constant.weighted is not None
    assert constant.accuracy.value == constant.weighted.recall == share
    assert constant.weighted.precision == pytest.approx(share**2)
    assert constant.weighted.f1 == pytest.approx(2 * share**2 / (1 + share))


def test_satisfied_users_and_the_estimate_are_of_the_same_conversations() -> None:
    tables = BY_HAND.tables
    assert tables is not None
    own, estimated = tables.users_satisfied, tables.estimated_satisfied
    assert (own.numerator, own.denominator) == (3, 6)
    assert (estimated.numerator, estimated.denominator) == (4, 6)
    assert not tables.is_calibrated
    assert own.interval is not None


def test_figures_are_scikit_learns() -> None:
    letters = "s" * 60 + "d" * 45 + "n" * 25
    scores, labels = drawn(letters, apart=1.0), labels_of(letters)
    cuts = Cuts(dissatisfied_below=-0.4, satisfied_above=0.6)
    found = evaluated(scores, labels, cuts=cuts)
    totals = np.array([one.R for one in scores])
    truth = [str(LETTERS[one]) for one in letters]
    three = ["satisfied" if R > 0.6 else "dissatisfied" if R < -0.4 else "neutral" for R in totals]
    clear = [place for place, one in enumerate(letters) if one != "n"]
    two = ["satisfied" if totals[place] > 0.1 else "dissatisfied" for place in clear]
    assert found.tables is not None
    assert found.tables.two is not None
    assert found.ranking is not None
    for table, said, predicted in (
        (found.tables.three, truth, three),
        (found.tables.two, [truth[place] for place in clear], two),
    ):
        theirs = averaged(said, predicted=predicted)
        for name, ours in (("macro", table.figures.macro), ("weighted", table.figures.weighted)):
            assert ours is not None
            assert (ours.precision, ours.recall, ours.f1) == pytest.approx(theirs[name])
        assert table.macro_f1.estimate == pytest.approx(theirs["macro"][2])
        assert table.accuracy.estimate == pytest.approx(accuracy(said, predicted=predicted))
        assert table.kappa.estimate == pytest.approx(kappa(said, second=predicted, labels=CLASSES, weights=None))
        for figure in (table.macro_f1, table.accuracy, table.kappa):
            assert figure.interval is not None
            assert figure.estimate is not None
            assert figure.interval.low <= figure.estimate <= figure.interval.high
    positive = np.array([truth[place] == "satisfied" for place in clear])
    assert found.ranking.auc.estimate == pytest.approx(roc_auc(totals[clear], positive=positive))


@pytest.mark.parametrize(
    ("total", "cuts", "called", "is_middle"),
    [
        (0.0, Cuts(), "dissatisfied", True),
        (0.001, Cuts(), "satisfied", False),
        (2.0, Cuts(dissatisfied_below=1, satisfied_above=3), "dissatisfied", True),
        (2.5, Cuts(dissatisfied_below=1, satisfied_above=3), "satisfied", False),
        (1.5, Cuts(dissatisfied_below=1, satisfied_above=3), "dissatisfied", False),
    ],
)
@pytest.mark.parametrize("truth", ["s", "d"])
def test_exactly_in_the_middle_is_dissatisfied_whatever_is_true(
    total: float, cuts: Cuts, called: str, is_middle: bool, truth: str
) -> None:
    tables = evaluated(scored(total), labels_of(truth), cuts=cuts).tables
    assert tables is not None
    assert tables.two is not None
    confusion = tables.two.figures.confusion
    assert dict(zip(confusion.labels, confusion.column_totals, strict=True))[called] == 1
    assert tables.at_middle == is_middle


def test_what_does_not_count_is_counted() -> None:
    scores = scored(5, -5, Reason.TRUNCATED, Reason.REFUSED, Reason.TRUNCATED, 3, Reason.EMPTY, 7)
    labels = labels_of("sddss  s") | {"elsewhere": LabelledText(label=Label.NEUTRAL)}
    chosen = rubric(training_ids=["c7", "c6", "never seen"])
    found = evaluate(scores, labels, rubric=chosen, generator=np.random.default_rng(0), settings=FEW)
    coverage = found.coverage
    assert coverage.scores == 8
    assert coverage.evaluated == {Label.SATISFIED: 1, Label.DISSATISFIED: 1, Label.NEUTRAL: 0}
    assert (coverage.training, coverage.unlabelled, coverage.labelled_only) == (2, 1, 1)
    assert coverage.without_R == {"truncated": 2, "refused": 1}
    assert coverage.n + sum(coverage.excluded.values()) == coverage.scores
    assert found.users_satisfied.excluded == {"trained on": 2, "no label": 1, "no R": 3}
    assert found.ranking is not None
    assert found.ranking.auc.estimate == 1.0


POOR = {
    "nothing at all": (scored(), ""),
    "no labels": (scored(1, 2), "  "),
    "all missing": (scored(Reason.EMPTY, Reason.EMPTY), "sd"),
    "one class": (scored(1, -1, 0), "sss"),
    "neutral only": (scored(1, -1), "nn"),
    "satisfied and neutral": (scored(1, -1), "sn"),
    "all ties": (scored(2, 2, 2, 2), "sdsd"),
    "one conversation": (scored(2), "d"),
}


@pytest.mark.parametrize("name", POOR)
def test_poor_input_gives_what_can_be_said(name: str) -> None:
    scores, letters = POOR[name]
    found = evaluated(scores, labels_of(letters))
    assert (found.ranking is None) == (name != "all ties")
    assert (found.tables is None) == (found.coverage.n == 0)
    assert bool(found.gaps) == (name != "all ties")
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["coverage"]["scores"] == len(scores)
    assert "nan" not in render_evaluation(found)


def test_all_ties_are_chance() -> None:
    found = evaluated(*_pair("all ties"))
    assert found.ranking is not None
    assert found.ranking.auc.estimate == 0.5
    assert all(one.has_no_spread and one.adjusted_p is None for one in found.items)


def _pair(name: str) -> tuple[list[ConversationScore], dict[str, LabelledText]]:
    scores, letters = POOR[name]
    return scores, labels_of(letters)


def test_without_cuts_for_the_judge_only_the_ranking_stands() -> None:
    elsewhere = Cuts(judge="another:model", calibrated=True)
    for cuts in (None, elsewhere, Cuts(prompts="other words")):
        found = evaluated(scored(8, 1, -3), labels_of("ssd"), cuts=cuts)
        assert found.tables is None
        assert found.ranking is not None
        assert found.no_tables is not None
        assert "no label follows" in found.no_tables
        assert found.users_satisfied.value == pytest.approx(2 / 3)
        assert "no label follows" in " ".join(render_evaluation(found).split())


def test_conversations_that_were_asked_in_another_way_are_left_out_of_the_tables() -> None:
    scores = [*scored(8, -3), score("c2", 5, elicited=Elicited.SCHEMA)]
    tables = evaluated(scores, labels_of("sds"), cuts=Cuts(elicited=Elicited.TEXT)).tables
    assert tables is not None
    assert tables.three.figures.n == 2
    assert tables.users_satisfied.excluded == {"no cuts hold": 1}


def test_items_are_counted_one_by_one() -> None:
    # thanks: 8, 0, 5, 2, 0, 0 over s, s, s, d, d, n; repeats: 0, 1, 0, 0, 4, 0.
    found = evaluated(scored(8, -1, 5, 2, -4, 0), labels_of("sssddn"))
    thanks, repeats = found.items
    assert (thanks.prevalence.numerator, thanks.prevalence.denominator) == (3, 6)
    assert {label: (mean.n, mean.mean) for label, mean in thanks.means.items()} == {
        Label.SATISFIED: (3, pytest.approx(13 / 3)),
        Label.DISSATISFIED: (2, 1.0),
        Label.NEUTRAL: (1, 0.0),
    }
    assert thanks.association.table.cells == (2, 1, 1, 1)
    assert thanks.association.test is AssociationTest.FISHER_EXACT
    assert thanks.association.odds_ratio == pytest.approx(2.0)
    assert thanks.auc is not None
    assert repeats.auc is not None
    # Pairs (s, d): 8>2, 8>0, 0<2, 0=0, 5>2, 5>0.
    assert thanks.auc.estimate == pytest.approx(4.5 / 6)
    # Signed: 0, -1, 0 over 0, -4: 0=0, 0>-4, -1<0, -1>-4, 0=0, 0>-4.
    assert repeats.auc.estimate == pytest.approx(4 / 6)
    assert not thanks.has_no_spread
    p_values = [one.association.p_value for one in found.items]
    assert [one.adjusted_p for one in found.items] == [max(p for p in p_values if p is not None)] * 2


def test_an_item_that_says_much_the_same_of_everyone_is_flagged() -> None:
    scores = [
        replace(one, items={"thanks": item(7.5 + 0.01 * place), "repeats": item(place)})
        for place, one in enumerate(scored(*range(10)))
    ]
    thanks, repeats = evaluated(scores, labels_of("sdsdsdsdsd")).items
    assert thanks.has_no_spread
    assert not repeats.has_no_spread


def test_a_missing_item_is_no_zero() -> None:
    scores = [replace(one, R=1.0) if one.R is None else one for one in scored(4, Reason.REFUSED, -2)]
    repeats = evaluated(scores, labels_of("sdd")).items[1]
    assert (repeats.prevalence.denominator, repeats.prevalence.excluded) == (2, {"refused": 1})
    assert repeats.means[Label.DISSATISFIED].n == 1


def test_signals_are_out_of_fold_and_on_the_same_conversations() -> None:
    letters = "sd" * 12
    texts = {"s": "Thanks a lot, that is great!", "d": "No, that is wrong. I said no."}
    spoken = {
        f"c{place}": labelled(LETTERS[one], texts[one] if place % 5 else "And now?", id=f"c{place}")
        for place, one in enumerate(letters)
    }
    signals = {id_: extract_signals(conversation) for id_, conversation in spoken.items()}
    scores, labels = drawn(letters, apart=0.3), labels_of(letters)
    scores[0] = score("c0", Reason.EMPTY)
    found = evaluate(scores, labels, rubric=rubric(), generator=np.random.default_rng(5), signals=signals, settings=FEW)
    assert found.ranking is not None
    (rival,) = found.ranking.rivals
    ids = [one.id for one in scores[1:]]
    seed = int(np.random.default_rng(5).integers(2**31))
    satisfied = {id_: labels[id_].label is Label.SATISFIED for id_ in ids}
    expected = out_of_fold_signals(signals, satisfied=satisfied, seed=seed)
    positive = np.array([satisfied[id_] for id_ in ids])
    assert rival.auc.estimate == pytest.approx(roc_auc(np.array([expected[id_] for id_ in ids]), positive=positive))
    assert (rival.n, rival.missing) == (23, 0)
    assert rival.auc_of_R == found.ranking.auc
    assert rival.auc.estimate is not None
    assert found.ranking.auc.estimate is not None
    assert rival.difference.estimate == pytest.approx(found.ranking.auc.estimate - rival.auc.estimate)


def test_too_few_conversations_for_the_signals_is_said() -> None:
    conversation = labelled(Label.SATISFIED, "Thanks", id="c0")
    signals = {f"c{place}": extract_signals(conversation) for place in range(4)}
    found = evaluate(
        scored(3, 1, -2, -1), labels_of("ssdd"), rubric=rubric(), generator=np.random.default_rng(0), signals=signals,
        settings=FEW,
    )  # fmt: skip
    assert found.ranking is not None
    assert found.ranking.rivals == ()
    assert "signals" in found.ranking.no_rival
    assert "No signals" in render_evaluation(found)


def test_zero_shot_is_paired_on_the_conversations_that_have_it() -> None:
    letters = "sd" * 30
    scores = drawn(letters, apart=1.0)
    zero_shot = {one.id: one.R for one in scores[:-1] if one.R is not None}
    found = evaluated(scores, labels_of(letters), settings=replace(FEW, zero_shot=zero_shot))
    assert found.ranking is not None
    (rival,) = found.ranking.rivals
    assert (rival.name, rival.n, rival.missing) == ("zero-shot", 59, 1)
    # The same score on the same resamples: paired, the difference is nothing at all.
    assert rival.difference.interval is not None
    assert (rival.difference.estimate, rival.difference.interval.width) == (0.0, 0.0)


def test_one_cluster_resamples_as_one() -> None:
    letters = "sd" * 10
    scores, labels = drawn(letters, apart=0.5), labels_of(letters)
    together = replace(FEW, clusters={one.id: "one person" for one in scores})
    found = evaluated(scores, labels, settings=together)
    assert found.ranking is not None
    assert (found.ranking.auc.clusters, found.ranking.auc.interval) == (1, None)


def test_probabilities_are_held_against_outcomes() -> None:
    letters = "sdsd"
    totals, probabilities = (3, -3, 2, -2), (0.9, 0.1, 0.8, 0.2)
    scores = [
        score(f"c{place}", total, probability=p)
        for place, (total, p) in enumerate(zip(totals, probabilities, strict=True))
    ]
    reliability = evaluated(scores, labels_of(letters)).reliability
    assert reliability is not None
    assert reliability.brier == pytest.approx((0.01 + 0.01 + 0.04 + 0.04) / 4)
    assert reliability.brier_of_constant == 0.25
    assert not reliability.is_held_out
    assert BY_HAND.reliability is None


def test_the_same_seed_gives_the_same_figures_and_order_changes_none_of_the_estimates() -> None:
    letters = "sdn" * 12
    scores, labels = drawn(letters, apart=0.7), labels_of(letters)
    first, again = evaluated(scores, labels), evaluated(scores, labels)
    assert first.as_json() == again.as_json()
    reversed_ = evaluated(scores[::-1], labels)
    assert first.ranking is not None
    assert reversed_.ranking is not None
    assert first.ranking.auc.estimate == reversed_.ranking.auc.estimate


def test_the_text_is_narrow_and_says_what_matters() -> None:
    letters = "sdn" * 12
    found = evaluated(drawn(letters, apart=0.7), labels_of(letters), settings=replace(FEW, source="overall"))
    for width in (80, 100):
        text = render_evaluation(found, width=width)
        assert max(map(len, text.splitlines())) <= width
    text = " ".join(render_evaluation(found).split())
    for words in ("uncalibrated", "always satisfied", "12 neutral", "(overall)", "exactly in the middle", "odds ratio"):
        assert words in text


def test_strangers_names_cannot_drive_the_terminal() -> None:
    found = evaluated(scored(1, -1), labels_of("sd"), settings=replace(FEW, source="\x1b[31m" + "x" * 300))
    text = render_evaluation(found)
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 100
