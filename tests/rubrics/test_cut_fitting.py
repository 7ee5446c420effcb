"""Cuts on R fitted to labels: found where they are, honest where there is nothing to find."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.rubrics.scored import JUDGE, LETTERS, drawn, labels_of, rubric, score, scored
from tests.statistics.oracles import averaged
from userside.conversations import Label, LabelledText
from userside.errors import FormatError, LabelError
from userside.llm import Elicited, Reason
from userside.rubrics import (
    ConversationScore,
    CutFit,
    Cuts,
    Evaluation,
    EvaluationSettings,
    evaluate,
    fit_cuts,
    label_of,
    read_fitted_cuts,
    relabel,
    write_fitted_cuts,
)
from userside.rubrics.evaluation.cut_search import best_cuts

TWO = (Label.SATISFIED, Label.DISSATISFIED)
THREE = (*TWO, Label.NEUTRAL)


def fitted(
    scores: Sequence[ConversationScore], letters: str, *, training_ids: Sequence[str] = (), seed: int = 0
) -> CutFit:
    chosen = rubric(training_ids=training_ids)
    return fit_cuts(scores, labels_of(letters), rubric=chosen, prompts="words", source="overall", seed=seed)


def columns(letters: str, labels: Sequence[Label]) -> NDArray[np.intp]:
    return np.array([labels.index(LETTERS[one]) for one in letters], dtype=np.intp)


@pytest.mark.parametrize(
    ("totals", "letters", "labels", "cuts"),
    [
        ([1, 2, 3, 4], "ddss", TWO, (2.5, 2.5)),
        ([1, 2, 8, 9], "ddss", TWO, (5.0, 5.0)),
        # One dissatisfied conversation on the wrong side changes nothing.
        ([1, 2, 3, 4, 5, 6, 9], "dddsssd", TWO, (3.5, 3.5)),
        ([1, 2, 5, 6, 8, 9], "ddnnss", THREE, (3.5, 7.0)),
        # A score that points the other way: all on the more frequent side is best.
        ([1, 2, 3], "ssd", TWO, (0.5, 0.5)),
    ],
)
def test_the_best_cuts_by_hand(
    totals: list[float], letters: str, labels: Sequence[Label], cuts: tuple[float, float]
) -> None:
    found = best_cuts(np.array(totals, dtype=np.float64), codes=columns(letters, labels), labels=labels)
    assert found == pytest.approx(cuts)


def test_among_equals_the_middle_one_is_taken() -> None:
    # Any cut from below 2 to above 4 gets one row in turn wrong and one right; 2.5 and 3.5 are the middle places.
    totals, letters = [1, 2, 2, 3, 3, 4, 4, 5], "dsdsdsds"
    low, high = best_cuts(np.array(totals, dtype=np.float64), codes=columns(letters, TWO), labels=TWO)
    assert low == high
    assert low in {2.5, 3.5}


@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("seed", range(4))
def test_no_other_cuts_have_a_larger_macro_f1(labels: Sequence[Label], seed: int) -> None:
    generator = np.random.default_rng(seed)
    drawn_codes: list[int] = generator.integers(len(labels), size=20).tolist()
    numbers = [*range(len(labels)), *drawn_codes]
    codes = np.array(numbers, dtype=np.intp)
    totals = generator.integers(-6, 6, size=len(codes)).astype(np.float64)
    names = [str(label) for label in labels]
    truth = [names[number] for number in numbers]

    def quality(low: float, high: float) -> float:
        predicted = [str(label_of(float(R), Cuts(dissatisfied_below=low, satisfied_above=high))) for R in totals]
        return averaged(truth, predicted=predicted)["macro"][2]

    values = np.unique(totals)
    places = [values[0] - 0.5, *((values[:-1] + values[1:]) / 2), values[-1] + 0.5]
    pairs = combinations_with_replacement(places, 2) if len(labels) == 3 else ((one, one) for one in places)
    best = max(quality(low, high) for low, high in pairs)
    assert quality(*best_cuts(totals, codes=codes, labels=labels)) == pytest.approx(best)


def test_cuts_that_are_there_are_found_and_tied_to_the_judge() -> None:
    letters = "s" * 80 + "d" * 70 + "n" * 60
    scores = drawn(letters, apart=6.0)
    fit = fitted(scores, letters).fitted
    cuts = fit.cuts
    assert -4 < cuts.dissatisfied_below < -2
    assert 2 < cuts.satisfied_above < 4
    assert (cuts.judge, cuts.elicited, cuts.prompts, cuts.calibrated) == (JUDGE, Elicited.TEXT, "words", True)
    assert fit.fitted_to == {Label.SATISFIED: 80, Label.DISSATISFIED: 70, Label.NEUTRAL: 60}
    assert fit.held_out.macro_f1 == pytest.approx(1.0, abs=0.03)
    for (low, high), cut in zip(fit.middle_90, (cuts.dissatisfied_below, cuts.satisfied_above), strict=True):
        assert low <= cut <= high
    assert fit.calibration is not None
    assert fit.calibration.slope > 0


def test_held_out_figures_of_noise_are_those_of_chance() -> None:
    letters = "sd" * 60
    truth = [str(LETTERS[one]) for one in letters]
    kappas: list[float] = []
    optimism: list[float] = []
    for seed in range(12):
        scores = drawn(letters, apart=0.0, seed=seed)
        held_out = fitted(scores, letters).fitted.held_out
        cuts = Cuts(calibrated=True, satisfied_above=(best := best_of(scores, letters)), dissatisfied_below=best)
        in_sample = averaged(truth, predicted=[str(label_of(one.R, cuts)) for one in scores])["macro"][2]
        kappas.append(held_out.kappa or 0.0)
        optimism.append(in_sample - (held_out.macro_f1 or 0.0))
    assert abs(float(np.mean(kappas))) < 0.06
    assert min(optimism) >= 0
    assert float(np.mean(optimism)) > 0.02


def best_of(scores: Sequence[ConversationScore], letters: str) -> float:
    totals = np.array([one.R for one in scores], dtype=np.float64)
    return best_cuts(totals, codes=columns(letters, TWO), labels=TWO)[1]


def test_a_conversation_is_judged_by_cuts_that_have_not_seen_it() -> None:
    letters = "sd" * 30
    scores = drawn(letters, apart=1.0)
    before = fitted(scores, letters)
    # Its own score moves nothing that it is itself held against; everyone else's may move.
    moved = [score("c0", 10_000.0), *scores[1:]]
    after = fitted(moved, letters)
    assert after.held_out["c0"].cuts == before.held_out["c0"].cuts
    assert any(after.held_out[one.id] != before.held_out[one.id] for one in scores[1:])


def test_hardly_any_neutral_users_leave_one_cut() -> None:
    letters = "s" * 20 + "d" * 20 + "n" * 9
    fit = fitted(drawn(letters, apart=2.0), letters)
    assert fit.fitted.cuts.dissatisfied_below == fit.fitted.cuts.satisfied_above
    assert fit.fitted.left_out == {"too few neutral": 9}
    assert Label.NEUTRAL not in fit.fitted.fitted_to


def test_training_ids_and_other_ways_of_asking_are_left_out() -> None:
    letters = "sd" * 20
    scores = [*drawn(letters, apart=2.0), score("c40", 50.0, elicited=Elicited.TOKENS), score("c41", 99.0)]
    fit = fitted(scores, letters + "dd", training_ids=["c41"])
    assert fit.fitted.left_out == {"asked in another way": 1}
    assert fit.held_out.keys() == {f"c{place}" for place in range(40)}


@pytest.mark.parametrize(
    ("scores", "letters", "problem"),
    [
        (scored(), "", "not 0 and 0"),
        (scored(*range(20)), "s" * 20, "not 20 and 0"),
        (scored(*range(19)), "s" * 10 + "d" * 9, "not 10 and 9"),
        (scored(*[Reason.EMPTY] * 20), "sd" * 10, "not 0 and 0"),
        (scored(*[3.0] * 20), "sd" * 10, "R is 3 in all 20"),
    ],
    ids=["nothing", "one class", "too few", "all missing", "all ties"],
)
def test_what_cannot_be_fitted_is_refused(scores: list[ConversationScore], letters: str, problem: str) -> None:
    with pytest.raises(LabelError, match=problem):
        fitted(scores, letters)


def test_the_seed_decides() -> None:
    letters = "sdn" * 15
    scores = drawn(letters, apart=0.7)
    assert fitted(scores, letters) == fitted(scores, letters)
    assert fitted(scores, letters).held_out != fitted(scores, letters, seed=1).held_out


def test_scores_are_labelled_anew_where_the_cuts_hold() -> None:
    letters = "s" * 20 + "d" * 20 + "n" * 20
    scores = drawn(letters, apart=6.0)
    fit = fitted(scores, letters).fitted
    others = [score("x", 99.0, elicited=Elicited.TOKENS), score("y", Reason.EMPTY), score("z", 99.0)]
    x, y, z = relabel(others, fit)
    assert (x.label, x.probability, y.label, y.probability) == (None, None, None, None)
    assert z.label is Label.SATISFIED
    assert z.probability == pytest.approx(1.0, abs=0.05)
    assert [one.label for one in relabel(scores, fit)][:20] == [Label.SATISFIED] * 20


def test_an_evaluation_with_fitted_cuts_is_held_out() -> None:
    letters = "s" * 30 + "d" * 30 + "n" * 5
    scores = drawn(letters, apart=1.0)
    fit = fitted(scores, letters)

    def evaluated(with_fit: CutFit) -> Evaluation:
        settings = EvaluationSettings(prompts="words", fit=with_fit, replicates=100)
        labels: dict[str, LabelledText] = labels_of(letters)
        return evaluate(scores, labels, rubric=rubric(), generator=np.random.default_rng(0), settings=settings)

    held_out, optimistic = evaluated(fit), evaluated(CutFit(fitted=fit.fitted))
    assert held_out.tables is not None
    assert optimistic.tables is not None
    assert (held_out.tables.is_held_out, held_out.tables.is_calibrated) == (True, True)
    assert (optimistic.tables.is_held_out, optimistic.tables.is_calibrated) == (False, True)
    assert held_out.tables.three.figures.n == 65
    assert held_out.reliability is not None
    assert optimistic.reliability is not None
    assert held_out.reliability.n == optimistic.reliability.n == 65
    assert held_out.reliability.brier is not None
    assert optimistic.reliability.brier is not None
    assert held_out.reliability.brier > optimistic.reliability.brier


def test_fitted_cuts_are_kept_in_a_file_that_names_nobody(tmp_path: Path) -> None:
    letters = "sd" * 15
    fit = fitted(drawn(letters, apart=1.0), letters).fitted
    assert read_fitted_cuts(tmp_path) is None
    path = write_fitted_cuts(fit, tmp_path)
    assert read_fitted_cuts(tmp_path) == fit
    assert "c1" not in path.read_text("utf-8")
    path.write_text('{"format": 1, "cuts": 7}', encoding="utf-8")
    with pytest.raises(FormatError, match=r"cuts\.json: "):
        read_fitted_cuts(tmp_path)
