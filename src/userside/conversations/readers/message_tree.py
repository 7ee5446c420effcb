"""The one path through a tree of messages that a user saw last, and how often another branch was begun."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from userside.conversations.record import Completeness
from userside.conversations.wire import Fields

type Parents = Mapping[str, str | None]
"""The id of every message to the id of the one before it; None for the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePath:
    """Messages from the first to the last.

    Attributes:
        ids: Oldest first.
        is_guessed: The export does not say which of several branches was last.
        broken: Why the beginning is not here; None where it is.
    """

    ids: tuple[str, ...]
    is_guessed: bool = False
    broken: str | None = None


def find_path(parents: Parents, *, last: str) -> MessagePath:
    """Return the path to a message.

    Example:
        >>> find_path({"root": None, "a": "root", "b": "a", "c": "a"}, last="b").ids
        ('root', 'a', 'b')
        >>> find_path({"a": "b", "b": "a"}, last="b")
        MessagePath(ids=('a', 'b'), is_guessed=False, broken='the tree of messages runs in a circle')
    """
    passed: dict[str, None] = {}
    here: str | None = last
    while here is not None and here in parents and here not in passed:
        passed[here] = None
        here = parents[here]
    circle, cut = "the tree of messages runs in a circle", "the messages before the first are missing"
    broken = None if here is None else circle if here in passed else cut
    return MessagePath(ids=tuple(reversed(passed)), broken=broken)


def deepest_path(parents: Parents, *, order: Iterable[str]) -> MessagePath:
    """Return the path to the message that most others lead to, for an export that does not say which was the last.

    Args:
        parents: The tree.
        order: All ids, older ones first: of equally deep messages the newest is taken.

    Example:
        >>> tree = {"root": None, "a": "root", "b": "a", "c": "a", "d": "c"}
        >>> deepest_path(tree, order=tree).ids
        ('root', 'a', 'c', 'd')
    """
    depths = _depths(parents)
    newest_first = reversed(list(order))
    path = find_path(parents, last=max(newest_first, key=depths.__getitem__))
    return replace(path, is_guessed=has_branches(parents))


def has_branches(parents: Parents) -> bool:
    """Tell whether two messages follow the same one."""
    return any(number > 1 for number in Counter(parents.values()).values())


def count_forks(parents: Parents, *, kinds: Mapping[str, str]) -> dict[str, int]:
    """Return how many messages of each kind were sent again in another branch, wherever in the tree.

    Args:
        parents: The tree.
        kinds: What to call a message when it has siblings of its kind; a message without a kind is not counted.

    Example:
        >>> tree = {"a": None, "b": "a", "c": "a", "d": "c"}
        >>> count_forks(tree, kinds={"b": "regenerated", "c": "regenerated", "d": "edited"})
        {'regenerated': 1}
    """
    siblings = Counter((parent, kinds[identity]) for identity, parent in parents.items() if identity in kinds)
    again = Counter[str]()
    for (_, kind), number in siblings.items():
        again[kind] += number - 1
    return {kind: number for kind, number in again.items() if number}


def completeness(path: MessagePath, *, turns: Iterable[Fields], losses: Iterable[str] = ()) -> Fields:
    """Return what a path says of a transcript, as the record's fields.

    Args:
        path: The path that was read.
        turns: The record's turns that came of it.
        losses: What else is known to be missing.
    """
    unknown = sum(part["kind"] == "unknown" for turn in turns for part in turn["parts"] or ())
    reasons = [*losses, *([path.broken] if path.broken else [])]
    reasons += [f"{unknown} parts of an unknown kind"] if unknown else []
    if reasons:
        return {"completeness": Completeness.PARTIAL, "completeness_reasons": reasons}
    if path.is_guessed:
        reason = "the export does not say which of several branches was the last"
        return {"completeness": Completeness.UNKNOWN, "completeness_reasons": [reason]}
    return {"completeness": Completeness.COMPLETE}


def _depths(parents: Parents) -> dict[str, int]:
    """Return how many messages stand before each; those in a circle, or without a beginning, count what there is."""
    depths: dict[str, int] = {}
    for identity in parents:
        chain: list[str] = []
        here: str | None = identity
        climbing: set[str] = set()
        while here is not None and here in parents and here not in depths and here not in climbing:
            climbing.add(here)
            chain.append(here)
            here = parents[here]
        depth = depths.get(here, -1) if here is not None else -1
        for below in reversed(chain):
            depth += 1
            depths[below] = depth
    return depths
