"""Where R turns into a label, fitted to labels by cross-validation.

The SPUR paper leaves the cuts open. Ours are those with the best macro F1 on the training part of each fold; the median
over all folds is what is kept. What a conversation is evaluated with comes only from folds that had not seen it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from userside.conversations import Label, LabelledText
from userside.errors import LabelError
from userside.rubrics.evaluation.cut_folds import FOLDS, LEAST_OF_EACH, REPEATS, deal_folds
from userside.rubrics.evaluation.cut_search import best_cuts
from userside.rubrics.evaluation.rows import EvaluatedRow, select_rows
from userside.rubrics.rubric import Cuts, Rubric
from userside.rubrics.scores import ConversationScore, label_of
from userside.statistics import LogisticCalibration, compare_labels, fit_calibration

type _Floats = NDArray[np.float64]
type _Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutFigures:
    """How well held-out labels match the users' own; with neutral where it was fitted."""

    n: int
    accuracy: float | None
    macro_f1: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedCuts:
    """Cuts fitted to labels, and how; names no conversation, so that it can be kept.

    Attributes:
        cuts: Hold for one judge, asked in one way with one wording.
        calibration: The probability that a user of this R is satisfied (against dissatisfied or neutral).
        labels: Whose labels they were fitted to.
        fitted_to: How many conversations of each label.
        left_out: How many more there were that were not used, by reason.
        middle_90: Between which values the lower and the upper cut moved from fold to fold (5th, 95th percentile).
        held_out: How well they do on conversations they were not fitted to.
        folds: Parts of one split.
        repeats: Splits.
        seed: What the splits are drawn from.
    """

    cuts: Cuts
    calibration: LogisticCalibration | None
    labels: str
    fitted_to: Mapping[Label, int]
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    middle_90: tuple[tuple[float, float], tuple[float, float]]
    held_out: HeldOutFigures
    folds: int = FOLDS
    repeats: int = REPEATS
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """What holds for one conversation by the folds that had not seen it.

    Attributes:
        cuts: The median of their cuts.
        probability: The mean of their probabilities of a satisfied user.
    """

    cuts: Cuts
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CutFit:
    """Fitted cuts, with what each conversation is to be evaluated with.

    Attributes:
        fitted: The cuts that are kept.
        held_out: By conversation id; empty where the cuts were fitted to other labels.
    """

    fitted: FittedCuts
    held_out: Mapping[str, HeldOut] = field(default_factory=dict[str, HeldOut])

    @property
    def is_held_out(self) -> bool:
        """Tell whether no conversation is evaluated with what was fitted to it.

        One that is not among `held_out` was not fitted to at all, and takes the cuts that are kept.
        """
        return bool(self.held_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    """The conversations that cuts are fitted to, as columns."""

    rows: tuple[EvaluatedRow, ...]
    labels: tuple[Label, ...]
    left_out: Mapping[str, int]

    @property
    def totals(self) -> _Floats:
        return np.array([row.R for row in self.rows])

    @property
    def codes(self) -> _Indices:
        return np.array([self.labels.index(row.truth) for row in self.rows], dtype=np.intp)

    @property
    def outcomes(self) -> NDArray[np.bool_]:
        return np.array([row.is_satisfied for row in self.rows])


def fit_cuts(
    scores: Sequence[ConversationScore],
    labels: Mapping[str, LabelledText],
    *,
    rubric: Rubric,
    prompts: str,
    source: str = "",
    seed: int = 0,
) -> CutFit:
    """Return two cuts and a calibration fitted to labels; one cut where hardly anyone is neutral.

    Ten times five folds, stratified by label. Conversations that the rubric was learned from are left out; so are
    neutral ones where there are fewer than ten of them, and both cuts are then the same.

    Args:
        scores: What the judge made of the conversations.
        labels: What their users thought.
        rubric: Knows its training ids.
        prompts: Fingerprint of the wording.
        source: The labels' name, to be kept.
        seed: Decides the folds.

    Raises:
        LabelError: There are fewer than ten satisfied or dissatisfied conversations with R, or all R are the same.
    """
    sample = _sample(select_rows(scores, labels, rubric=rubric)[0])
    lower, upper, probabilities = _cross_validate(sample, generator=np.random.default_rng(seed))
    first = sample.rows[0].score
    tied = Cuts(judge=first.judge, elicited=first.elicited, prompts=prompts, calibrated=True)
    held_out = {
        row.id: HeldOut(cuts=_between(tied, lower[:, place], upper[:, place]), probability=float(probability))
        for place, (row, probability) in enumerate(zip(sample.rows, probabilities.mean(axis=0), strict=True))
    }
    fitted = FittedCuts(
        cuts=_between(tied, lower, upper),
        calibration=fit_calibration(sample.totals, outcomes=sample.outcomes),
        labels=source,
        fitted_to={label: sum(row.truth is label for row in sample.rows) for label in sample.labels},
        left_out=sample.left_out,
        middle_90=(_middle_90(lower), _middle_90(upper)),
        held_out=_figures(sample, held_out),
        seed=seed,
    )
    return CutFit(fitted=fitted, held_out=held_out)


def refit_cuts(
    kept: FittedCuts,
    scores: Sequence[ConversationScore],
    labels: Mapping[str, LabelledText],
    *,
    rubric: Rubric,
    prompts: str,
) -> CutFit:
    """Return cuts that were kept, with those that each conversation was held out of.

    A file of cuts keeps nothing of single conversations, so the same labels are fitted again from the same seed. Where
    they can no longer be fitted, nothing is held out.
    """
    try:
        again = fit_cuts(scores, labels, rubric=rubric, prompts=prompts, source=kept.labels, seed=kept.seed)
    except LabelError:
        return CutFit(fitted=kept)
    return CutFit(fitted=kept, held_out=again.held_out)


def relabel(scores: Sequence[ConversationScore], fitted: FittedCuts) -> tuple[ConversationScore, ...]:
    """Return the scores with labels and probabilities by fitted cuts; rows they do not hold for stay as they are."""
    return tuple(_relabelled(score, fitted) for score in scores)


def _relabelled(score: ConversationScore, fitted: FittedCuts) -> ConversationScore:
    cuts, calibration = fitted.cuts, fitted.calibration
    if score.R is None or not cuts.holds_for(judge=score.judge, elicited=score.elicited, prompts=cuts.prompts or ""):
        return score
    probability = None if calibration is None else float(calibration.probabilities([score.R])[0])
    return replace(score, label=label_of(score.R, cuts), probability=probability)


def _sample(rows: Sequence[EvaluatedRow]) -> _Sample:
    ways = Counter((row.score.judge, row.score.elicited) for row in rows)
    commonest = ways.most_common(1)[0][0] if ways else None
    alike = [row for row in rows if (row.score.judge, row.score.elicited) == commonest]
    counts = Counter(row.truth for row in alike)
    if min(counts[Label.SATISFIED], counts[Label.DISSATISFIED]) < LEAST_OF_EACH:
        raise LabelError(
            f"cuts: wanted {LEAST_OF_EACH} satisfied and {LEAST_OF_EACH} dissatisfied conversations with R, not "
            f"{counts[Label.SATISFIED]} and {counts[Label.DISSATISFIED]}"
        ).with_note("Score more labelled conversations, or use the cuts as they are.")
    labels = tuple(label for label in Label if counts[label] >= LEAST_OF_EACH)
    kept = tuple(row for row in alike if row.truth in labels)
    if len({row.R for row in kept}) == 1:
        raise LabelError(f"cuts: wanted scores that differ, and R is {kept[0].R:g} in all {len(kept)} conversations")
    left_out = {"asked in another way": len(rows) - len(alike), "too few neutral": len(alike) - len(kept)}
    return _Sample(rows=kept, labels=labels, left_out={reason: count for reason, count in left_out.items() if count})


def _cross_validate(sample: _Sample, *, generator: np.random.Generator) -> tuple[_Floats, _Floats, _Floats]:
    """Return the cuts and the probability for each row in each split, by the fold that it was held out of."""
    totals, codes, outcomes = sample.totals, sample.codes, sample.outcomes
    lower, upper, probabilities = (np.empty((REPEATS, len(totals))) for _ in range(3))
    for fold in deal_folds(codes, generator=generator):
        below, above = best_cuts(totals[fold.used], codes=codes[fold.used], labels=sample.labels)
        lower[fold.repeat, fold.out], upper[fold.repeat, fold.out] = below, above
        calibration = fit_calibration(totals[fold.used], outcomes=outcomes[fold.used])
        # Both outcomes are in every training part: there are ten of each, spread over five folds.
        assert calibration is not None  # noqa: S101
        probabilities[fold.repeat, fold.out] = calibration.probabilities(totals[fold.out])
    return lower, upper, probabilities


def _between(cuts: Cuts, lower: _Floats, upper: _Floats) -> Cuts:
    return replace(cuts, dissatisfied_below=float(np.median(lower)), satisfied_above=float(np.median(upper)))


def _middle_90(cuts: _Floats) -> tuple[float, float]:
    low, high = np.quantile(cuts, [0.05, 0.95]).tolist()
    return low, high


def _figures(sample: _Sample, held_out: Mapping[str, HeldOut]) -> HeldOutFigures:
    predicted = [str(label_of(row.R, held_out[row.id].cuts)) for row in sample.rows]
    truth = [str(row.truth) for row in sample.rows]
    compared = compare_labels(truth, predicted=predicted, labels=[str(label) for label in Label])
    return HeldOutFigures(
        n=compared.n,
        accuracy=compared.accuracy.value,
        macro_f1=compared.macro.f1 if compared.macro else None,
        kappa=compared.kappa,
    )
