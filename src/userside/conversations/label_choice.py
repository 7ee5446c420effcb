"""Choosing one source of labels among those that conversations carry, and counting what it gives."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from userside.conversations.labels import RULE_PREFIX, majority
from userside.conversations.record import Conversation, Feedback, Label
from userside.errors import LabelError

OWN = "label"
"""The name of the labels that people gave themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledText:
    """A conversation's label, and which turns it speaks of.

    Attributes:
        label: What the user thought.
        until: The label holds for the turns before this index only (exclusive); None for all of them.
    """

    label: Label
    until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCounts:
    """How many conversations one source labels, and how.

    Attributes:
        source: The source's name.
        satisfied: Conversations with that label; so for the next two.
        cut: Labelled conversations whose label speaks of a part of the turns only.
        unlabelled: Conversations that this source says nothing of, or on which people disagree evenly.
    """

    source: str
    satisfied: int
    dissatisfied: int
    neutral: int
    cut: int
    unlabelled: int


def choose_labels(conversations: Iterable[Conversation], *, name: str | None = None) -> dict[str, LabelledText]:
    """Return the label of each conversation that has one, by conversation id.

    Where several people labelled one conversation the majority stands; where they are evenly split there is none.

    Args:
        conversations: Conversations with feedback.
        name: `label` for people's own labels, or a rule's name (`uss` or `rule:uss`); None takes the only
            source there is.

    Raises:
        LabelError: There are no labels, several sources and no name, or none of that name.
    """
    conversations = tuple(conversations)
    source = _source(conversations, name=name)
    chosen = {conversation.id: _label(conversation, source=source) for conversation in conversations}
    return {identity: label for identity, label in chosen.items() if label is not None}


def label_sources(conversations: Iterable[Conversation]) -> dict[str, int]:
    """Return how many conversations each source labels, by the source's name, sorted by name."""
    found = Counter(
        source
        for conversation in conversations
        for source in {_name(entry) for entry in conversation.feedback if _is_label(entry)}
    )
    return dict(sorted(found.items()))


def count_labels(conversations: Iterable[Conversation], *, name: str | None = None) -> LabelCounts:
    """Return how many conversations a source labels, and how.

    Raises:
        LabelError: As for `choose_labels`.
    """
    conversations = tuple(conversations)
    source = _source(conversations, name=name)
    labels = [_label(conversation, source=source) for conversation in conversations]
    found = Counter(label.label for label in labels if label is not None)
    return LabelCounts(
        source=source,
        satisfied=found[Label.SATISFIED],
        dissatisfied=found[Label.DISSATISFIED],
        neutral=found[Label.NEUTRAL],
        cut=sum(label is not None and label.until is not None for label in labels),
        unlabelled=labels.count(None),
    )


def no_labels(conversations: Iterable[Conversation], *, then: str = "") -> LabelError:
    """Return the error that no conversation is labelled, with what feedback there is and how it becomes labels.

    Args:
        conversations: Conversations without a label.
        then: What to do with the labelled file, as the end of a sentence.
    """
    entries = [entry for conversation in conversations for entry in conversation.feedback]
    scales = Counter(entry.scale for entry in entries if entry.rating is not None)
    there = [f"{count:,} ratings on {_scale(scale)}" for scale, count in scales.most_common()]
    thumbs = sum(entry.thumb is not None for entry in entries)
    there += [f"{thumbs:,} thumbs"] if thumbs else []
    found = f"; there are {' and '.join(there)}" if there else ""
    rule = "rating" if scales else "thumb" if thumbs else "RULE"
    scale = " --scale LOW-HIGH" if None in scales else ""
    return LabelError(f"none of the conversations carries a label of the whole conversation{found}").with_note(
        f"Derive labels with `userside import FILE --labels {rule}{scale} -o LABELLED.jsonl`{then}."
    )


def _scale(scale: tuple[float, float] | None) -> str:
    return f"{scale[0]:g} to {scale[1]:g}" if scale else "a scale that is not said"


def _source(conversations: Iterable[Conversation], *, name: str | None) -> str:
    sources = label_sources(conversations)
    listed = ", ".join(f"{source} ({count})" for source, count in sources.items())
    if not sources:
        raise no_labels(conversations)
    remedy = "Derive labels with `userside import FILE --labels RULE -o LABELLED.jsonl`."
    if name is not None:
        wanted = name.removeprefix(RULE_PREFIX)
        if wanted not in sources:
            raise LabelError(f"no conversation is labelled by {name!r}; there are: {listed}").with_note(remedy)
        return wanted
    if len(sources) > 1:
        raise LabelError(f"the conversations carry several labels: {listed}").with_note("Name one with --labels.")
    return next(iter(sources))


def _label(conversation: Conversation, *, source: str) -> LabelledText | None:
    entries = [entry for entry in conversation.feedback if _is_label(entry) and _name(entry) == source]
    label = majority([entry.label for entry in entries if entry.label])
    if label is None:
        return None
    return LabelledText(label=label, until=next(entry.until for entry in entries if entry.label is label))


def _is_label(entry: Feedback) -> bool:
    return entry.turn is None and entry.label is not None


def _name(entry: Feedback) -> str:
    return entry.by.removeprefix(RULE_PREFIX) if entry.by.startswith(RULE_PREFIX) else OWN
