"""Conversations without the personal data that has a shape (see `personal` for what is found, and what is not)."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from userside.conversations.personal import PersonalKind, find_personal, normalise
from userside.conversations.record import Conversation, Feedback, Part, Turn

type PersonalCounts = Mapping[PersonalKind, int]

ROUNDS = 16
"""Taking something out can free what stood against it; so many passes, though two have always been enough."""

SHORTEST_NUMBER = 10**12
"""From here on a bare number may be a payment card's."""

OURS = re.compile(rf"\[({'|'.join(kind.name for kind in PersonalKind)})_(\d{{1,6}})\]")


class Pseudonyms:
    """Names for what was taken out: `[EMAIL_1]` is the same address wherever these pseudonyms were used.

    The values are held in memory only, for as long as this object lives. One object for a whole import keeps a name
    the same across conversations; one for each conversation keeps conversations from being linked.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[PersonalKind, str], str] = {}
        self._last: Counter[PersonalKind] = Counter()

    def name(self, kind: PersonalKind, written: str) -> str:
        """Return the name of a value, a new one when it was not met before."""
        key = (kind, normalise(kind, written))
        if key not in self._names:
            self._last[kind] += 1
            self._names[key] = f"[{kind.name}_{self._last[kind]}]"
        return self._names[key]

    def reserve(self, text: str) -> None:
        """Keep names that already stand in a text from being given to something else."""
        for found in OURS.finditer(text):
            kind = PersonalKind[found[1]]
            self._last[kind] = max(self._last[kind], int(found[2]))


def redact(conversation: Conversation, pseudonyms: Pseudonyms) -> tuple[Conversation, PersonalCounts]:
    """Return the conversation without personal data that has a shape, and how many places of each kind were replaced.

    Read are turns, parts (their raw form too), the title, the contributor, all feedback and all metadata, keys
    included. Left alone are ids, codes and the names that others have redacted already. Redacting again changes
    nothing.
    """
    redactor = _Redactor(pseudonyms)
    for text in _texts(conversation):
        pseudonyms.reserve(text)
    clean = replace(
        conversation,
        turns=tuple(redactor.turn(turn) for turn in conversation.turns),
        title=redactor.optional(conversation.title),
        contributor=redactor.optional(conversation.contributor),
        completeness_reasons=tuple(map(redactor.text, conversation.completeness_reasons)),
        feedback=tuple(redactor.feedback(feedback) for feedback in conversation.feedback),
        metadata=redactor.mapping(conversation.metadata),
    )
    return clean, dict(redactor.tally)


def redact_text(text: str, pseudonyms: Pseudonyms) -> tuple[str, PersonalCounts]:
    """Return a text without personal data that has a shape, and how many places of each kind were replaced.

    >>> redact_text("Write to ada@example.org or ADA@example.org", Pseudonyms())[0]
    'Write to [EMAIL_1] or [EMAIL_1]'
    """
    pseudonyms.reserve(text)
    redactor = _Redactor(pseudonyms)
    return redactor.text(text), dict(redactor.tally)


class _Redactor:
    """Replaces what is found, and counts."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms
        self.tally: Counter[PersonalKind] = Counter()

    def text(self, text: str) -> str:
        for _ in range(ROUNDS):
            findings = find_personal(text)
            if not findings:
                break
            pieces: list[str] = []
            done = 0
            for finding in findings:
                name = self._pseudonyms.name(finding.kind, text[finding.start : finding.end])
                pieces += [text[done : finding.start], name]
                done = finding.end
                self.tally[finding.kind] += 1
            text = "".join([*pieces, text[done:]])
        return text

    def optional(self, text: str | None) -> str | None:
        return text if text is None else self.text(text)

    def turn(self, turn: Turn) -> Turn:
        parts = None if turn.parts is None else tuple(map(self.part, turn.parts))
        return replace(
            turn,
            text=self.text(turn.text),
            parts=parts,
            name=self.optional(turn.name),
            metadata=self.mapping(turn.metadata),
        )

    def part(self, part: Part) -> Part:
        return replace(
            part,
            text=self.optional(part.text),
            name=self.optional(part.name),
            url=self.optional(part.url),
            raw=self.value(part.raw),
            metadata=self.mapping(part.metadata),
        )

    def feedback(self, feedback: Feedback) -> Feedback:
        return replace(
            feedback,
            by=self.text(feedback.by),
            purpose=self.optional(feedback.purpose),
            outcome=self.optional(feedback.outcome),
            description=self.optional(feedback.description),
            answers=self.mapping(feedback.answers),
            metadata=self.mapping(feedback.metadata),
        )

    def mapping(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {self.text(key): self.value(value) for key, value in values.items()}

    def value(self, value: Any) -> Any:
        match value:
            case str():
                return self.text(value)
            case bool():
                return value
            case int() if abs(value) >= SHORTEST_NUMBER:
                written = self.text(str(value))
                return value if written == str(value) else written
            case Mapping():
                return self.mapping(cast("Mapping[str, Any]", value))
            case list() | tuple():
                items = [self.value(item) for item in cast("Sequence[Any]", value)]
                return tuple(items) if isinstance(value, tuple) else items
            case _:
                return value


def _texts(conversation: Conversation) -> Iterator[str]:
    """Yield the texts in which names of an earlier redaction may stand."""
    yield from (turn.text for turn in conversation.turns)
    yield from (part.text or "" for turn in conversation.turns for part in turn.parts or ())
    for feedback in conversation.feedback:
        yield from (text or "" for text in (feedback.purpose, feedback.outcome, feedback.description))
