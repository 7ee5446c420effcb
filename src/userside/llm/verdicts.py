"""What became of one judgement: a value, or the reason why there is none.

A failed, refused, truncated, empty or unreadable answer is `Unscored`. It is never 0, N, False or "".
"""

from dataclasses import dataclass
from enum import StrEnum


class Elicited(StrEnum):
    """How an answer was obtained from the model."""

    SCHEMA = "schema"
    """The endpoint was given a JSON Schema and constrained the answer to it."""
    TEXT = "text"
    """The format was asked for in words and the answer was read as text."""
    TOKENS = "tokens"
    """The probabilities of the first answer token were read; nothing was generated beyond it."""


class Reason(StrEnum):
    """Why a judgement has no value."""

    # What the model said could not be used.
    EMPTY = "empty"
    """The answer had no text, or nothing but reasoning."""
    TRUNCATED = "truncated"
    """The answer ended at the output limit, also after a retry with a larger one."""
    REFUSED = "refused"
    """The model declined to answer."""
    UNREADABLE = "unreadable"
    """The answer was read and holds no usable value."""
    OUT_OF_RANGE = "out_of_range"
    """A number outside what was asked for."""
    CONTRADICTION = "contradiction"
    """Two answers to one question, or an answer and a score that exclude each other."""
    MISSING = "missing"
    """Other items were answered, this one was not."""
    ECHO = "echo"
    """The answer repeats the prompt."""
    NO_PROBABILITIES = "no_probabilities"
    """Token probabilities were asked for and hardly any fell on the options."""
    # What kept the model from answering.
    CONTENT_FILTER = "content_filter"
    CONTEXT_WINDOW = "context_window"
    BAD_REQUEST = "bad_request"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    SERVER_ERROR = "server_error"
    CONNECTION = "connection"
    # What was never asked.
    NOTHING_TO_JUDGE = "nothing_to_judge"
    """The conversation has no text of its user."""
    PENDING = "pending"
    """Waiting for an answer from elsewhere (`batch`)."""
    BUDGET = "budget"
    """The allowed calls or money were used up before."""
    FORGOTTEN = "forgotten"
    """The subject withdrew; it is not asked about again."""

    @property
    def is_open(self) -> bool:
        """Tell whether running the same command again can still bring the answer."""
        return self in {Reason.PENDING, Reason.BUDGET, *_NO_ANSWER}


_NO_ANSWER = {Reason.RATE_LIMITED, Reason.TIMEOUT, Reason.SERVER_ERROR, Reason.CONNECTION}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored[T]:
    """A judgement with a value.

    Attributes:
        value: What was judged.
        probability: P(value) in 0..1 where token probabilities were read, else None.
        elicited: How the answer was obtained.
    """

    value: T
    probability: float | None = None
    elicited: Elicited = Elicited.TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Unscored:
    """A judgement without a value.

    Attributes:
        reason: Why, for counting.
        detail: Why, for a person; may quote the model, so treat it as hostile text.
    """

    reason: Reason
    detail: str = ""


type Verdict[T] = Scored[T] | Unscored
