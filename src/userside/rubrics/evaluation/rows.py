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
class EvaluatedRow:
    """A conversation that has R and a label, and that the rubric was not learned from."""

    id: str
    R: float
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
class Coverage:
    """How many conversations count, and how many do not, by reason; each is counted once.

    Attributes:
        scores: All rows of scores.
        evaluated: Those that count, by label.
        training: Left out because the rubric was learned from them; looked for first.
        unlabelled: Left out because their user's label is not known.
        without_R: Labelled ones left out because R is missing, by the commonest reason among their items.
        labelled_only: Labelled conversations that have no row of scores; not part of `scores`.
    """

    scores: int
    evaluated: Mapping[Label, int]
    training: int = 0
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
        unlabelled=unlabelled,
        without_R=dict(without.most_common()),
        labelled_only=len(labels.keys() - {score.id for score in scores} - trained),
    )
    return tuple(rows), coverage


def _reason(score: ConversationScore) -> str:
    commonest = Counter(reason.value for reason in score.reasons).most_common(1)
    return commonest[0][0] if commonest else NO_REASON
