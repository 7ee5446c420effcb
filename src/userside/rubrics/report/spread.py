"""How scores are spread: R by what users say, probabilities against what came, and groups side by side."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ceil, floor

from userside.conversations import Label
from userside.render import (
    Axis,
    Block,
    Cell,
    Column,
    ColumnKind,
    Figure,
    Histogram,
    HistogramGroup,
    Prose,
    Section,
    Table,
    Tone,
    render_number,
)
from userside.rubrics.report.cases import Case, Facts
from userside.rubrics.report.reliability import reliability_blocks
from userside.rubrics.report.wording import ORDER, TONES, counts_cell
from userside.rubrics.rubric import Side
from userside.rubrics.scores import HIGHEST

STEPS = (1, 2, 5, 10, 20, 50, 100)
MOST_BINS = 24
MOST_GROUPS = 15


def spread_section(facts: Facts) -> Section | None:
    """Return the section, or None when nothing was scored."""
    scored = [case for case in facts.cases if case.R is not None]
    if not scored:
        return None
    blocks: list[Block] = [Prose(text=_opening(facts)), _histogram(scored, facts)]
    evaluation = facts.evaluation
    if evaluation and evaluation.reliability:
        blocks += reliability_blocks(evaluation.reliability)
    blocks += _groups(facts, name="Language", of=lambda case: case.conversation.language)
    blocks += _groups(facts, name="Platform", of=lambda case: case.conversation.platform)
    return Section(title="The scores", anchor="spread", blocks=tuple(blocks))


def _opening(facts: Facts) -> str:
    against = len(facts.inputs.rubric.side(Side.DISSATISFIED))
    low, high = (render_number(HIGHEST * count) for count in (-against, len(facts.items) - against))
    apart = " The further apart the panels lie, the better R tells users apart." if facts.has_labels else ""
    return f"With this rubric R can run from {low} to {high}.{apart}"


def _histogram(scored: Sequence[Case], facts: Facts) -> Figure:
    totals = [case.R for case in scored if case.R is not None]
    edges = _edges(totals)
    by_label = [(label, [case.R for case in scored if case.said is label]) for label in ORDER]
    start = "Users who say" if facts.is_own_word else "Labelled"
    known = [(f"{start} {label}", TONES[label], found) for label, found in by_label if found]
    unknown = [case.R for case in scored if case.said is None]
    if unknown:
        known.append(("Without a label" if known else "Conversations", Tone.ACCENT, unknown))
    groups = tuple(HistogramGroup(label=label, tone=tone, counts=_bins(found, edges)) for label, tone, found in known)
    return Figure(
        plot=Histogram(groups=groups, edges=edges, axis=Axis(label="R", decimals=0), marks=_marks(facts, edges)),
        title="R of every conversation"
        + ((", by what its user says" if facts.is_own_word else ", by its label") if facts.has_labels else ""),
        alt=f"R runs from {min(totals):.1f} to {max(totals):.1f} over {len(totals):,} conversations.",
    )


def _edges(totals: Sequence[float]) -> tuple[float, ...]:
    low, high = min(totals), max(totals)
    step = next((step for step in STEPS if (high - low) / step <= MOST_BINS - 2), STEPS[-1])
    first, last = floor(low / step), max(ceil(high / step), floor(high / step) + 1)
    return tuple(float(step * place) for place in range(first, last + 1))


def _bins(totals: Sequence[float | None], edges: tuple[float, ...]) -> tuple[int, ...]:
    known = [total for total in totals if total is not None]
    return tuple(sum(low <= total < high for total in known) for low, high in pairwise(edges))


def _marks(facts: Facts, edges: tuple[float, ...]) -> tuple[tuple[float, str], ...]:
    if len(facts.cuts) != 1:
        return ()
    cuts = facts.cuts[0]
    low, high = cuts.dissatisfied_below, cuts.satisfied_above
    marks = ((low, "cut"),) if low == high else ((low, "dissatisfied below"), (high, "satisfied above"))
    return tuple(mark for mark in marks if edges[0] <= mark[0] <= edges[-1])


def _groups(facts: Facts, *, name: str, of: Callable[[Case], str | None]) -> list[Block]:
    values = dict.fromkeys(of(case) for case in facts.cases)
    if len(values) < 2:  # noqa: PLR2004 - nothing to hold side by side
        return []
    groups = [(value, [case for case in facts.cases if of(case) == value]) for value in values]
    groups.sort(key=lambda group: (-len(group[1]), group[0] or ""))
    said = facts.has_labels
    columns = (
        Column(name=name),
        Column(name="Conversations", kind=ColumnKind.NUMBER, decimals=0),
        *((Column(name=f"{facts.voice} satisfied", kind=ColumnKind.RATE, decimals=0),) if said else ()),
        Column(name="Read as satisfied", kind=ColumnKind.RATE, decimals=0),
        Column(name="Not scored", kind=ColumnKind.NUMBER, decimals=0),
    )
    rows = tuple(_group_row(value or "not stated", cases, said=said) for value, cases in groups[:MOST_GROUPS])
    rest = len(groups) - MOST_GROUPS
    notes = (f"{rest} smaller groups are left out.",) if rest > 0 else ()
    return [Table(caption=f"By {name.lower()}", columns=columns, rows=rows, notes=notes)]


def _group_row(name: str, cases: Sequence[Case], *, said: bool) -> tuple[Cell, ...]:
    own = (_satisfied([case.said for case in cases]),) if said else ()
    return (
        name,
        len(cases),
        *own,
        _satisfied([case.estimate for case in cases]),
        sum(case.R is None for case in cases),
    )


def _satisfied(labels: Sequence[Label | None]) -> Cell:
    known = [label for label in labels if label]
    return counts_cell(sum(label is Label.SATISFIED for label in known), len(known))
