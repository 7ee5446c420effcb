"""Which words stand behind which item."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.rubrics.learning.found import pattern
from userside.llm import AnswerStore, HashingEmbeddingModel, StoredEmbedder
from userside.rubrics import Pattern, RubricItem, Side
from userside.rubrics.learning.evidence import Assigned, assign_evidence

THANKS = RubricItem(name="thanks", description="The user gives thanks.", side=Side.SATISFIED)
PRAISE = RubricItem(name="praise", description="The user praises the result.", side=Side.SATISFIED)
AGAIN = RubricItem(name="again", description="The user asks again.", side=Side.DISSATISFIED)
ITEMS = (THANKS, AGAIN, PRAISE)


def assign(found: Sequence[Pattern], *, items: Sequence[RubricItem] = ITEMS, floor: float = 0.2) -> Assigned:
    with AnswerStore(Path(":memory:")) as store:
        embedder = StoredEmbedder(HashingEmbeddingModel(), store)
        return asyncio.run(assign_evidence(items, found, embedder, subjects={}, floor=floor))


def ids(assigned: Assigned) -> dict[str, list[str]]:
    return {item.name: [one.id for one in item.evidence] for item in assigned.items}


def test_each_pattern_stands_behind_the_item_that_says_the_same() -> None:
    found = [
        pattern("The user gives warm thanks for it.", "b"),
        pattern("The user gives thanks.", "c"),
        pattern("The user praises the good result.", "a"),
        pattern("The user asks again and again.", "d", side=Side.DISSATISFIED),
    ]
    assigned = assign(found)
    assert ids(assigned) == {"thanks": ["c", "b"], "again": ["d"], "praise": ["a"]}  # the nearest words first
    assert assigned.unassigned == {Side.SATISFIED: 0, Side.DISSATISFIED: 0}
    assert ids(assign(found[::-1])) == ids(assigned)
    assert [item.name for item in assigned.items] == ["thanks", "again", "praise"]


def test_what_is_like_no_item_of_its_side_is_counted() -> None:
    found = [
        pattern("Xylophones jazz quickly.", "a"),
        pattern("The user asks again.", "b"),  # it is an item, but of the other side
        pattern("Zinc boxes.", "c", side=Side.DISSATISFIED),
    ]
    assigned = assign(found, floor=0.6)
    assert ids(assigned) == {"thanks": [], "again": [], "praise": []}
    assert assigned.unassigned == {Side.SATISFIED: 2, Side.DISSATISFIED: 1}


@pytest.mark.parametrize("items", [(), (THANKS,)])
def test_a_side_without_items_has_only_unassigned_patterns(items: tuple[RubricItem, ...]) -> None:
    assigned = assign([pattern("The user asks again.", side=Side.DISSATISFIED)], items=items)
    assert assigned.unassigned == {Side.SATISFIED: 0, Side.DISSATISFIED: 1}
    assert assign([], items=items).items == items


def test_no_vector_outlives_whom_it_was_made_of() -> None:
    found = [pattern("The user gives warm thanks.", "a"), pattern("The user praises it.", "b")]
    subjects = {"a": frozenset({"a", "anna"}), "b": frozenset({"b"})}
    with AnswerStore(Path(":memory:")) as store:
        embedder = StoredEmbedder(HashingEmbeddingModel(), store)
        asyncio.run(assign_evidence([THANKS, PRAISE], found, embedder, subjects=subjects))
        assert store.forget(["anna"]) == 3  # her pattern, and both descriptions, which hers helped to make
        assert store.forget(["b"]) == 1
