"""Labels from R against users' own, in three classes and in two, always beside the constant predictor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from userside.conversations import Label
from userside.errors import LabelError
from userside.rubrics.evaluation.figures import (
    ClassIntervals,
    LabelFigures,
    Predictions,
    Resampling,
    as_fields,
    measure_classes,
    measure_predictions,
)
from userside.rubrics.evaluation.rivals import RivalColumns, RivalLabels, held_out_labels
from userside.rubrics.evaluation.rows import EvaluatedRow
from userside.rubrics.rubric import Cuts
from userside.rubrics.scores import label_of
from userside.statistics import (
    Bootstrap,
    Classification,
    Rate,
    Statistic,
    constant_predictor,
    macro_f1,
    majority_label,
    paired_bootstrap,
    rate_of,
    statistic_of_confusion,
)

THREE = (Label.SATISFIED, Label.DISSATISFIED, Label.NEUTRAL)
TWO = (Label.SATISFIED, Label.DISSATISFIED)

FITTED_R = "R, cuts fitted"
"""R labelled by cuts fitted to other conversations, beside R with the cuts that were in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalTable(LabelFigures):
    """How well labels from another score match, by cuts fitted to other conversations.

    Attributes:
        name: What it is.
        missing: Conversations that R labels and that it does not.
        difference: Macro F1 of R minus its own, paired on the conversations that have both.
    """

    name: str
    missing: int
    difference: Bootstrap


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTable(LabelFigures):
    """How well labels from R match users' own.

    Attributes:
        per_class: Precision, recall and F1 of each class, with intervals.
        constant: The row of always predicting the commonest label of these conversations.
        always: That label.
        rivals: Labels from other scores, beside it.
    """

    per_class: tuple[ClassIntervals, ...]
    constant: Classification
    always: str
    rivals: tuple[RivalTable, ...] = ()


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
        no_rival: Why labels of another score are not beside R, by its name.
        at_middle: Conversations of `two` with R exactly in the middle.
        users_satisfied: The share of users who called themselves satisfied.
        estimated_satisfied: The share that R calls satisfied, of the same conversations.
    """

    cuts: tuple[Cuts, ...]
    is_calibrated: bool
    is_held_out: bool
    three: LabelTable
    two: LabelTable | None
    no_rival: Mapping[str, str]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TableInputs:
    """What the tables are made with.

    Attributes:
        kept: The cuts that are shown as used.
        is_held_out: Whether each conversation's cuts had not seen it.
        resampling: Draws resamples for the intervals.
        rivals: Other scores of the same conversations.
        without_cuts: How many conversations are not among the rows since no cuts hold for them.
    """

    kept: tuple[Cuts, ...]
    is_held_out: bool
    resampling: Resampling
    rivals: RivalColumns
    without_cuts: int = 0

    @property
    def excluded(self) -> dict[str, int]:
        """Return what is not among the rows, by reason."""
        return {"no cuts hold": self.without_cuts} if self.without_cuts else {}


def compare_cut_rows(rows: Sequence[CutRow], inputs: TableInputs) -> LabelTables:
    """Return the tables of rows; there must be at least one."""
    rivals, no_rival = _rival_labels(rows, inputs)
    clear = [cut for cut in rows if cut.row.is_clear]
    return LabelTables(
        cuts=inputs.kept,
        is_calibrated=all(cuts.calibrated for cuts in inputs.kept),
        is_held_out=inputs.is_held_out,
        three=_three(rows, rivals, inputs),
        two=_two(clear, rivals, inputs, neutral=len(rows) - len(clear)) if clear else None,
        no_rival=no_rival,
        at_middle=sum(cut.is_at_middle for cut in clear),
        users_satisfied=_share(rows, [cut.row.truth for cut in rows], inputs),
        estimated_satisfied=_share(rows, [cut.label for cut in rows], inputs),
    )


def _share(rows: Sequence[CutRow], labels: Sequence[Label], inputs: TableInputs) -> Rate:
    return rate_of(labels.count(Label.SATISFIED), denominator=len(rows), excluded=inputs.excluded)


def _rival_labels(rows: Sequence[CutRow], inputs: TableInputs) -> tuple[dict[str, RivalLabels], dict[str, str]]:
    columns = dict(inputs.rivals.scores)
    if not inputs.is_held_out:
        columns = {FITTED_R: {cut.row.id: cut.row.R for cut in rows}, **columns}
    found: dict[str, RivalLabels] = {}
    missing = dict(inputs.rivals.missing)
    for name, scores in columns.items():
        shared = [cut.row for cut in rows if cut.row.id in scores]
        try:
            found[name] = held_out_labels(shared, scores, name=name, seed=inputs.rivals.seed)
        except LabelError as error:
            missing[name] = str(error)
    return found, missing


@dataclass(frozen=True, slots=True)
class _Called:
    """What R calls each conversation, and what its rivals do, by conversation id."""

    rows: Sequence[CutRow]
    by_R: Sequence[Label]  # noqa: N815 - the paper's R
    by_rival: Mapping[str, Mapping[str, Label]]
    classes: Sequence[Label]
    excluded: Mapping[str, int]


def _three(rows: Sequence[CutRow], rivals: Mapping[str, RivalLabels], inputs: TableInputs) -> LabelTable:
    by_rival = {name: labels.three for name, labels in rivals.items()}
    called = _Called(rows, [cut.label for cut in rows], by_rival, THREE, inputs.excluded)
    return _table(called, resampling=inputs.resampling)


def _two(
    clear: Sequence[CutRow], rivals: Mapping[str, RivalLabels], inputs: TableInputs, *, neutral: int
) -> LabelTable:
    by_rival = {name: labels.two for name, labels in rivals.items()}
    excluded = {**inputs.excluded, **({"neutral": neutral} if neutral else {})}
    called = _Called(clear, [cut.side for cut in clear], by_rival, TWO, excluded)
    return _table(called, resampling=inputs.resampling)


def _table(called: _Called, *, resampling: Resampling) -> LabelTable:
    labels = [str(label) for label in called.classes]
    predictions = Predictions(
        rows=[cut.row for cut in called.rows],
        predicted=[str(label) for label in called.by_R],
        labels=labels,
        excluded=called.excluded,
    )
    truth = predictions.truth
    return LabelTable(
        **as_fields(measure_predictions(predictions, resampling=resampling)),
        per_class=measure_classes(predictions, resampling=resampling),
        constant=constant_predictor(truth, labels=labels, excluded=called.excluded),
        always=majority_label(truth, labels=labels) or "",
        rivals=tuple(
            _rival(called, own, name=name, resampling=resampling)
            for name, own in called.by_rival.items()
            if any(cut.row.id in own for cut in called.rows)
        ),
    )


def _rival(called: _Called, own: Mapping[str, Label], *, name: str, resampling: Resampling) -> RivalTable:
    shared = [(cut.row, by_r) for cut, by_r in zip(called.rows, called.by_R, strict=True) if cut.row.id in own]
    rows, labels = [row for row, _ in shared], [str(label) for label in called.classes]
    theirs = Predictions(rows=rows, predicted=[str(own[row.id]) for row in rows], labels=labels)
    ours = Predictions(rows=rows, predicted=[str(by_r) for _, by_r in shared], labels=labels)
    return RivalTable(
        **as_fields(measure_predictions(theirs, resampling=resampling)),
        name=name,
        missing=len(called.rows) - len(shared),
        difference=paired_bootstrap(_macro(ours), minus=_macro(theirs), resamples=resampling(rows)),
    )


def _macro(predictions: Predictions) -> Statistic:
    return statistic_of_confusion(
        macro_f1, first=predictions.truth, second=predictions.predicted, labels=predictions.labels
    )
