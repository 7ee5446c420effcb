"""What a signal is: a name, a line for people, and how it is measured."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from userside.rubrics.signals.reading import UserText

type Measure = Callable[[UserText], float | None]


class SignalKind(StrEnum):
    """How a signal is summed up over conversations."""

    PRESENCE = "presence"
    """Most conversations have none of it: the share with any is told."""
    AMOUNT = "amount"
    """Every conversation has some of it: the median is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One thing that is counted in what a user wrote.

    Attributes:
        name: The key of its values.
        explanation: One line for a reader who has never seen it: what the value counts.
        kind: How it is summed up.
        measure: Its value, 0 or more; None where it cannot be known.
        missing: Why it cannot be known where there is user text.
    """

    name: str
    explanation: str
    kind: SignalKind
    measure: Measure
    missing: str = "too little text"

    @property
    def title(self) -> str:
        """Return the name as a reader would write it."""
        return self.name.replace("_", " ").capitalize()
