"""Scores of conversations in a line, for tables of cases."""

from collections.abc import Sequence

import numpy as np

from userside.conversations import Label, LabelledText
from userside.llm import Elicited, Reason, Unscored
from userside.rubrics import ConversationScore, Cuts, ItemScore, ItemVerdict, Rubric, RubricItem, Side

JUDGE = "scripted:judge"
LETTERS = {"s": Label.SATISFIED, "d": Label.DISSATISFIED, "n": Label.NEUTRAL}


def rubric(*, training_ids: Sequence[str] = (), cuts: Sequence[Cuts] = (Cuts(),)) -> Rubric:
    """Return a rubric of one item a side."""
    items = (
        RubricItem(name="thanks", description="The user thanks.", side=Side.SATISFIED),
        RubricItem(name="repeats", description="The user repeats.", side=Side.DISSATISFIED),
    )
    return Rubric(name="two", items=items, cuts=tuple(cuts), training_ids=tuple(training_ids))


def score(
    id: str,  # noqa: A002
    total: float | Reason,
    *,
    elicited: Elicited = Elicited.TEXT,
    probability: float | None = None,
) -> ConversationScore:
    """Return a score with that R, from -10 to 10; or one whose second item is missing for that reason."""
    items: dict[str, ItemVerdict] = {"thanks": item(0.0), "repeats": item(0.0)}
    if isinstance(total, Reason):
        items["repeats"] = Unscored(reason=total)
    else:
        items = {"thanks": item(max(total, 0.0)), "repeats": item(max(-total, 0.0))}
    R = None if isinstance(total, Reason) else float(total)  # noqa: N806
    return ConversationScore(
        id=id, R=R, label=None, probability=probability, items=items, judge=JUDGE, elicited=elicited
    )


def item(points: float) -> ItemScore:
    """Return an item's score; it applies where it has any."""
    return ItemScore(score=points, yes=1.0 if points else 0.0)


def scored(*totals: float | Reason) -> list[ConversationScore]:
    """Return scores with these R, with ids c0, c1, …"""
    return [score(f"c{place}", total) for place, total in enumerate(totals)]


def labels_of(letters: str) -> dict[str, LabelledText]:
    """Return the labels of c0, c1, … by their first letter; a blank is no label."""
    return {f"c{place}": LabelledText(label=LETTERS[one]) for place, one in enumerate(letters) if one != " "}


def drawn(letters: str, *, apart: float, seed: int = 0) -> list[ConversationScore]:
    """Return noisy scores whose means lie that far from the neutral ones' by label."""
    noise = np.random.default_rng(seed).normal(size=len(letters))
    centres = {"s": apart, "d": -apart, "n": 0.0}
    return scored(*(float(centres[one] + error) for one, error in zip(letters, noise, strict=True)))
