"""The record: a conversation, and what its user wanted and thought of it.

One definition. Pydantic validates strangers' bytes against these same classes (`userside.conversations.wire`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

type Metadata = Mapping[str, Any]


class Speaker(StrEnum):
    """Who sent a turn. In an interview the participant is the user and the interviewer the assistant."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class PartKind(StrEnum):
    """What a part of a turn holds."""

    TEXT = "text"
    CODE = "code"
    IMAGE = "image"
    FILE = "file"
    AUDIO = "audio"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    THINKING = "thinking"
    CITATIONS = "citations"
    ARTIFACT = "artifact"
    UNKNOWN = "unknown"


class Label(StrEnum):
    """What a user thought of a conversation, or of an answer."""

    SATISFIED = "satisfied"
    DISSATISFIED = "dissatisfied"
    NEUTRAL = "neutral"


class Thumb(StrEnum):
    """A click on a thumb."""

    UP = "up"
    DOWN = "down"


class Origin(StrEnum):
    """Whether a contributor chose this conversation or it was drawn."""

    VOLUNTARY = "voluntary"
    SAMPLED = "sampled"


class Completeness(StrEnum):
    """Whether all that was said is here."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a turn that is more than its text."""

    kind: PartKind
    text: str | None = None
    language: str | None = None
    name: str | None = None
    url: str | None = None
    media_type: str | None = None
    raw: Any = None
    metadata: Metadata = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message, as it was sent. `index` counts from 0 within its conversation."""

    index: int
    speaker: Speaker
    text: str
    parts: tuple[Part, ...] | None = None
    name: str | None = None
    at: datetime | None = None
    model: str | None = None
    metadata: Metadata = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What one person, or one rule, said of the conversation or of one turn.

    Attributes:
        by: Who: a rater's or contributor's pseudonym, or `rule:NAME` for a derived label.
        turn: Where a rating was recorded; None for the whole conversation.
        until: The label holds for the turns before this index only (exclusive); None for all of them.
        rating: On `scale`, lowest and highest value.
        purpose: What the user wanted.
        outcome: What came of it, in the user's words.
    """

    by: str
    turn: int | None = None
    until: int | None = None
    rating: float | None = None
    scale: tuple[float, float] | None = None
    label: Label | None = None
    thumb: Thumb | None = None
    purpose: str | None = None
    outcome: str | None = None
    description: str | None = None
    answers: Metadata = field(default_factory=dict[str, Any])
    form_version: str | None = None
    metadata: Metadata = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What a user and an assistant said, oldest turn first, and what was thought of it.

    `turns` may be empty: a report can come without its transcript. `completeness_reasons` say why a transcript is
    partial. `codes` map a codebook's dimension to the codes given.
    """

    format: Literal[1] = 1
    id: str
    turns: tuple[Turn, ...] = ()
    source: str
    platform: str | None = None
    language: str | None = None
    title: str | None = None
    started_at: datetime | None = None
    contributor: str | None = None
    origin: Origin | None = None
    completeness: Completeness = Completeness.UNKNOWN
    completeness_reasons: tuple[str, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    metadata: Metadata = field(default_factory=dict[str, Any])

    @property
    def user_turns(self) -> tuple[Turn, ...]:
        """Return the user's turns that hold visible text."""
        return tuple(turn for turn in self.turns if turn.speaker is Speaker.USER and turn.text.strip())
