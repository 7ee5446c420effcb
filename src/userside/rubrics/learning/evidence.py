"""Which item each pattern stands behind, so that every item keeps the words it was learned from.

The paper's rubric no longer knows where it came from. Here each pattern goes to the item of its side that means most
nearly the same, by the cosine of their embeddings; below a floor it goes to none and is counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from userside.llm import Embedder, cosine
from userside.rubrics.learning.patterns import Pattern
from userside.rubrics.rubric import Evidence, RubricItem, Side

FLOOR = 0.2
"""Cosine below which a pattern stands behind no item. Unrelated sentences of this kind lie near 0.1 with MiniLM."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """Items with their evidence, the nearest words first.

    Attributes:
        items: The items as they were given, each with the evidence of its patterns.
        unassigned: How many patterns stand behind no item, by side.
    """

    items: tuple[RubricItem, ...]
    unassigned: Mapping[Side, int]


async def assign_evidence(
    items: Sequence[RubricItem],
    patterns: Sequence[Pattern],
    embedder: Embedder,
    *,
    subjects: Mapping[str, frozenset[str]],
    floor: float = FLOOR,
) -> Assigned:
    """Return the items with the words that stand behind them.

    Args:
        items: Items of both sides.
        patterns: What they were made from.
        embedder: Gives the vectors of descriptions and of patterns' sentences.
        subjects: Whose withdrawal takes a conversation away, by conversation id.
        floor: Cosine below which a pattern stands behind no item.

    Raises:
        userside.errors.ModelError: The vectors are not to be had, or not yet.
    """
    assigned: list[RubricItem] = []
    unassigned: dict[Side, int] = {}
    for side in Side:
        mine = [item for item in items if item.side is side]
        found = [pattern for pattern in patterns if pattern.side is side]
        nearest = await _nearest(mine, found, embedder, subjects=subjects)
        evidence = _by_item(len(mine), found, nearest, floor=floor)
        assigned += [replace(item, evidence=words) for item, words in zip(mine, evidence, strict=True)]
        unassigned[side] = len(found) - sum(map(len, evidence))
    by_name = {item.name: item for item in assigned}
    return Assigned(items=tuple(by_name[item.name] for item in items), unassigned=unassigned)


async def _nearest(
    items: Sequence[RubricItem],
    patterns: Sequence[Pattern],
    embedder: Embedder,
    *,
    subjects: Mapping[str, frozenset[str]],
) -> list[tuple[int, float]]:
    """Return for each pattern the place of its nearest item, and their cosine."""
    if not items or not patterns:
        return [(0, -1.0)] * len(patterns)
    about = [subjects.get(pattern.evidence.id, frozenset({pattern.evidence.id})) for pattern in patterns]
    # A description is made of all patterns of its side: its vector goes with any of them.
    everybody = [frozenset[str]().union(*about)] * len(items)
    described = await embedder.embed([f"{item.title}. {item.description}" for item in items], subjects=everybody)
    said = await embedder.embed([pattern.text for pattern in patterns], subjects=about)
    alike = cosine(said, described)
    return [(int(row.argmax()), float(row.max())) for row in alike]


def _by_item(
    count: int, patterns: Sequence[Pattern], nearest: Sequence[tuple[int, float]], *, floor: float
) -> list[tuple[Evidence, ...]]:
    held: list[list[tuple[float, Evidence]]] = [[] for _ in range(count)]
    for pattern, (place, alike) in zip(patterns, nearest, strict=True):
        if alike >= floor:
            held[place].append((round(alike, 4), pattern.evidence))
    return [tuple(one for _, one in sorted(found, key=_by_nearness)) for found in held]


def _by_nearness(entry: tuple[float, Evidence]) -> tuple[float, str, int, str]:
    alike, evidence = entry
    return -alike, evidence.id, evidence.turn, evidence.quote
