"""The clearest examples of a pattern."""

from collections.abc import Iterator, Sequence

from userside.render import Column, ColumnKind, Table
from userside.rubrics.report.cases import APPLIES, Case, Facts
from userside.rubrics.report.wording import shortened
from userside.rubrics.rubric import RubricItem
from userside.rubrics.scores import ItemScore

SHOWN = 2


def examples(item: RubricItem, facts: Facts) -> Table:
    """Return the conversations in which a pattern is clearest, with the words that the judge gave for it."""
    name = "Probability" if facts.by_tokens else "Score"
    columns = (Column(name="Clearest in"), Column(name=name, kind=ColumnKind.NUMBER, decimals=0), Column(name=""))
    rows = [
        (facts.links.to(case.place, case.id), _strength(score, facts), _words(case, score))
        for case, score in best_examples(item, facts)
    ]
    return Table(columns=columns, rows=tuple(rows) or (("none", None, None),), caption=item.description)


def best_examples(item: RubricItem, facts: Facts) -> tuple[tuple[Case, ItemScore], ...]:
    """Return the conversations in which a pattern is clearest, at most two, and never the same words twice."""
    return tuple(_different(sorted(_applying(item, facts), key=lambda pair: _rank(*pair)))[:SHOWN])


def _applying(item: RubricItem, facts: Facts) -> Iterator[tuple[Case, ItemScore]]:
    for case in facts.cases:
        verdict = case.score.items.get(item.name) if case.score else None
        if isinstance(verdict, ItemScore) and verdict.yes >= APPLIES:
            yield case, verdict


def _rank(case: Case, score: ItemScore) -> tuple[bool, float, int]:
    """Put words that were found in the conversation first, then high scores, then the order of the run."""
    return score.turn is None, -score.score, case.place


def _different(found: Sequence[tuple[Case, ItemScore]]) -> list[tuple[Case, ItemScore]]:
    """Return examples without the same words twice."""
    seen: set[str] = set()
    kept: list[tuple[Case, ItemScore]] = []
    for case, score in found:
        words = (score.quote or case.id).casefold()
        if words not in seen:
            seen.add(words)
            kept.append((case, score))
    return kept


def _strength(score: ItemScore, facts: Facts) -> float | str:
    return f"{100 * score.yes:.0f} %" if facts.by_tokens else score.score


def _words(case: Case, score: ItemScore) -> str:
    if score.quote:
        found = "" if score.turn is not None else " (words that the user did not use)"
        return f"“{shortened(score.quote)}”{found}"
    outcome = case.note("outcome") or case.note("purpose")
    return f"Its user, afterwards: “{shortened(outcome)}”" if outcome else "No quote was asked for."
