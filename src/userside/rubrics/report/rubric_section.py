"""The rubric in full: what the judge looks for, and for a learned one whose words each pattern comes from."""

from collections.abc import Callable, Iterator, Sequence

from userside.render import (
    Badge,
    Block,
    Callout,
    CalloutKind,
    Cell,
    Column,
    ColumnKind,
    Details,
    Prose,
    Section,
    Table,
    Tone,
)
from userside.rubrics.report.learned import LearnedFrom, read_learned_from
from userside.rubrics.report.transcript import SIDE_TONES
from userside.rubrics.report.wording import counted, literal, shortened
from userside.rubrics.rubric import Evidence, Rubric, RubricItem, Side

SHOWN = 4
"""Quotes shown of those behind an item, the nearest first, and no two of one conversation."""
SIGNS = {Side.SATISFIED: "sign of satisfaction", Side.DISSATISFIED: "sign of dissatisfaction"}
EXTRACTION = (
    ("asked", "Conversations asked about"),
    ("with_patterns", "gave at least one reason"),
    ("without", "showed none in their words"),
    ("unfounded_only", "only reasons whose words are not the user's"),
    ("patterns", "Reasons kept"),
    ("unfounded", "Reasons left out: the words are not the user's"),
    ("surplus", "Reasons left out: more than wanted"),
)


type Linked = Callable[[str], str]
"""From a conversation's id to the same words, linked where the conversation is in the report."""


def rubric_section(rubric: Rubric, linked: Linked) -> Section:
    """Return the section on a rubric's items and where they come from."""
    if not is_learned(rubric):
        text = (
            f"The rubric “{literal(rubric.name)}” was **written by people**; it was not learned from these or any "
            "conversations, so there are no words of users behind its patterns."
        )
        return Section(title="The rubric", anchor="rubric", blocks=(Prose(text=text), _items(rubric)))
    found = read_learned_from(rubric)
    blocks: tuple[Block, ...] = (
        Prose(text=_learned_words(rubric, found)),
        *_notes(found),
        *((_support(rubric),) if any(item.evidence for item in rubric.items) else ()),
        Prose(text="**Each pattern with the words it was learned from.** Open one to see them."),
        *(_details(item, linked) for side in Side for item in rubric.side(side)),
        _how(rubric, found),
    )
    return Section(title="The rubric, and whose words it comes from", anchor="rubric", blocks=blocks)


def is_learned(rubric: Rubric) -> bool:
    """Tell whether a rubric was learned from conversations; else somebody wrote it."""
    return bool(rubric.training_ids) or any(item.evidence for item in rubric.items)


def _items(rubric: Rubric) -> Details:
    columns = (Column(name="Pattern"), Column(name="Counts"), Column(name="What the judge was asked"))
    rows = tuple((item.title, f"a {SIGNS[item.side]}", item.description) for side in Side for item in rubric.side(side))
    return Details(
        summary=f"The rubric “{rubric.name}” in full",
        aside=counted(len(rubric.items), "pattern"),
        blocks=(Table(columns=columns, rows=rows),),
    )


def _learned_words(rubric: Rubric, found: LearnedFrom) -> str:
    taken = ", ".join(f"{count:,} {literal(label)}" for label, count in found.taken.items() if count)
    shares = f" ({taken})" if taken else ""
    of = f" of {found.available:,} labelled ones" if found.available else ""
    reasons, unassigned = sum(found.patterns.values()), sum(found.unassigned.values())
    alone = f"; {unassigned:,} of them resemble none closely enough to stand behind it" if unassigned else ""
    gathered = (
        f" The {counted(reasons, 'reason')} that came of it were gathered into "
        f"{counted(len(rubric.items), 'pattern')}{alone}."
        if reasons
        else ""
    )
    return (
        f"This rubric was **learned from {counted(len(rubric.training_ids), 'conversation')}**{of}"
        f"{shares}. A language model said for each why its user was content or not, always with "
        f"the user's own words, and a reason whose words do not stand in the conversation was left out.{gathered} "
        "These conversations are left out of every comparison with users' labels."
    )


def _notes(found: LearnedFrom) -> Iterator[Callout]:
    if found.optimistic:
        yield Callout(
            title="Its cuts are optimistic",
            text="Where R turns into a label was decided on the very conversations the rubric was learned from, which "
            "flatters it. `userside evaluate RUN --fit-cuts` draws the line on others.",
            kind=CalloutKind.WARNING,
        )
    if found.notes:
        yield Callout(title="Notes from learning", text="\n".join(f"- {literal(note)}" for note in found.notes))


def people_behind(item: RubricItem) -> int:
    """Return how many conversations have words that stand behind an item."""
    return len({one.id for one in item.evidence})


def _support(rubric: Rubric) -> Table:
    columns = (
        Column(name="Pattern"),
        Column(name="Sign of"),
        Column(name="Conversations behind it", kind=ColumnKind.BAR, decimals=0),
        Column(name="Quotes", kind=ColumnKind.NUMBER, decimals=0),
    )
    sides = {Side.SATISFIED: "satisfaction", Side.DISSATISFIED: "dissatisfaction"}
    rows = tuple(
        (item.title, sides[item.side], people_behind(item), len(item.evidence))
        for side in Side
        for item in sorted(rubric.side(side), key=people_behind, reverse=True)
    )
    return Table(caption="How many training conversations stand behind each pattern", columns=columns, rows=rows)


def _details(item: RubricItem, linked: Linked) -> Details:
    people = people_behind(item)
    shown = _different(item.evidence)
    rows: tuple[tuple[Cell, ...], ...] = tuple((linked(one.id), f"“{shortened(one.quote)}”") for one in shown)
    columns = (Column(name="Conversation"), Column(name="The user's words"))
    rest = people - len(shown)
    note = (f"{counted(rest, 'more conversation')} behind it; `rubric.json` has them all.",) if rest > 0 else ()
    blocks: tuple[Block, ...] = (
        Prose(text=literal(item.description)),
        Table(columns=columns, rows=rows, notes=note)
        if rows
        else Prose(text="No words stand behind it: none of the reasons resembles it closely enough."),
    )
    return Details(
        summary=item.title,
        badges=(Badge(text=SIGNS[item.side], tone=SIDE_TONES[item.side]), *(() if people else (_UNSUPPORTED,))),
        aside=counted(people, "conversation"),
        preview=item.description,
        blocks=blocks,
    )


_UNSUPPORTED = Badge(text="nothing behind it", tone=Tone.NEUTRAL)


def _different(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    first = {one.id: one for one in reversed(evidence)}
    return tuple(one for one in evidence if first[one.id] is one)[:SHOWN]


def shown_evidence(rubric: Rubric) -> frozenset[str]:
    """Return the ids of the conversations whose words the section shows."""
    return frozenset(one.id for item in rubric.items for one in _different(item.evidence))


def _how(rubric: Rubric, found: LearnedFrom) -> Details:
    tables = tuple(filter(None, (extraction_table(found), _facts(rubric, found))))
    return Details(summary="How it was learned", blocks=tables)


def extraction_table(found: LearnedFrom) -> Table | None:
    """Return what became of the conversations and reasons on each side, None where that is not recorded."""
    if not found.extraction:
        return None
    sides = tuple(found.extraction)
    columns = (
        Column(name="Why were users content or not?"),
        *(Column(name=f"{side.value.capitalize()} users", kind=ColumnKind.NUMBER, decimals=0) for side in sides),
    )
    rows: list[tuple[Cell, ...]] = [
        (words, *(found.extraction[side].get(name, 0) for side in sides)) for name, words in EXTRACTION
    ]
    reasons = dict.fromkeys(reason for side in sides for reason in found.unanswered.get(side, {}))
    rows += [
        (f"no answer: {reason.replace('_', ' ')}", *(found.unanswered.get(side, {}).get(reason, 0) for side in sides))
        for reason in reasons
    ]
    if found.unassigned:
        rows.append(("Reasons that resemble no pattern", *(found.unassigned.get(side, 0) for side in sides)))
    return Table(caption="What the conversations gave", columns=columns, rows=tuple(rows))


def _facts(rubric: Rubric, found: LearnedFrom) -> Table:
    rows: list[tuple[Cell, ...]] = [("Rubric", rubric.name)]
    rows += [(role.capitalize(), name) for role, name in found.models.items()]
    rows += [(name.replace("_", " ").capitalize(), value) for name, value in found.settings.items()]
    rows += [(name, value) for name, value in (("Cuts", found.cuts), ("Wording", found.wording)) if value]
    return Table(columns=(Column(name=""), Column(name="")), rows=tuple(rows))
