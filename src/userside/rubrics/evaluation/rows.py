"""Which conversations an evaluation counts, and what becomes of the others."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from userside.conversations import Label, LabelledText
from userside.rubrics.rubric import Rubric
from userside.rubrics.scores import ConversationScore

NO_REASON = "not summed"
"""Why there is no R where no item is missing: the scores come from elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledRow:
    """A scored conversation that has a label, and that the rubric was not learned from; R may be missing."""

    id: str
    truth: Label
    score: ConversationScore

    @property
    def is_clear(self) -> bool:
        """Tell whether its user was satisfied or dissatisfied, and not neutral."""
        return self.truth is not Label.NEUTRAL

    @property
    def is_satisfied(self) -> bool:
        """Tell whether its user was satisfied."""
        return self.truth is Label.SATISFIED


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedRow(LabelledRow):
    """One of them that has R."""

    R: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStep:
    """One step from all that were scored to those that count.

    Attributes:
        reason: Why conversations were left out here.
        left_out: How many.
        remaining: How many are left after it.
    """

    reason: str
    left_out: int
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many conversations count, and how many do not, by reason; each is counted once.

    Attributes:
        scores: All rows of scores.
        evaluated: Those that count, by label.
        training: Left out because the rubric was learned from them; looked for first.
        training_ids: How many conversations the rubric was learned from, scored here or not.
        unlabelled: Left out because their user's label is not known.
        without_R: Labelled ones left out because R is missing, by the commonest reason among their items.
        labelled_only: Labelled conversations that have no row of scores; not part of `scores`.
    """

    scores: int
    evaluated: Mapping[Label, int]
    training: int = 0
    training_ids: int = 0
    unlabelled: int = 0
    without_R: Mapping[str, int] = field(default_factory=dict[str, int])  # noqa: N815 - the paper's R
    labelled_only: int = 0

    @property
    def n(self) -> int:
        """The number of conversations that count."""
        return sum(self.evaluated.values())

    @property
    def excluded(self) -> dict[str, int]:
        """What was left out of the scored conversations, by reason, as a rate carries it."""
        counts = {"trained on": self.training, "no label": self.unlabelled, "no R": sum(self.without_R.values())}
        return {reason: count for reason, count in counts.items() if count}

    @property
    def flow(self) -> tuple[FlowStep, ...]:
        """What was left out step by step, those that left out none included; the last leaves the clear labels."""
        reasons = {
            "the rubric was learned from it": self.training,
            "no label": self.unlabelled,
            **{f"no R: {reason}": count for reason, count in self.without_R.items()},
            "neutral (two classes and AUC only)": self.evaluated.get(Label.NEUTRAL, 0),
        }
        steps: list[FlowStep] = []
        remaining = self.scores
        for reason, left_out in reasons.items():
            remaining -= left_out
            steps.append(FlowStep(reason=reason, left_out=left_out, remaining=remaining))
        return tuple(steps)


def labelled_rows(
    scores: Sequence[ConversationScore], labels: Mapping[str, LabelledText], *, rubric: Rubric
) -> tuple[LabelledRow, ...]:
    """Return the scored conversations with a label that the rubric was not learned from, with R or without.

    An item is looked at on all of these that have its score: that another item is missing is no reason to lose it.
    """
    trained = frozenset(rubric.training_ids)
    return tuple(
        LabelledRow(id=score.id, truth=labels[score.id].label, score=score)
        for score in scores
        if score.id in labels and score.id not in trained
    )


def select_rows(
    scores: Sequence[ConversationScore], labels: Mapping[str, LabelledText], *, rubric: Rubric
) -> tuple[tuple[EvaluatedRow, ...], Coverage]:
    """Return the rows that count, in the order of the scores, and how many do not."""
    trained = frozenset(rubric.training_ids)
    rows: list[EvaluatedRow] = []
    training = unlabelled = 0
    without: Counter[str] = Counter()
    for score in scores:
        label = labels.get(score.id)
        if score.id in trained:
            training += 1
        elif label is None:
            unlabelled += 1
        elif score.R is None:
            without[_reason(score)] += 1
        else:
            rows.append(EvaluatedRow(id=score.id, R=score.R, truth=label.label, score=score))
    coverage = Coverage(
        scores=len(scores),
        evaluated={label: sum(row.truth is label for row in rows) for label in Label},
        training=training,
        training_ids=len(trained),
        unlabelled=unlabelled,
        without_R=dict(without.most_common()),
        labelled_only=len(labels.keys() - {score.id for score in scores} - trained),
    )
    return tuple(rows), coverage


def _reason(score: ConversationScore) -> str:
    commonest = Counter(reason.value for reason in score.reasons).most_common(1)
    return commonest[0][0] if commonest else NO_REASON
