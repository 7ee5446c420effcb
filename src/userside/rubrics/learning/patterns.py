"""Patterns: what was found in one labelled conversation, and how that went."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from userside.llm import Reason
from userside.rubrics.rubric import Evidence, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Why one user was satisfied or not, as that user's own words show it.

    Attributes:
        side: The conversation's label.
        text: What the user does, in one sentence.
        evidence: The words that show it; they stand in the turn it names.
    """

    side: Side
    text: str
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What was found in one conversation.

    Attributes:
        id: The conversation.
        side: Its label.
        patterns: At most three. None at all is an answer where `reason` is None.
        unfounded: Reasons left out because their words are in none of the user's turns, or because none were given.
        surplus: Reasons left out because there were more than wanted.
        reason: Why there is no answer; None where there is one.
        detail: The same for a person; hostile text.
    """

    id: str
    side: Side
    patterns: tuple[Pattern, ...] = ()
    unfounded: int = 0
    surplus: int = 0
    reason: Reason | None = None
    detail: str = ""

    @property
    def is_open(self) -> bool:
        """Tell whether running the same command again can still bring the answer."""
        return self.reason is not None and self.reason.is_open


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionTally:
    """How the extraction went on one side.

    Attributes:
        asked: Conversations of this label in the training sample.
        with_patterns: Those that gave at least one.
        without: Those whose users' words show no reason: answered, and nothing was left out.
        unfounded_only: Those of which every reason was left out.
        patterns: All patterns.
        unfounded: Reasons left out because their words are not the user's.
        surplus: Reasons left out because there were more than wanted.
        unanswered: Conversations without an answer, by reason.
    """

    asked: int
    with_patterns: int
    without: int
    unfounded_only: int
    patterns: int
    unfounded: int
    surplus: int
    unanswered: Mapping[Reason, int]


def tally_extractions(extractions: Iterable[Extraction], *, side: Side) -> ExtractionTally:
    """Return how the extraction went on one side."""
    mine = [one for one in extractions if one.side is side]
    answered = [one for one in mine if one.reason is None]
    empty = [one for one in answered if not one.patterns]
    return ExtractionTally(
        asked=len(mine),
        with_patterns=len(answered) - len(empty),
        without=sum(not one.unfounded for one in empty),
        unfounded_only=sum(one.unfounded > 0 for one in empty),
        patterns=sum(len(one.patterns) for one in mine),
        unfounded=sum(one.unfounded for one in mine),
        surplus=sum(one.surplus for one in mine),
        unanswered=dict(Counter(one.reason for one in mine if one.reason is not None)),
    )


def tallies_by_side(extractions: Iterable[Extraction]) -> dict[str, Any]:
    """Return how the extraction went on each side, as it stands in a run's files."""
    extractions = tuple(extractions)
    tallies = {side: tally_extractions(extractions, side=side) for side in Side}
    return {
        side.value: asdict(tally) | {"unanswered": {reason.value: n for reason, n in tally.unanswered.items()}}
        for side, tally in tallies.items()
    }
