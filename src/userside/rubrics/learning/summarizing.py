"""Rubric summarization: many patterns become a rubric of a few items (SPUR, section 3.2).

Patterns are taken in minibatches. Each call sees one batch and the rubric that came of those before; the last rubric
stands. The paper does not say in which order; here it is drawn from a seed, pattern by pattern, so that a conversation
which is taken away leaves the order of the others as it was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import batched

from userside.conversations import defuse
from userside.llm import (
    Entry,
    Listing,
    Message,
    Model,
    PromptSet,
    Reason,
    Request,
    Role,
    Sampling,
    Scored,
    Unscored,
)
from userside.rubrics.learning.naming import DESCRIPTION, NAME, as_sentence, items_of
from userside.rubrics.learning.patterns import Pattern
from userside.rubrics.learning.retrying import ask_anew
from userside.rubrics.rubric import RubricItem, Side

ITEMS = 10
"""Items of one side (SPUR, section 3.2: n = 10)."""
BATCH_SIZE = 100
"""Patterns of one minibatch. The paper means patterns, not conversations."""
LONGEST = 300
NO_RUBRIC = "(none yet)"
SUMMARIZER = Sampling(temperature=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarizing:
    """How patterns are made into items.

    Attributes:
        prompts: The wording.
        items: How many items of one side are wanted at most.
        batch_size: Patterns of one minibatch.
        seed: What the order is drawn from.
        language: The language that items are to be written in, by its English name.
        subjects: Whose withdrawal takes a conversation away, by conversation id.
        retry: How often `--retry-unscored` was said.
    """

    prompts: PromptSet
    items: int = ITEMS
    batch_size: int = BATCH_SIZE
    seed: int = 0
    language: str = "English"
    subjects: Mapping[str, frozenset[str]] = field(default_factory=dict[str, "frozenset[str]"])
    retry: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One side of a rubric, and how it came about.

    Attributes:
        side: Which side.
        items: In the model's order; no more than wanted.
        batches: Minibatches that were read.
        notes: What a person should know, one sentence each.
        reason: Why there are no items, or not yet; None where there are.
        detail: The same for a person; hostile text.
    """

    side: Side
    items: tuple[RubricItem, ...] = ()
    batches: int = 0
    notes: tuple[str, ...] = ()
    reason: Reason | None = None
    detail: str = ""


def order_patterns(patterns: Sequence[Pattern], *, seed: int) -> list[Pattern]:
    """Return the patterns in an order that a seed decides for each by itself."""

    def place(pattern: Pattern) -> str:
        mark = f"{seed}\0{pattern.evidence.id}\0{pattern.evidence.turn}\0{pattern.text}"
        return sha256(mark.encode("utf-8", "surrogatepass")).hexdigest()

    return sorted(patterns, key=place)


async def summarize_patterns(
    patterns: Sequence[Pattern], model: Model, *, side: Side, summarizing: Summarizing
) -> Summary:
    """Return the items of one side; a batch that cannot be read leaves the rubric as it was, and is noted."""
    rubric: tuple[RubricItem, ...] = ()
    notes: list[str] = []
    last = Unscored(reason=Reason.NOTHING_TO_JUDGE, detail=f"no pattern was found in any {side} conversation")
    seen: set[str] = set()
    batches = list(batched(order_patterns(patterns, seed=summarizing.seed), summarizing.batch_size))
    for number, batch in enumerate(batches, start=1):
        seen |= {pattern.evidence.id for pattern in batch}
        request = summary_request(batch, rubric, side=side, seen=seen, summarizing=summarizing)
        verdict = await ask_anew(
            model, summary_question(summarizing.items, patterns=len(batch)), request, retries=summarizing.retry
        )
        match verdict:
            case Unscored(reason=reason) if reason.is_open:
                return Summary(side=side, batches=number - 1, reason=reason, detail=verdict.detail)
            case Unscored():
                last = verdict
                notes.append(f"batch {number} of {len(batches)} was left out: {verdict.reason.value}")
            case Scored(value=entries):
                found = items_of(entries, side=side)
                notes += _notes(found, wanted=summarizing.items, where=f"batch {number} of {len(batches)}")
                rubric = found[: summarizing.items] or rubric
                last = last if found else Unscored(reason=Reason.UNREADABLE, detail="the summarizer gave no item")
    if not rubric:
        return Summary(side=side, batches=len(batches), notes=tuple(notes), reason=last.reason, detail=last.detail)
    if len(rubric) < summarizing.items:
        notes.append(
            f"{len(rubric)} items came of {len(patterns)} patterns, where up to {summarizing.items} were asked for"
        )
    return Summary(side=side, items=rubric, batches=len(batches), notes=tuple(notes))


def summary_request(
    batch: Sequence[Pattern],
    rubric: Sequence[RubricItem],
    *,
    side: Side,
    seen: set[str],
    summarizing: Summarizing,
) -> Request:
    """Return the question about one batch; the rubric so far stands at its end, as in the paper.

    The answer goes when any conversation is forgotten that this batch or an earlier one came from.
    """
    prompts = summarizing.prompts
    task = prompts["summarize_system"].fill(
        feeling=side.value, most=str(summarizing.items), language=summarizing.language
    )
    text = prompts["summarize"].fill(
        patterns="\n".join(f"- {_line(pattern.text)}" for pattern in batch),
        rubric="\n".join(f"{number}. {item.name}: {item.description}" for number, item in enumerate(rubric, 1))
        or NO_RUBRIC,
    )
    return Request(
        messages=(Message(role=Role.SYSTEM, text=task), Message(role=Role.USER, text=text)),
        sampling=SUMMARIZER,
        subjects=frozenset(name for id_ in seen for name in summarizing.subjects.get(id_, {id_})),
    )


def summary_question(items: int, *, patterns: int) -> Listing:
    """Return what a usable rubric is: a name and a description an item, no more items than wanted, and not a mere few.

    A small model likes to put everything into one item. Fewer than half of what is wanted, or of the patterns where
    there are less of those, is asked for again.
    """
    least = max(1, min(items, patterns) // 2)

    def complaint(entries: tuple[Entry, ...]) -> str:
        if not entries:
            return "The rubric had no items."
        if (different := len({as_sentence(entry[DESCRIPTION]).casefold() for entry in entries})) < least:
            return f"There were too few items: {different}. Write at least {least}, no two of them alike."
        if len(entries) > items:
            return f"There were {len(entries)} items. Merge those that are alike, so that there are at most {items}."
        return ""

    return Listing(
        fields=(NAME, DESCRIPTION),
        key=DESCRIPTION,
        most=items,
        least=least,
        leads=NAME,
        max_chars=LONGEST,
        check=complaint,
    )


def _notes(found: Sequence[RubricItem], *, wanted: int, where: str) -> list[str]:
    if not found:
        return [f"{where} gave no item"]
    surplus = len(found) - wanted
    return [f"{where}: the last {surplus} of {len(found)} items were left out"] if surplus > 0 else []


def _line(text: str) -> str:
    return " ".join(defuse(text).split())
