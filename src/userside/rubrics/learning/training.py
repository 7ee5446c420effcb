"""Which labelled conversations a rubric is learned from."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from userside.conversations import Conversation, Label, LabelledText
from userside.errors import LabelError

SHARE = 0.05
"""Part of the labelled conversations that is learned from (SPUR, section 4.1, for the open data sets)."""
LEAST = 10
"""Conversations of each of the two classes, at least (SPUR, section 4.2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSample:
    """The conversations that a rubric is learned from.

    Attributes:
        conversations: In the order of the file.
        labels: Their labels, and where each ends its conversation.
        available: How many conversations of each label there were to choose from.
        share: The part that was asked for.
        raised: Whether more were taken than that, so that each class has its least number.
    """

    conversations: tuple[Conversation, ...]
    labels: Mapping[str, LabelledText]
    available: Mapping[Label, int]
    share: float
    raised: bool

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the training ids, in the order of the file."""
        return tuple(one.id for one in self.conversations)

    @property
    def counts(self) -> Mapping[Label, int]:
        """Return how many conversations of each label are in the sample."""
        found = Counter(self.labels[one.id].label for one in self.conversations)
        return {label: found[label] for label in Label}

    @property
    def is_all(self) -> bool:
        """Tell whether nothing is left to evaluate on."""
        return sum(self.available.values()) == len(self.conversations)

    def without(self, forgotten: Iterable[str]) -> "TrainingSample":
        """Return the sample without some conversations."""
        gone = set(forgotten)
        return TrainingSample(
            conversations=tuple(one for one in self.conversations if one.id not in gone),
            labels={id_: label for id_, label in self.labels.items() if id_ not in gone},
            available=self.available,
            share=self.share,
            raised=self.raised,
        )


def draw_training(
    conversations: Sequence[Conversation],
    labels: Mapping[str, LabelledText],
    *,
    share: float = SHARE,
    least: int = LEAST,
    seed: int = 0,
) -> TrainingSample:
    """Return a share of the labelled conversations, of each label by itself, and at least `least` of both classes.

    All conversations of a contributor are taken together, so that nobody is both learned from and evaluated on. The
    draw decides for each contributor by itself: a conversation more or less in the file leaves most of it as it was.

    Raises:
        LabelError: There are fewer than `least` satisfied or dissatisfied conversations in which a user says something.
    """
    usable = [one for one in conversations if one.id in labels and _says_something(one, labels[one.id])]
    available = Counter(labels[one.id].label for one in usable)
    _check_enough(available, least=least)
    wanted = {label: round(share * available[label]) for label in Label}
    floors = {Label.SATISFIED: least, Label.DISSATISFIED: least}
    targets = {label: max(count, floors.get(label, 0)) for label, count in wanted.items()}
    taken = _draw(usable, labels, targets=targets, seed=seed)
    return TrainingSample(
        conversations=tuple(one for one in usable if one.id in taken),
        labels={id_: labels[id_] for id_ in sorted(taken)},
        available={label: available[label] for label in Label},
        share=share,
        raised=any(targets[label] > wanted[label] for label in Label),
    )


def _says_something(conversation: Conversation, labelled: LabelledText) -> bool:
    """Tell whether the user says something in the turns that the label speaks of."""
    return any(labelled.until is None or turn.index < labelled.until for turn in conversation.user_turns)


def _check_enough(available: Mapping[Label, int], *, least: int) -> None:
    found = {label: available.get(label, 0) for label in (Label.SATISFIED, Label.DISSATISFIED)}
    if min(found.values()) >= least:
        return
    listed = " and ".join(f"{count} {label}" for label, count in found.items())
    short = " and ".join(str(label) for label, count in found.items() if count < least)
    raise LabelError(
        f"wanted {least} satisfied and {least} dissatisfied conversations or more to learn from, and there are {listed}"
    ).with_note(
        f"Label more {short} conversations, or lower the number with --least. "
        "A built-in rubric needs no labels: userside score FILE --rubric builtin:general."
    )


def _draw(
    usable: Sequence[Conversation],
    labels: Mapping[str, LabelledText],
    *,
    targets: Mapping[Label, int],
    seed: int,
) -> set[str]:
    groups: dict[str, list[Conversation]] = {}
    for one in usable:
        groups.setdefault(one.contributor or one.id, []).append(one)
    drawn = sorted(groups, key=lambda name: sha256(f"{seed}\0{name}".encode("utf-8", "surrogatepass")).digest())
    missing = Counter(targets)
    taken: set[str] = set()
    for name in drawn:
        found = Counter(labels[one.id].label for one in groups[name])
        if any(missing[label] > 0 for label in found):
            taken |= {one.id for one in groups[name]}
            missing.subtract(found)
    return taken
