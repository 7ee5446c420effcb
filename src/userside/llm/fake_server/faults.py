"""What can go wrong at an endpoint, and which requests it happens to."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """One way to fail, or to make the client's life hard."""

    # The call fails.
    RATE_LIMITED = "429"
    SERVER_ERROR = "500"
    UNAVAILABLE = "503"
    BAD_KEY = "401"
    NO_QUOTA = "insufficient_quota"
    NO_SUCH_MODEL = "404"
    CONTEXT_WINDOW = "context_window"
    FILTERED_PROMPT = "filtered_prompt"
    HANG = "hang"
    RESET = "reset"
    # What comes is no chat completion.
    HTML_PAGE = "html"
    HALF_A_BODY = "half_body"
    NO_CHOICES = "no_choices"
    # The call succeeds and the answer is awkward.
    TRUNCATED = "truncated"
    EMPTY = "empty"
    WRONG_JSON = "wrong_json"
    PROSE = "prose"
    THINKING = "thinking"
    REFUSAL = "refusal"
    ECHO = "echo"
    CONTENT_FILTER = "content_filter"
    # Nothing is wrong but the time it takes.
    DELAY = "delay"


class Lasting(StrEnum):
    """How long a fault stays with a question."""

    FIRST = "first"
    """Only the first attempt at a question fails."""
    ALWAYS = "always"
    """Every attempt fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A fault, and whom it meets.

    Attributes:
        fault: What goes wrong.
        share: Part of all questions it meets, 0..1, chosen by a hash of the question.
        lasting: Whether another attempt helps.
        seconds: Retry-After of a 429 (None: no such header), length of a delay or a hang.
    """

    fault: Fault
    share: float = 1.0
    lasting: Lasting = Lasting.ALWAYS
    seconds: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError(f"share of {self.fault.value!r}: wanted 0 to 1, not {self.share!r}")

    def meets(self, question: str, *, attempt: int, seed: int) -> bool:
        """Tell whether this attempt (from 1) at a question fails; equal arguments, equal answer."""
        if self.lasting is Lasting.FIRST and attempt > 1:
            return False
        digest = hashlib.blake2b(f"{seed}:{self.fault.value}:{question}".encode(), digest_size=8).digest()
        return int.from_bytes(digest) < self.share * 2**64


def read_rule(text: str) -> Rule:
    """Return the rule written as `FAULT[:SHARE[:first|always[:SECONDS]]]`.

    >>> read_rule("429:0.2:first:1.5")
    Rule(fault=<Fault.RATE_LIMITED: '429'>, share=0.2, lasting=<Lasting.FIRST: 'first'>, seconds=1.5)

    Raises:
        ValueError: It is not written so.
    """
    fault, share, lasting, seconds, *more = [*text.split(":"), "", "", ""]
    try:
        rule = Rule(
            fault=Fault(fault),
            share=float(share or 1),
            lasting=Lasting(lasting or "always"),
            seconds=float(seconds) if seconds else None,
        )
    except ValueError:
        more = [text]
    else:
        if not any(more):
            return rule
    known = ", ".join(one.value for one in Fault)
    raise ValueError(f"rule: wanted FAULT[:SHARE[:first|always[:SECONDS]]] with a fault of {known}; not {text!r}")
