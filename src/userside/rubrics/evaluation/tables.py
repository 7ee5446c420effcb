"""Labels from R against users' own, in three classes and in two, always beside the constant predictor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from userside.conversations import Label
from userside.rubrics.evaluation.rows import EvaluatedRow
from userside.rubrics.rubric import Cuts
from userside.rubrics.scores import label_of
from userside.statistics import (
    Bootstrap,
    Classification,
    ConfusionMatrix,
    Rate,
    Resamples,
    accuracy,
    bootstrap,
    cohen_kappa,
    compare_labels,
    constant_predictor,
    macro_f1,
    majority_label,
    rate_of,
    statistic_of_confusion,
)

THREE = (Label.SATISFIED, Label.DISSATISFIED, Label.NEUTRAL)
TWO = (Label.SATISFIED, Label.DISSATISFIED)

type Resampling = Callable[[Sequence[EvaluatedRow]], Resamples]
"""Draws resamples of rows, by dialogue or whatever else hangs together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTable:
    """How well labels from R match users' own.

    Attributes:
        figures: Accuracy, precision, recall, F1, kappa and the confusion matrix (users down, R across).
        accuracy: With its interval; so for the next two.
        constant: The row of always predicting the commonest label of these conversations.
        always: That label.
    """

    figures: Classification
    accuracy: Bootstrap
    macro_f1: Bootstrap
    kappa: Bootstrap
    constant: Classification
    always: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTables:
    """Labels from R against users' own, and what they were made with.

    Attributes:
        cuts: The cuts that were used; several where conversations were asked in several ways.
        is_calibrated: Whether all of them were fitted to labels.
        is_held_out: Whether each conversation was labelled by cuts that had not seen it.
        three: Satisfied, dissatisfied, neutral.
        two: Neutral users left out; R above the middle of the two cuts is satisfied, else dissatisfied. None where
            every user is neutral.
        at_middle: Conversations of `two` with R exactly in the middle.
        users_satisfied: The share of users who called themselves satisfied.
        estimated_satisfied: The share that R calls satisfied, of the same conversations.
    """

    cuts: tuple[Cuts, ...]
    is_calibrated: bool
    is_held_out: bool
    three: LabelTable
    two: LabelTable | None
    at_middle: int
    users_satisfied: Rate
    estimated_satisfied: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class CutRow:
    """A conversation with the cuts it is to be labelled by."""

    row: EvaluatedRow
    cuts: Cuts

    @property
    def label(self) -> Label:
        """Return the label by the two cuts."""
        return label_of(self.row.R, self.cuts) or Label.NEUTRAL

    @property
    def middle(self) -> float:
        """Return the middle of the two cuts."""
        return (self.cuts.dissatisfied_below + self.cuts.satisfied_above) / 2

    @property
    def is_at_middle(self) -> bool:
        """Tell whether R is exactly there, so that it speaks for neither side."""
        total = self.row.R
        return total == self.middle

    @property
    def side(self) -> Label:
        """Return the label where there is no neutral.

        R exactly in the middle is dissatisfied: a prediction must not look at the truth, and whoever acts on it had
        rather read one conversation too many than overlook an unhappy user.
        """
        total = self.row.R
        return Label.SATISFIED if total > self.middle else Label.DISSATISFIED


def compare_cut_rows(
    rows: Sequence[CutRow], *, kept: tuple[Cuts, ...], is_held_out: bool, resampling: Resampling, without_cuts: int = 0
) -> LabelTables:
    """Return the tables of rows; there must be at least one.

    Args:
        rows: Conversations, each with its cuts.
        kept: The cuts that are shown as used.
        is_held_out: Whether each conversation's cuts had not seen it.
        resampling: Draws resamples for the intervals.
        without_cuts: How many conversations are not among the rows since no cuts hold for them.
    """
    excluded = {"no cuts hold": without_cuts} if without_cuts else {}
    clear = [cut for cut in rows if cut.row.is_clear]
    neutral = {"neutral": len(rows) - len(clear)} if len(rows) > len(clear) else {}
    satisfied = sum(cut.row.is_satisfied for cut in rows)
    called = sum(cut.label is Label.SATISFIED for cut in rows)
    return LabelTables(
        cuts=kept,
        is_calibrated=all(cuts.calibrated for cuts in kept),
        is_held_out=is_held_out,
        three=_table(rows, [cut.label for cut in rows], classes=THREE, resampling=resampling, excluded=excluded),
        two=_table(
            clear, [cut.side for cut in clear], classes=TWO, resampling=resampling, excluded={**excluded, **neutral}
        )
        if clear
        else None,
        at_middle=sum(cut.is_at_middle for cut in clear),
        users_satisfied=rate_of(satisfied, denominator=len(rows), excluded=excluded),
        estimated_satisfied=rate_of(called, denominator=len(rows), excluded=excluded),
    )


def _table(
    rows: Sequence[CutRow],
    predictions: Sequence[Label],
    *,
    classes: tuple[Label, ...],
    resampling: Resampling,
    excluded: dict[str, int],
) -> LabelTable:
    labels = [str(label) for label in classes]
    truth, predicted = [str(cut.row.truth) for cut in rows], [str(label) for label in predictions]
    resamples = resampling([cut.row for cut in rows])

    def measured(measure: Callable[[ConfusionMatrix], float | None]) -> Bootstrap:
        statistic = statistic_of_confusion(measure, first=truth, second=predicted, labels=labels)
        return bootstrap(statistic, resamples=resamples)

    return LabelTable(
        figures=compare_labels(truth, predicted=predicted, labels=labels, excluded=excluded),
        accuracy=measured(accuracy),
        macro_f1=measured(macro_f1),
        kappa=measured(cohen_kappa),
        constant=constant_predictor(truth, labels=labels, excluded=excluded),
        always=majority_label(truth, labels=labels) or "",
    )
