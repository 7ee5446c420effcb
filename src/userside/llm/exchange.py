"""What is sent to a model and what comes back, in neutral terms."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self


class Role(StrEnum):
    """Who speaks in a prompt."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a prompt."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the answer is drawn; None leaves the endpoint's own default and sends nothing."""

    temperature: float | None = None
    top_p: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to a model, complete: the same request is the same question.

    Attributes:
        messages: The prompt, the part that most calls share first.
        schema: JSON Schema the answer is to follow, where the endpoint can be told.
        sampling: Temperature and the like.
        max_output: Most tokens the answer may have.
        token_options: Where set, only the probability of each of these strings as first token is wanted.
        seed: For endpoints that take one.
        sample: Tells replicates of one question apart.
        retry: Counts `--retry-unscored`: a question asked again on purpose.
        subjects: Whom the question is about (conversation or contributor ids); decides what `forget` deletes and
            is not sent, so it is no part of the key.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    sampling: Sampling = Sampling()
    max_output: int = 512
    token_options: tuple[str, ...] = ()
    seed: int | None = None
    sample: int = 0
    retry: int = 0
    subjects: frozenset[str] = frozenset()

    def key(self, identity: str) -> str:
        """Return 64 hex digits that name this request put to the model `identity`.

        Everything that is sent counts, and the sample and retry indices; subjects do not.
        """
        sent = {
            "identity": identity,
            "messages": [[message.role.value, message.text] for message in self.messages],
            "schema": self.schema,
            "sampling": [self.sampling.temperature, self.sampling.top_p],
            "max_output": self.max_output,
            "token_options": self.token_options,
            "seed": self.seed,
            "sample": self.sample,
            "retry": self.retry,
        }
        text = json.dumps(sent, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def then(self, *messages: Message) -> Self:
        """Return the request with more messages at its end."""
        return replace(self, messages=(*self.messages, *messages))


class Finish(StrEnum):
    """Why an answer ended."""

    STOP = "stop"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call; None where the endpoint did not say, which is not 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer, as it came.

    Attributes:
        text: What the model said, reasoning kept apart where the endpoint does so.
        finish: Why it ended.
        usage: Tokens, as far as known.
        option_probabilities: P(first token) of each requested option, in 0..1, not normalised, or None.
        model: The name the endpoint gave for what answered.
        seconds: How long the call took.
        raw: The endpoint's own answer, for whoever has to look.
    """

    text: str
    finish: Finish = Finish.STOP
    usage: Usage = Usage()
    option_probabilities: Mapping[str, float] | None = None
    model: str | None = None
    seconds: float | None = None
    raw: Mapping[str, Any] = field(default_factory=dict[str, Any])
