"""A conversation with all that is known of it, and what the whole of them comes to."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from userside.conversations import Conversation, Feedback, Label
from userside.llm import Elicited, Reason
from userside.rubrics.evaluation import Evaluation
from userside.rubrics.report.inputs import ReportInputs, evaluate_inputs
from userside.rubrics.report.links import Links, new_links
from userside.rubrics.rubric import Cuts, RubricItem, Side
from userside.rubrics.scores import ConversationScore, ItemScore

APPLIES = 0.5
"""The P(Y) from which an item counts as applying, as in the evaluation."""
OWN = "label"
"""The name under which `choose_labels` knows people's own labels."""
CLEAR = frozenset({Label.SATISFIED, Label.DISSATISFIED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One conversation.

    Attributes:
        place: Its place in the run, from 0; names it in addresses.
        conversation: What was said.
        score: What the judge made of it, or None where the run has no row for it.
        said: The user's own label, or None.
        until: The label speaks of the turns before this index only; None for all.
        seen_until: The judge was shown the turns before this index only; None for all.
    """

    place: int
    conversation: Conversation
    score: ConversationScore | None
    said: Label | None = None
    until: int | None = None
    seen_until: int | None = None

    @property
    def id(self) -> str:
        """Return the conversation's id."""
        return self.conversation.id

    @property
    def R(self) -> float | None:  # noqa: N802 - the paper's R
        """Return R, or None where there is none."""
        return self.score.R if self.score else None

    @property
    def estimate(self) -> Label | None:
        """Return the label that follows from R, or None."""
        return self.score.label if self.score else None

    @property
    def disagrees(self) -> bool:
        """Tell whether the user and the estimate say opposite things."""
        return self.said in CLEAR and self.estimate in CLEAR and self.said is not self.estimate

    @property
    def is_hidden_failure(self) -> bool:
        """Tell whether the user was dissatisfied and the transcript reads satisfied."""
        return self.said is Label.DISSATISFIED and self.estimate is Label.SATISFIED

    @property
    def feedback(self) -> tuple[Feedback, ...]:
        """Return what people, not rules, said of the whole conversation."""
        return tuple(one for one in self.conversation.feedback if one.turn is None and not one.by.startswith("rule:"))

    def note(self, name: str) -> str | None:
        """Return the user's first words under `purpose`, `outcome` or `description`, or None."""
        return next((words for one in self.feedback if (words := getattr(one, name))), None)

    @property
    def unscored_reason(self) -> Reason | None:
        """Return why there is no R: the commonest reason among its items, or None where R is there or nothing is."""
        if self.score is None or self.score.R is not None:
            return None
        commonest = Counter(self.score.reasons).most_common(1)
        return commonest[0][0] if commonest else None

    def applying(self, items: Sequence[RubricItem]) -> tuple[tuple[RubricItem, ItemScore], ...]:
        """Return the items that apply with their scores, the highest first."""
        if self.score is None:
            return ()
        verdicts = ((item, self.score.items.get(item.name)) for item in items)
        pairs = [(item, verdict) for item, verdict in verdicts if isinstance(verdict, ItemScore)]
        return tuple(sorted((pair for pair in pairs if pair[1].yes >= APPLIES), key=lambda pair: -pair[1].score))


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What every section of a report draws on.

    Attributes:
        inputs: What was read.
        cases: Every conversation, in the order of the run.
        evaluation: Scores held against the users' labels; None without labels.
        links: Marks for what is linked.
    """

    inputs: ReportInputs
    cases: tuple[Case, ...]
    evaluation: Evaluation | None
    links: Links

    @property
    def has_labels(self) -> bool:
        """Tell whether any user's own label is known."""
        return any(case.said for case in self.cases)

    @property
    def is_own_word(self) -> bool:
        """Tell whether users gave the labels themselves; else a rule derived them from ratings or the like."""
        return self.inputs.labels_by == OWN

    @property
    def voice(self) -> str:
        """Return whose labels these are, as a heading."""
        return "Users say" if self.is_own_word else "Labels say"

    @property
    def items(self) -> tuple[RubricItem, ...]:
        """Return the rubric's items, those of satisfaction first."""
        rubric = self.inputs.rubric
        return (*rubric.side(Side.SATISFIED), *rubric.side(Side.DISSATISFIED))

    @property
    def by_tokens(self) -> bool:
        """Tell whether scores come from token probabilities, without quotes."""
        return any(score.elicited is Elicited.TOKENS for score in self.inputs.scores)

    @property
    def cuts(self) -> tuple[Cuts, ...]:
        """Return where R turned into a label: one pair of cuts for each way the judge was asked."""
        inputs = self.inputs
        if inputs.fitted:
            return (inputs.fitted.cuts,)
        ways = dict.fromkeys((score.judge, score.elicited) for score in inputs.scores)
        fingerprint = inputs.prompts.fingerprint
        found = (inputs.rubric.cuts_for(judge=judge, elicited=way, prompts=fingerprint) for judge, way in ways)
        return tuple(dict.fromkeys(cuts for cuts in found if cuts))

    @property
    def is_calibrated(self) -> bool:
        """Tell whether the cuts were fitted to labels."""
        return bool(self.cuts) and all(cuts.calibrated for cuts in self.cuts)

    def count(self, holds: Callable[[Case], bool]) -> int:
        """Return for how many conversations something holds."""
        return sum(holds(case) for case in self.cases)


def gather_facts(inputs: ReportInputs) -> Facts:
    """Return what the sections of a report draw on."""
    scores = {score.id: score for score in inputs.scores}
    shown = inputs.shown
    cases: list[Case] = []
    for place, conversation in enumerate(inputs.conversations):
        label = inputs.labels.get(conversation.id)
        cases.append(
            Case(
                place=place,
                conversation=conversation,
                score=scores.get(conversation.id),
                said=label.label if label else None,
                until=label.until if label else None,
                seen_until=shown[conversation.id].until if conversation.id in shown else None,
            )
        )
    return Facts(
        inputs=inputs, cases=tuple(cases), evaluation=evaluate_inputs(inputs), links=new_links(inputs.conversations)
    )
