"""Scores: what a judge made of each item, R, and the label (SPUR, section 3.3)."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from userside.conversations import Label
from userside.errors import FormatError
from userside.llm import Elicited, Reason, Unscored, write_atomically
from userside.rubrics.rubric import Cuts, Rubric, Side

HIGHEST = 10
"""An item's highest score; N is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemScore:
    """What the judge made of one item.

    Attributes:
        score: 0 (does not apply) to 10; with token probabilities 10·P(Y), so not whole.
        yes: P(Y) in 0..1 where token probabilities were read, else 1.0 or 0.0 as the judge said.
        quote: The user's words that the judge gave for it, if any.
        turn: The turn those words were found in; None when they are in no turn of the user.
        note: What had to be put right on reading, for a person.
        elicited: How it was obtained; in a row this stands once, for the conversation.
    """

    score: float
    yes: float
    quote: str | None = None
    turn: int | None = None
    note: str | None = None
    elicited: Elicited = Elicited.TEXT


type ItemVerdict = ItemScore | Unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationScore:
    """What the rubric says of one conversation.

    Attributes:
        id: The conversation.
        R: Σ satisfaction − Σ dissatisfaction, or None when an item is missing.
        label: By the cuts, or None without R or without cuts for this judge.
        probability: P(satisfied) by a fitted calibration, or None.
        items: Each item's score, or why there is none.
        judge: The judge's identity.
        elicited: How it was asked.
        cut: What of the conversation the judge did not see, for a person; empty when it saw all.
    """

    id: str
    R: float | None
    label: Label | None
    probability: float | None = None
    items: Mapping[str, ItemVerdict]
    judge: str
    elicited: Elicited
    cut: str = ""

    @property
    def missing(self) -> int:
        """Return how many items have no score."""
        return sum(isinstance(verdict, Unscored) for verdict in self.items.values())

    @property
    def is_open(self) -> bool:
        """Tell whether running the same command again can still bring an answer."""
        return any(isinstance(verdict, Unscored) and verdict.reason.is_open for verdict in self.items.values())

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Return the reason of each missing item."""
        return tuple(verdict.reason for verdict in self.items.values() if isinstance(verdict, Unscored))


def sum_scores(items: Mapping[str, ItemVerdict], rubric: Rubric, *, answered_only: bool = False) -> float | None:
    """Return R = Σ satisfaction − Σ dissatisfaction (SPUR, section 3.3).

    The paper does not say what a missing row means. Here R is missing with it, unless the caller chose `answered_only`.
    """
    scored = {name: verdict.score for name, verdict in items.items() if isinstance(verdict, ItemScore)}
    if len(scored) < len(rubric.items) and not (answered_only and scored):
        return None
    signs = {item.name: 1.0 if item.side is Side.SATISFIED else -1.0 for item in rubric.items}
    return sum(signs[name] * score for name, score in scored.items())


def label_of(total: float | None, cuts: Cuts | None) -> Label | None:
    """Return the label of an R, or None when there is no score or no cut that holds for its judge.

    >>> label_of(0.0, Cuts())
    <Label.NEUTRAL: 'neutral'>
    """
    if total is None or cuts is None:
        return None
    if total > cuts.satisfied_above:
        return Label.SATISFIED
    return Label.DISSATISFIED if total < cuts.dissatisfied_below else Label.NEUTRAL


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTally:
    """How a scoring went: conversations with R, without, and why."""

    scored: int = 0
    unscored: int = 0
    reasons: Mapping[Reason, int] = field(default_factory=dict[Reason, int])
    open: int = 0


def tally_scores(scores: Sequence[ConversationScore]) -> ScoreTally:
    """Return how many conversations have R, and for the others the reasons of their missing items."""
    missing = [score for score in scores if score.R is None]
    reasons: dict[Reason, int] = {}
    for score in scores:
        for reason in score.reasons:
            reasons[reason] = reasons.get(reason, 0) + 1
    return ScoreTally(
        scored=len(scores) - len(missing),
        unscored=len(missing),
        reasons=dict(sorted(reasons.items(), key=lambda pair: -pair[1])),
        open=sum(score.is_open for score in scores),
    )


# Rows of scores.jsonl, the form that scripts rely on


def score_row(score: ConversationScore) -> dict[str, Any]:
    """Return a score as the row of `scores.jsonl`."""
    row: dict[str, Any] = {
        "id": score.id,
        "R": _short(score.R),
        "label": score.label.value if score.label else None,
        "probability": _short(score.probability),
        "items": {name: _item_row(verdict) for name, verdict in score.items.items()},
        "missing": score.missing,
        "judge": score.judge,
        "elicited": score.elicited.value,
    }
    return {**row, "cut": score.cut} if score.cut else row


def _item_row(verdict: ItemVerdict) -> dict[str, Any]:
    match verdict:
        case Unscored(reason=reason, detail=detail):
            return {"unscored": reason.value} | ({"detail": detail} if detail else {})
        case ItemScore():
            row = {"score": _short(verdict.score), "yes": _short(verdict.yes), "quote": verdict.quote,
                   "turn": verdict.turn, "note": verdict.note}  # fmt: skip
            return {name: value for name, value in row.items() if value is not None}


def _short(value: float | None) -> float | None:
    """Return a figure with six digits: probabilities carry no more, and rows stay readable."""
    return None if value is None else round(value, 6)


def write_scores(scores: Iterable[ConversationScore], path: Path) -> None:
    """Write `scores.jsonl`, whole or not at all."""
    lines = (json.dumps(score_row(score), ensure_ascii=False) for score in scores)
    write_atomically(path, "".join(f"{line}\n" for line in lines))


def read_scores(path: Path) -> tuple[ConversationScore, ...]:
    """Return the scores of a `scores.jsonl`.

    Raises:
        FormatError: There is no such file, or a line is no score.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FormatError(f"{path}: wanted the scores of a run, and there are none").with_note(
            "Run `userside score` first; the same command goes on where it stopped."
        ) from None
    # Not `splitlines`: a quote may hold what Unicode calls a line's end.
    lines = enumerate(text.split("\n"), start=1)
    return tuple(_read_row(line, where=f"{path}:{number}") for number, line in lines if line)


def _read_row(line: str, *, where: str) -> ConversationScore:
    try:
        row = json.loads(line)
        elicited = Elicited(row["elicited"])
        return ConversationScore(
            id=str(row["id"]),
            R=row["R"],
            label=Label(row["label"]) if row["label"] else None,
            probability=row.get("probability"),
            items={name: _read_item(item, elicited=elicited) for name, item in row["items"].items()},
            judge=str(row["judge"]),
            elicited=elicited,
            cut=str(row.get("cut", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{where}: wanted a row of scores, and it cannot be read ({error})") from None


def _read_item(item: dict[str, Any], *, elicited: Elicited) -> ItemVerdict:
    if "unscored" in item:
        return Unscored(reason=Reason(item["unscored"]), detail=str(item.get("detail", "")))
    return ItemScore(**item, elicited=elicited)
