"""Every conversation: entries that open where there are few, a table and a stated selection where there are many."""

from random import Random

from userside.render import Block, Cell, Column, ColumnKind, Filterable, Prose, Section, Table
from userside.rubrics.report.cases import Case, Facts
from userside.rubrics.report.disagreements import listed
from userside.rubrics.report.entries import entry
from userside.rubrics.report.examples import best_examples
from userside.rubrics.report.inputs import SEED
from userside.rubrics.report.rubric_section import Linked, shown_evidence
from userside.rubrics.report.wording import counted
from userside.rubrics.rubric import Side

MOST_ENTRIES = 400
"""Conversations up to which each has its transcript in the report."""
DISAGREEING, EXTREME, UNSCORED, DRAWN = 60, 25, 25, 60
"""Of a large run: the furthest apart, the ends of R on each side, those without R, and a random draw."""


def conversations_section(facts: Facts) -> Section:
    """Return the section with every conversation."""
    shown = shown_places(facts)
    whole = len(shown) == len(facts.cases)
    entries = Filterable(items=tuple(entry(case, facts) for case in facts.cases if case.place in shown))
    blocks: tuple[Block, ...]
    if whole:
        text = "Open one to see what its user said, which patterns the judge found, and the words it found them in."
        blocks = (Prose(text=text), entries)
    else:
        blocks = (Prose(text=_selection(facts, shown)), entries, _table(facts, shown))
    return Section(title="Conversations", anchor="conversations", blocks=blocks)


def shown_places(facts: Facts) -> frozenset[int]:
    """Return the places of the conversations whose transcript is in the report."""
    cases = facts.cases
    if len(cases) <= MOST_ENTRIES:
        return frozenset(case.place for case in cases)
    scored = sorted((case for case in cases if case.R is not None), key=lambda case: (case.R, case.place))
    apart = [case for case in cases if case.disagrees]
    apart.sort(key=lambda case: (-abs(case.R or 0.0), case.place))
    chosen = [
        *apart[:DISAGREEING],
        *scored[:EXTREME],
        *scored[-EXTREME:],
        *[case for case in cases if case.R is None][:UNSCORED],
        *Random(SEED).sample(cases, DRAWN),  # noqa: S311 - a draw to look at, not a secret
    ]
    return frozenset(case.place for case in chosen) | _examples(facts)


def _examples(facts: Facts) -> frozenset[int]:
    """Return the places that the sections above link to."""
    patterns = (case.place for item in facts.items for case, _ in best_examples(item, facts))
    quoted = shown_evidence(facts.inputs.rubric)
    learned = (case.place for case in facts.cases if case.id in quoted)
    return frozenset((*patterns, *learned, *(case.place for case in listed(facts))))


def link_shown(facts: Facts) -> Linked:
    """Return what links a conversation's id to it where its transcript is in the report."""
    shown = shown_places(facts)
    places = {case.id: case.place for case in facts.cases if case.place in shown}

    def linked(id_: str) -> str:
        return facts.links.to(places[id_], id_) if id_ in places else f"{id_} (not in this run)"

    return linked


def _selection(facts: Facts, shown: frozenset[int]) -> str:
    apart = facts.count(lambda case: case.disagrees)
    missing = facts.count(lambda case: case.R is None)
    parts = [
        f"the {min(apart, DISAGREEING)} where user and estimate are furthest apart (of {apart:,})" if apart else "",
        f"the {EXTREME} highest and the {EXTREME} lowest R",
        f"{min(missing, UNSCORED)} that could not be scored (of {missing:,})" if missing else "",
        f"{DRAWN} drawn at random (seed {SEED})",
        "and the examples named above",
    ]
    return (
        f"This run has {len(facts.cases):,} conversations. **{len(shown):,} can be opened here**: "
        f"{', '.join(filter(None, parts))}. A table of all of them follows; every score and quote is in `scores.jsonl` "
        "and every transcript in `input.jsonl`, in the run's folder."
    )


def _table(facts: Facts, shown: frozenset[int]) -> Table:
    said = facts.has_labels
    columns = (
        Column(name="Conversation"),
        *((Column(name=facts.voice),) if said else ()),
        Column(name="Reads"),
        Column(name="R", kind=ColumnKind.NUMBER),
        Column(name="For", kind=ColumnKind.NUMBER, decimals=0),
        Column(name="Against", kind=ColumnKind.NUMBER, decimals=0),
        Column(name="Not judged", kind=ColumnKind.NUMBER, decimals=0),
    )
    rows = tuple(_row(case, facts, said=said, linked=case.place in shown) for case in facts.cases)
    notes = ("*For* and *against*: how many patterns of each side apply. Linked ones can be opened above.",)
    return Table(
        caption=f"All {counted(len(rows), 'conversation')}", columns=columns, rows=rows, notes=notes, sortable=True
    )


def _row(case: Case, facts: Facts, *, said: bool, linked: bool) -> tuple[Cell, ...]:
    name = facts.links.to(case.place, case.id) if linked else case.id
    applying = case.applying(facts.items)
    good = sum(item.side is Side.SATISFIED for item, _ in applying)
    label = (case.said.value if case.said else None,) if said else ()
    judged: tuple[Cell, ...] = (good, len(applying) - good, case.score.missing) if case.score else (None, None, None)
    return (name, *label, case.estimate.value if case.estimate else None, case.R, *judged)
