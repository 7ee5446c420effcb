"""Labels of other scores beside those of R, languages, the flow of exclusions, and how R is spread."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.rubrics.said import labelled, said
from tests.rubrics.scored import LETTERS, drawn, labels_of, rubric, score, scored
from tests.statistics.oracles import averaged, brier, kappa, roc_auc
from userside.conversations import Conversation, Label
from userside.llm import Reason
from userside.rubrics import (
    CutFit,
    Evaluation,
    EvaluationSettings,
    conversation_language,
    evaluate,
    extract_signals,
    fit_cuts,
    out_of_fold_signals,
    render_evaluation,
)

FEW = EvaluationSettings(replicates=100)
LETTERS_60 = "sd" * 24 + "n" * 12


def evaluated(letters: str, *, apart: float = 1.0, settings: EvaluationSettings = FEW) -> Evaluation:
    scores = drawn(letters, apart=apart)
    return evaluate(scores, labels_of(letters), rubric=rubric(), generator=np.random.default_rng(0), settings=settings)


def totals(letters: str, *, apart: float, seed: int = 0) -> dict[str, float]:
    return {one.id: one.R for one in drawn(letters, apart=apart, seed=seed) if one.R is not None}


def test_another_score_is_labelled_by_cuts_that_had_not_seen_the_conversation() -> None:
    better = totals(LETTERS_60, apart=4.0, seed=7)
    tables = evaluated(LETTERS_60, apart=0.3, settings=replace(FEW, beside={"R of other": better})).tables
    assert tables is not None
    assert tables.two is not None
    for table in (tables.three, tables.two):
        assert [rival.name for rival in table.rivals] == ["R, cuts fitted", "R of other"]
        other = table.rivals[1]
        assert (other.missing, other.figures.n) == (0, table.figures.n)
        assert other.macro_f1.estimate is not None
        assert table.macro_f1.estimate is not None
        assert other.macro_f1.estimate > 0.9 > table.macro_f1.estimate
        assert other.difference.estimate == pytest.approx(table.macro_f1.estimate - other.macro_f1.estimate)
        assert other.difference.interval is not None
        assert other.difference.interval.high < 0


def test_cuts_fitted_to_noise_are_held_out_and_worth_nothing() -> None:
    found: list[float] = []
    for seed in range(8):
        noise = {
            one: float(value)
            for one, value in zip(totals(LETTERS_60, apart=0), np.random.default_rng(seed).normal(size=60), strict=True)
        }
        tables = evaluated(LETTERS_60, settings=replace(FEW, replicates=2, beside={"noise": noise})).tables
        assert tables is not None
        assert tables.two is not None
        rival = next(rival for rival in tables.two.rivals if rival.name == "noise")
        assert rival.kappa.estimate is not None
        found.append(rival.kappa.estimate)
    assert np.mean(found) == pytest.approx(0, abs=0.12)


def test_figures_of_every_row_are_scikit_learns() -> None:
    tables = evaluated(LETTERS_60).tables
    assert tables is not None
    for row in (tables.three, *tables.three.rivals):
        counts = np.array(row.figures.confusion.counts)
        names = row.figures.confusion.labels
        truth = [names[i] for i in range(3) for j in range(3) for _ in range(counts[i, j])]
        predicted = [names[j] for i in range(3) for j in range(3) for _ in range(counts[i, j])]
        theirs = averaged(truth, predicted=predicted)
        assert row.macro_f1.estimate == pytest.approx(theirs["macro"][2])
        assert row.weighted_f1.estimate == pytest.approx(theirs["weighted"][2])
        assert row.kappa.estimate == pytest.approx(kappa(truth, second=predicted, labels=names, weights=None))
    for scores, measured in zip(tables.three.figures.per_class, tables.three.per_class, strict=True):
        assert scores.label == measured.label
        assert (scores.precision.value, scores.recall.value, scores.f1) == (
            measured.precision.estimate,
            measured.recall.estimate,
            measured.f1.estimate,
        )


def test_a_rival_is_compared_on_the_conversations_that_it_scored() -> None:
    some = dict(list(totals(LETTERS_60, apart=1.0).items())[6:])
    tables = evaluated(LETTERS_60, settings=replace(FEW, beside={"some": some})).tables
    assert tables is not None
    rival = tables.three.rivals[1]
    assert (rival.missing, rival.figures.n) == (6, 54)
    assert "some (n = 54)" in render_evaluation(evaluated(LETTERS_60, settings=replace(FEW, beside={"some": some})))


POOR_RIVALS = {
    "few labels": ("s" * 30 + "d" * 9, None, "wanted 10 satisfied and 10 dissatisfied"),
    "all the same": ("sd" * 15, 0.5, "all 30 are the same"),
    "none at all": ("sd" * 15, None, "not 0 and 0"),
}


@pytest.mark.parametrize("name", POOR_RIVALS)
def test_why_a_rival_has_no_labels_is_said(name: str) -> None:
    letters, value, reason = POOR_RIVALS[name]
    zero_shot = {} if name == "none at all" else totals(letters, apart=1.0)
    if value is not None:
        zero_shot = dict.fromkeys(zero_shot, value)
    found = evaluated(letters, settings=replace(FEW, zero_shot=zero_shot))
    assert found.tables is not None
    assert reason in found.tables.no_rival["zero-shot"]
    assert "zero-shot" not in [rival.name for rival in found.tables.three.rivals]
    assert "No labels of zero-shot" in render_evaluation(found)


def test_held_out_cuts_of_r_need_no_second_row() -> None:
    scores, labels = drawn(LETTERS_60, apart=1.0), labels_of(LETTERS_60)
    fit = fit_cuts(scores, labels, rubric=rubric(), prompts="")
    held_out = evaluated(LETTERS_60, settings=replace(FEW, fit=fit)).tables
    kept = evaluated(LETTERS_60, settings=replace(FEW, fit=CutFit(fitted=fit.fitted))).tables
    assert held_out is not None
    assert kept is not None
    assert held_out.three.rivals == ()
    assert [rival.name for rival in kept.three.rivals] == ["R, cuts fitted"]


def spoken(letters: str) -> list[Conversation]:
    texts = {"s": "Thanks a lot, that is great!", "d": "No, that is wrong. I said no.", "n": "Fine. And then?"}
    return [labelled(LETTERS[one], texts[one], id=f"c{place}") for place, one in enumerate(letters)]


def test_signals_are_labels_too_and_neutral_users_are_judged_by_the_others() -> None:
    signals = {one.id: extract_signals(one) for one in spoken(LETTERS_60)}
    found = evaluate(
        drawn(LETTERS_60, apart=0.5), labels_of(LETTERS_60), rubric=rubric(), generator=np.random.default_rng(0),
        signals=signals, settings=FEW,
    )  # fmt: skip
    assert found.tables is not None
    assert found.tables.two is not None
    three, two = found.tables.three.rivals[1], found.tables.two.rivals[1]
    assert (three.name, three.figures.n, two.figures.n) == ("signals", 60, 48)
    assert two.accuracy.estimate == 1.0  # said in so many words


def test_neutral_ids_take_a_model_of_all_the_others_and_change_none_of_theirs() -> None:
    signals = {one.id: extract_signals(one) for one in spoken("sd" * 10 + "n")}
    satisfied = {f"c{place}": place % 2 == 0 for place in range(20)}
    without = out_of_fold_signals(signals, satisfied=satisfied)
    with_neutral = out_of_fold_signals(signals, satisfied=satisfied, neither=["c20"])
    assert {name: value for name, value in with_neutral.items() if name != "c20"} == without
    assert 0 < with_neutral["c20"] < 1


def test_agreement_stands_language_by_language() -> None:
    letters = "sd" * 30 + "sdn" * 4
    languages = {f"c{place}": ("en" if place % 2 else "es") if place < 60 else "sw" for place in range(71)}
    # Spanish is every second one: all satisfied, so it has one class only.
    found = evaluated(letters, settings=replace(FEW, languages=languages))
    by = {one.language: one for one in found.languages}
    assert [one.language for one in found.languages] == ["en", "es", "sw", "unknown"]
    assert (by["es"].n, by["sw"].n, by["unknown"].n) == (30, 11, 1)
    assert (by["es"].auc, by["es"].kappa) == (None, None)
    assert by["es"].too_few == "wanted 10 satisfied and 10 dissatisfied, not 30 and 0"
    text = render_evaluation(found)
    assert "No figures for sw: wanted 10 satisfied and 10 dissatisfied, not 4 and 4." in text
    assert sum(one.n for one in found.languages) == found.coverage.n


def test_figures_of_a_language_are_those_of_its_conversations_alone() -> None:
    letters = "sd" * 40 + "n" * 10
    languages = {f"c{place}": "en" if (place // 2) % 2 else "de" for place in range(90)}
    found = evaluated(letters, apart=0.8, settings=replace(FEW, languages=languages))
    rows = totals(letters, apart=0.8)
    for one in found.languages:
        own = [id_ for id_ in rows if languages[id_] == one.language]
        truth = [LETTERS[letters[int(id_[1:])]] for id_ in own]
        clear = [place for place, label in enumerate(truth) if label is not Label.NEUTRAL]
        positive = np.array([truth[place] is Label.SATISFIED for place in clear])
        assert one.auc is not None
        assert one.kappa is not None
        assert one.auc.estimate == pytest.approx(
            roc_auc(np.array([rows[own[place]] for place in clear]), positive=positive)
        )
        called = ["satisfied" if rows[id_] > 0 else "dissatisfied" for id_ in own]
        expected = kappa(
            [str(said_) for said_ in truth], second=called, labels=[str(label) for label in Label], weights=None
        )
        assert one.kappa.estimate == pytest.approx(expected)
        assert one.auc.interval is not None


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en-GB", "Hello", "en"),
        ("English", "Hello", "en"),
        ("zh_Hant", "你好", "zh"),
        ("sw", "Habari", "sw"),
        (None, "Where is the station, and how do I get to it?", "en"),
        (None, "Wo ist der Bahnhof?", "unknown"),
        ("  ", "Wo ist der Bahnhof?", "unknown"),
    ],
)
def test_the_language_of_a_conversation(language: str | None, text: str, expected: str) -> None:
    assert conversation_language(said(text, language=language)) == expected


def test_the_flow_accounts_for_every_conversation() -> None:
    scores = scored(5, -5, Reason.TRUNCATED, Reason.REFUSED, 3, 7, 0)
    chosen = rubric(training_ids=["c5", "gone"])
    found = evaluate(scores, labels_of("sddd sn"), rubric=chosen, generator=np.random.default_rng(0), settings=FEW)
    steps = found.coverage.flow
    assert [(step.reason, step.left_out, step.remaining) for step in steps] == [
        ("the rubric was learned from it", 1, 6),
        ("no label", 1, 5),
        ("no R: truncated", 1, 4),
        ("no R: refused", 1, 3),
        ("neutral (two classes and AUC only)", 1, 2),
    ]
    assert found.coverage.training_ids == 2
    written = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert written["format"] == 1
    assert written["flow"][-1] == {"reason": steps[-1].reason, "left_out": 1, "remaining": 2}


def test_labels_of_other_conversations_are_said_to_be() -> None:
    labels = {f"x{place}": label for place, label in enumerate(labels_of("sd").values())}
    found = evaluate(scored(1, 2, 3), labels, rubric=rubric(), generator=np.random.default_rng(0), settings=FEW)
    assert found.gaps == ("no conversation has both R and a label: the 2 labelled ones have other ids",)


def test_r_is_counted_by_label() -> None:
    found = evaluate(
        scored(9, 8, -7, 0, 8.5), labels_of("ssdnd"), rubric=rubric(), generator=np.random.default_rng(0), settings=FEW
    )
    spread = found.distribution
    assert spread.edges[0] <= -7 < 9 <= spread.edges[-1]
    for label, values in {Label.SATISFIED: [9, 8], Label.DISSATISFIED: [-7, 8.5], Label.NEUTRAL: [0]}.items():
        assert list(spread.counts[label]) == np.histogram(values, bins=np.array(spread.edges))[0].tolist()
    assert "steps of 1" in " ".join(render_evaluation(found).split())


def test_probabilities_have_a_calibration_error_and_an_interval() -> None:
    letters = "sd" * 50
    generator = np.random.default_rng(2)
    probabilities = np.where(np.arange(100) % 2 == 0, 0.7, 0.3) + generator.uniform(-0.2, 0.2, size=100)
    scores = [score(f"c{place}", float(10 * p - 5), probability=float(p)) for place, p in enumerate(probabilities)] + [
        score("c100", 1.0)
    ]
    found = evaluate(
        scores, labels_of(letters + "s"), rubric=rubric(), generator=np.random.default_rng(0), settings=FEW
    ).reliability
    assert found is not None
    assert (found.n, found.missing, len(found.bins)) == (100, 1, 10)
    assert found.brier == pytest.approx(brier(probabilities, outcomes=np.arange(100) % 2 == 0))
    assert found.brier_interval is not None
    assert found.brier is not None
    assert found.brier_interval.low < found.brier < found.brier_interval.high
    gaps = [abs(part.mean_predicted - part.observed.numerator / part.n) for part in found.bins]
    assert found.calibration_error == pytest.approx(np.average(gaps, weights=[part.n for part in found.bins]))


def test_whose_conversations_hang_together_is_said() -> None:
    settings = replace(FEW, clusters={f"c{place}": f"p{place // 2}" for place in range(60)})
    found = evaluated(LETTERS_60, settings=settings)
    assert found.persons == 30
    assert "60 conversations are of 30 persons" in render_evaluation(found)
    assert "persons" not in render_evaluation(evaluated(LETTERS_60))


@pytest.mark.parametrize("width", [80, 100])
def test_long_names_and_many_rivals_stay_within_the_width(width: int) -> None:
    beside = {
        f"R of {'a very long folder name ' * 3}{n}\x1b[2J": totals(LETTERS_60, apart=1.0, seed=n) for n in range(3)
    }
    languages = {f"c{place}": "en" if place % 3 else "pt" for place in range(60)}
    found = evaluated(LETTERS_60, settings=replace(FEW, replicates=20, beside=beside, languages=languages))
    text = render_evaluation(found, width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
