"""The training conversations of a learning run, each with the reasons it gave and their words marked."""

from collections.abc import Iterator, Mapping

from userside.llm import Reason
from userside.render import (
    Badge,
    Block,
    Cell,
    Column,
    Details,
    Filterable,
    FilterableItem,
    Prose,
    Section,
    Table,
)
from userside.rubrics.learning import Extraction
from userside.rubrics.report.cases import Case
from userside.rubrics.report.entries import own_words
from userside.rubrics.report.learn_inputs import LearnFacts
from userside.rubrics.report.rubric_section import shown_evidence
from userside.rubrics.report.transcript import MarkedQuote, transcript
from userside.rubrics.report.wording import REASONS, TONES, counted, shortened, signed
from userside.rubrics.rubric import Evidence

MOST_ENTRIES = 400
"""Conversations up to which each has its transcript in the report."""

type Behind = Mapping[Evidence, str]
"""The title of the pattern that words stand behind."""


def training_section(facts: LearnFacts) -> Section:
    """Return the section with the training conversations; of very many, the first and those that are linked to."""
    quoted = shown_evidence(facts.inputs.rubric) if facts.inputs.rubric else frozenset[str]()
    shown = [case for case in facts.cases if case.place < MOST_ENTRIES or case.id in quoted]
    rubric = facts.inputs.rubric
    behind = {one: item.title for item in (rubric.items if rubric else ()) for one in item.evidence}
    rest = len(facts.cases) - len(shown)
    left_out = f" {counted(rest, 'more conversation')} are in the run's `input.jsonl`." if rest else ""
    text = f"Open one to see what its user said and which reasons were found, the words marked.{left_out}"
    entries = Filterable(items=tuple(_entry(case, facts, behind) for case in shown))
    return Section(title="Training conversations", anchor="conversations", blocks=(Prose(text=text), entries))


def _entry(case: Case, facts: LearnFacts, behind: Behind) -> FilterableItem:
    found = facts.inputs.extractions.get(case.id)
    opening = next((turn.text for turn in case.conversation.user_turns), "The user said nothing.")
    badges = (Badge(text=f"user: {case.said}", tone=TONES[case.said]),) if case.said else ()
    outcome = _outcome(found)
    details = Details(
        summary=case.id,
        badges=badges,
        aside=outcome,
        preview=shortened(case.note("purpose") or opening, longest=160),
        blocks=tuple(_body(case, facts, found, behind)),
    )
    labels = (f"user: {case.said}" if case.said else "", "" if found and found.patterns else outcome)
    return FilterableItem(details=details, labels=tuple(filter(None, labels)))


def _outcome(found: Extraction | None) -> str:
    if found is None:
        return "not asked"
    if found.reason is not None:
        return "no answer"
    if found.patterns:
        return counted(len(found.patterns), "reason")
    return "unfounded reasons" if found.unfounded else "no reason"


def _body(case: Case, facts: LearnFacts, found: Extraction | None, behind: Behind) -> Iterator[Block]:
    yield Prose(text=facts.links.anchor(case.place) + _summary(case, facts, found))
    if rows := tuple(own_words(case)):
        yield Table(columns=(Column(name="Said of it afterwards"), Column(name="")), rows=rows)
    patterns = found.patterns if found else ()
    if patterns:
        columns = (Column(name="Reason"), Column(name="The user's words"), Column(name="Stands behind"))
        reasons: tuple[tuple[Cell, ...], ...] = tuple(
            (one.text, f"“{shortened(one.evidence.quote)}”", behind.get(one.evidence)) for one in patterns
        )
        yield Table(columns=columns, rows=reasons)
    yield transcript(
        case,
        tuple(
            MarkedQuote(
                turn=one.evidence.turn,
                quote=one.evidence.quote,
                title=behind.get(one.evidence, "reason without a pattern"),
                side=one.side,
            )
            for one in patterns
        ),
    )


def _summary(case: Case, facts: LearnFacts, found: Extraction | None) -> str:
    total = facts.inputs.totals.get(case.id)
    parts = [
        _told(found),
        f"{counted(found.unfounded, 'reason')} left out: the words are not the user's."
        if found and found.unfounded
        else "",
        f"R {signed(total)} when the cuts were fitted." if total is not None else "",
    ]
    return " ".join(filter(None, parts))


def _told(found: Extraction | None) -> str:
    if found is None:
        return "It was not asked about: only satisfied and dissatisfied users are."
    if found.reason is not None:
        reason: Reason = found.reason
        return f"**No answer.** {REASONS[reason].meaning}"
    if found.patterns:
        return f"**{counted(len(found.patterns), 'reason')}.**"
    return "**No reason** to be seen in the user's words." if not found.unfounded else "**No reason kept.**"
