"""Keeping the items that explain the training labels best, out of more than are wanted.

The paper keeps what the model wrote. Its successors found that more items than needed, and a choice among them on
data, do better; R stays an unweighted sum, so the choice is made for that sum.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from userside.conversations import Label, LabelledText
from userside.rubrics.rubric import RubricItem, Side
from userside.rubrics.scores import ConversationScore, ItemScore
from userside.statistics import auc

SURPLUS = 2
"""How many times as many items are asked for as are kept."""

type _Floats = NDArray[np.float64]


def select_items(
    items: Sequence[RubricItem],
    scores: Sequence[ConversationScore],
    labels: Mapping[str, LabelledText],
    *,
    keep: int,
) -> tuple[RubricItem, ...]:
    """Return at most `keep` items of each side, in their order: those whose R ranks the training conversations best.

    Forward selection by AUC of R, satisfied against dissatisfied: each step adds the item that raises it most, the
    earlier one where two do the same, and stops when every other item would lower it. At least one item of each side
    is kept. A conversation without a score for an item counts with the item's mean.
    """
    rows = [score for score in scores if labels[score.id].label is not Label.NEUTRAL]
    truth = [labels[score.id].label is Label.SATISFIED for score in rows]
    if len(set(truth)) < 2:  # noqa: PLR2004 - one class only: nothing to rank
        return tuple(item for side in Side for item in [one for one in items if one.side is side][:keep])
    columns = {item.name: _signed(item, rows) for item in items}
    chosen = _search(items, columns, truth=truth, keep=keep)
    return tuple(item for item in items if item.name in chosen)


def _search(
    items: Sequence[RubricItem], columns: Mapping[str, _Floats], *, truth: Sequence[bool], keep: int
) -> set[str]:
    total = np.zeros(len(truth))
    chosen: list[RubricItem] = []
    best = 0.0
    while candidates := _candidates(items, chosen, keep=keep):
        reached = [auc((total + columns[item.name]).tolist(), positive=list(truth)) or 0.0 for item in candidates]
        place = int(np.argmax(reached))
        empty_side = len({item.side for item in chosen}) < len(Side)
        if reached[place] < best and not empty_side:
            break
        best = reached[place]
        chosen.append(candidates[place])
        total = total + columns[candidates[place].name]
    return {item.name for item in chosen}


def _candidates(items: Sequence[RubricItem], chosen: Sequence[RubricItem], *, keep: int) -> list[RubricItem]:
    """Return what may be added next: a side that has nothing yet comes first once the other has something."""
    counts = {side: sum(item.side is side for item in chosen) for side in Side}
    open_items = [item for item in items if item not in chosen and counts[item.side] < keep]
    bare = [item for item in open_items if not counts[item.side]]
    return bare if chosen and bare else open_items


def _signed(item: RubricItem, rows: Sequence[ConversationScore]) -> _Floats:
    verdicts = [row.items.get(item.name) for row in rows]
    values = np.array([one.score if isinstance(one, ItemScore) else np.nan for one in verdicts])
    mean = float(np.nanmean(values)) if np.isfinite(values).any() else 0.0
    return np.where(np.isnan(values), mean, values) * (1.0 if item.side is Side.SATISFIED else -1.0)
