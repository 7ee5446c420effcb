"""Where the estimate and the user disagree: what a transcript does not show."""

from userside.conversations import Label
from userside.render import Block, Cell, Column, ColumnKind, Prose, Section, Table, render_number
from userside.rubrics.report.cases import Case, Facts
from userside.rubrics.report.wording import counted, percent, shortened

SHOWN = 12


def disagreements_section(facts: Facts) -> Section | None:
    """Return the section, or None unless some conversation has a label of its user and an estimate."""
    compared = [case for case in facts.cases if case.said and case.estimate]
    if not compared:
        return None
    hidden, reverse = hidden_failures(facts), better_than_read(facts)
    blocks: tuple[Block, ...] = (
        Prose(text=_opening(facts, compared)),
        *_listed(hidden, facts, title="Hidden failures", text=_HIDDEN),
        *_listed(reverse, facts, title="Better than they read", text=_REVERSE),
    )
    return Section(title="Where they disagree", anchor="disagreements", blocks=blocks)


def hidden_failures(facts: Facts) -> list[Case]:
    """Return conversations whose user was dissatisfied and that read satisfied, the most misleading first."""
    found = [case for case in facts.cases if case.is_hidden_failure]
    return sorted(found, key=lambda case: (-(case.R or 0.0), case.place))


def better_than_read(facts: Facts) -> list[Case]:
    """Return conversations whose user was satisfied and that read dissatisfied, the most misleading first."""
    found = [case for case in facts.cases if case.disagrees and not case.is_hidden_failure]
    return sorted(found, key=lambda case: (case.R or 0.0, case.place))


def listed(facts: Facts) -> tuple[Case, ...]:
    """Return the conversations that the section links to."""
    return (*hidden_failures(facts)[:SHOWN], *better_than_read(facts)[:SHOWN])


_HIDDEN = (
    "In these the user was dissatisfied, and the transcript reads satisfied: often somebody who said thank you before "
    "finding out that it had not worked. The most misleading first."
)
_REVERSE = (
    "In these the user was satisfied, and the transcript reads dissatisfied: often a rough way to a good end. The most "
    "misleading first."
)


def _opening(facts: Facts, compared: list[Case]) -> str:
    hidden, reverse = len(hidden_failures(facts)), len(better_than_read(facts))
    failed = sum(case.said is Label.DISSATISFIED for case in compared)
    if not hidden and not reverse:
        n = counted(len(compared), "conversation")
        return f"In none of {n} do they say opposite things. {_exact(facts)}".rstrip()
    return (
        f"In {hidden + reverse:,} of {counted(len(compared), 'conversation')} they say opposite things. "
        f"**{hidden:,} of {failed:,} dissatisfied users** read as satisfied: whoever looks at transcripts alone misses "
        f"them. Read those first. {_exact(facts)}"
    ).rstrip()


def _exact(facts: Facts) -> str:
    """Return how often the estimate is the user's very label, beside what no skill at all would get."""
    tables = facts.evaluation.tables if facts.evaluation else None
    if tables is None:
        return ""
    right, always = tables.three.figures.accuracy, tables.three.constant.accuracy
    kappa = tables.three.figures.kappa
    beyond = "" if kappa is None else f", Cohen's kappa {render_number(kappa, decimals=2)}"
    return (
        f"The estimate is the very label in {right.numerator:,} of {right.denominator:,} ({percent(right.value)}"
        f"{beyond}); always saying “{tables.three.always}” would be in {always.numerator:,} ({percent(always.value)})."
    )


def _listed(cases: list[Case], facts: Facts, *, title: str, text: str) -> tuple[Block, ...]:
    if not cases:
        return ()
    shown = cases[:SHOWN]
    rest = len(cases) - len(shown)
    more = f"The {SHOWN} furthest apart of {len(cases):,}; `scores.jsonl` has them all."
    columns = (
        Column(name="Conversation"),
        Column(name="R", kind=ColumnKind.NUMBER),
        Column(name="What the user wanted"),
        Column(name="What came of it, in the user's words"),
    )
    if not any(case.note("outcome") or case.note("purpose") for case in shown):
        columns = (*columns[:2], Column(name="The user's last words"))
    rows = tuple(_row(case, facts, has_notes=len(columns) > 3) for case in shown)  # noqa: PLR2004
    notes = (text, more) if rest else (text,)
    return (Table(columns=columns, rows=rows, caption=f"{title} ({len(cases):,})", notes=notes),)


def _row(case: Case, facts: Facts, *, has_notes: bool) -> tuple[Cell, ...]:
    last = next((turn.text for turn in reversed(case.conversation.user_turns)), None)
    said = (case.note("purpose"), case.note("outcome")) if has_notes else (last,)
    return (facts.links.to(case.place, case.id), case.R, *(shortened(words) if words else None for words in said))
