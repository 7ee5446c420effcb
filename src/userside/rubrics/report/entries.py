"""One conversation as an entry that opens: what its user said of it, which patterns applied, and the transcript."""

from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean

import regex

from userside.conversations import Feedback, Label, Speaker, Turn
from userside.llm import Unscored
from userside.render import (
    Badge,
    Block,
    Cell,
    Column,
    ColumnKind,
    Details,
    FilterableItem,
    Highlight,
    Prose,
    Role,
    Table,
    Tone,
    Transcript,
    TranscriptTurn,
)
from userside.rubrics.report.cases import APPLIES, Case, Facts
from userside.rubrics.report.wording import REASONS, TONES, counted, literal, score_words, shortened, signed
from userside.rubrics.rubric import RubricItem, Side
from userside.rubrics.scores import ItemScore, ItemVerdict

ROLES = {Speaker.USER: Role.USER, Speaker.ASSISTANT: Role.ASSISTANT}
SIDE_TONES = {Side.SATISFIED: Tone.GOOD, Side.DISSATISFIED: Tone.BAD}
LONGEST_TURN = 6000
"""Characters of a turn beyond which the report leaves the rest to the run's input."""
MOST_TURNS = 200
"""Turns of a conversation beyond which the report leaves the middle to the run's input."""
_NOTHING: Mapping[str, ItemVerdict] = {}
_GAP = regex.compile(r"\s*(?:\[\.{3}\]|\.{3,}|…)\s*")


def entry(case: Case, facts: Facts) -> FilterableItem:
    """Return one conversation as an entry of the list, with the labels it can be found by."""
    opening = next((turn.text for turn in case.conversation.user_turns), "")
    details = Details(
        summary=case.id,
        badges=tuple(_badges(case, facts)),
        aside=score_words(case.R),
        preview=shortened(case.note("purpose") or opening or "The user said nothing.", longest=160),
        blocks=tuple(_body(case, facts)),
    )
    return FilterableItem(details=details, labels=filter_labels(case, facts))


def filter_labels(case: Case, facts: Facts) -> tuple[str, ...]:
    """Return what a conversation can be narrowed by."""
    labels = [
        f"{_source(facts)}: {case.said}" if case.said else "",
        f"reads: {case.estimate}" if case.estimate else "",
        "disagree" if case.disagrees else "",
        "not scored" if case.R is None else "",
    ]
    return tuple(filter(None, labels))


def _source(facts: Facts) -> str:
    return "user" if facts.is_own_word else "label"


def _badges(case: Case, facts: Facts) -> Iterator[Badge]:
    if case.said:
        yield Badge(text=f"{_source(facts)}: {case.said}", tone=TONES[case.said])
    if case.estimate:
        yield Badge(text=f"reads: {case.estimate}", tone=TONES[case.estimate])
    if case.is_hidden_failure:
        yield Badge(text="hidden failure", tone=Tone.BAD)
    elif case.disagrees:
        yield Badge(text="better than it reads", tone=Tone.GOOD)
    if case.R is None:
        yield Badge(text="not scored")


def _body(case: Case, facts: Facts) -> Iterator[Block]:
    yield Prose(text=facts.links.anchor(case.place) + _summary(case))
    if rows := tuple(_own_words(case)):
        yield Table(columns=(Column(name="Said of it afterwards"), Column(name="")), rows=rows)
    if case.score:
        yield from _patterns(case, facts)
    turns = tuple(_turns(case, facts))
    yield Transcript(turns=turns) if turns else Prose(text="There is no transcript.")


def _summary(case: Case) -> str:
    score = case.score
    if score is None:
        return "**No row of scores** for this conversation in the run."
    parts = [_total(case), literal(score.cut)]
    if case.seen_until is not None:
        parts.append(f"The judge saw only the first {counted(case.seen_until, 'turn')}, for which the label holds.")
    if score.probability is not None:
        parts.append(f"Probability that the user is satisfied: {100 * score.probability:.0f} %.")
    return " ".join(filter(None, parts))


def _total(case: Case) -> str:
    score = case.score
    if score is None or score.R is None:
        reason = case.unscored_reason
        return f"**No R.** {REASONS[reason].meaning}" if reason else "**No R.**"
    over = f", over the items that were answered ({score.missing} were not)" if score.missing else ""
    read = f": reads {score.label}" if score.label else ", without a label: no cuts hold for this judge"
    return f"**{score_words(score.R)}**{over}{read}."


def _own_words(case: Case) -> Iterator[tuple[Cell, Cell]]:
    for one in case.feedback:
        fields = (("Wanted", one.purpose), ("What came of it", one.outcome), ("Told us", one.description))
        yield from ((name, words) for name, words in fields if words)
        yield from ((shortened(name, longest=60), str(value)) for name, value in one.answers.items())
    if rated := _ratings(case.feedback):
        yield "Rating", rated
    thumbs = [f"thumb {one.thumb}" for one in case.feedback if one.thumb]
    if thumbs:
        yield "Thumb", ", ".join(thumbs)


def _ratings(given: Iterable[Feedback]) -> str:
    """Return ratings of one thing by several people, with their scale where it is stated."""
    rated = [one for one in given if one.rating is not None]
    scales = {one.scale for one in rated}
    values = ", ".join(f"{one.rating:g}" for one in rated)
    scale = scales.pop() if len(scales) == 1 else None
    return f"{values} on a scale of {scale[0]:g} to {scale[1]:g}" if scale and values else values


def _patterns(case: Case, facts: Facts) -> Iterator[Block]:
    fired = case.applying(facts.items)
    if fired:
        columns = (
            Column(name="Pattern"),
            Column(name="Adds to R", kind=ColumnKind.NUMBER),
            Column(name="Words it rests on"),
        )
        width = 3 if any(score.quote or score.note for _, score in fired) else 2
        rows = tuple((item.title, signed(_share(item, score)), _evidence(score))[:width] for item, score in fired)
        yield Table(columns=columns[:width], rows=rows, notes=_others(case, facts))
    elif case.R is not None:
        yield Prose(text=f"None of the {len(facts.items)} patterns applies. {' '.join(_others(case, facts))}")
    yield from _unscored(case)


def _share(item: RubricItem, score: ItemScore) -> float:
    """Return what a pattern adds to R."""
    return score.score if item.side is Side.SATISFIED else -score.score


def _evidence(score: ItemScore) -> str | None:
    found = " (in no turn of the user)" if score.quote and score.turn is None else ""
    words = f"“{shortened(score.quote)}”{found}" if score.quote else ""
    return f"{words} {score.note or ''}".strip() or None


def _others(case: Case, facts: Facts) -> tuple[str, ...]:
    """Return a word on the patterns that do not apply: read by tokens they add to R all the same."""
    verdicts = case.score.items if case.score else _NOTHING
    rest = [
        _share(item, verdict)
        for item in facts.items
        if isinstance(verdict := verdicts.get(item.name), ItemScore) and verdict.yes < APPLIES
    ]
    if not rest:
        return ()
    added = f"; they add {signed(sum(rest))} in all" if any(rest) else ""
    return (f"{counted(len(rest), 'other pattern')} had no probability of one half or more{added}."
            if facts.by_tokens else f"{counted(len(rest), 'other pattern')} did not apply{added}.",)  # fmt: skip


def _unscored(case: Case) -> Iterator[Block]:
    verdicts = case.score.items if case.score else _NOTHING
    missing = [(name, verdict) for name, verdict in verdicts.items() if isinstance(verdict, Unscored)]
    if not missing:
        return
    columns = (Column(name="Could not be judged"), Column(name="Why"), Column(name="Detail"))
    alike = {verdict.reason for _, verdict in missing}
    if len(alike) == 1 and len(missing) == len(verdicts):
        missing = [("all patterns", missing[0][1])]
    rows = tuple(
        (name.replace("_", " "), REASONS[verdict.reason].meaning, shortened(verdict.detail) or None)
        for name, verdict in missing
    )
    yield Table(columns=columns, rows=rows)


# The transcript


def _turns(case: Case, facts: Facts) -> Iterator[TranscriptTurn]:
    quoted: dict[int, list[tuple[RubricItem, ItemScore]]] = {}
    for item, score in case.applying(facts.items):
        if score.turn is not None:
            quoted.setdefault(score.turn, []).append((item, score))
    turns = case.conversation.turns
    for turn in turns:
        if MOST_TURNS // 2 <= turn.index < len(turns) - MOST_TURNS // 2:
            if turn.index == MOST_TURNS // 2:
                left_out = counted(len(turns) - MOST_TURNS, "turn")
                yield TranscriptTurn(speaker="Report", text=f"{left_out} left out here; they are in the run's input.")
            continue
        yield _turn(turn, quoted.get(turn.index, []), case)


def _turn(turn: Turn, quoted: list[tuple[RubricItem, ItemScore]], case: Case) -> TranscriptTurn:
    text = (
        turn.text
        if len(turn.text) <= LONGEST_TURN
        else f"{turn.text[:LONGEST_TURN]} [… the rest is in the run's input]"
    )
    parts = "".join(
        f"\n[{part.kind}{f': {part.name}' if part.name else ''}]" for part in turn.parts or () if not part.text
    )
    highlights = [mark for item, score in quoted for mark in _marks(text, item, score.quote or "")]
    badges = [Badge(text=item.title, tone=SIDE_TONES[item.side]) for item, _ in quoted]
    return TranscriptTurn(
        speaker=turn.name or turn.speaker.value.capitalize(),
        text=text + parts or "(empty)",
        role=ROLES.get(turn.speaker, Role.OTHER),
        badges=(*badges, *_turn_rating(turn, case), *_seen(turn, case)),
        highlights=tuple(highlights),
    )


def _marks(text: str, item: RubricItem, quote: str) -> Iterator[Highlight]:
    """Yield where a quote stands in its turn, piece by piece; case, spacing and typographic quotes may differ."""
    at = 0
    for piece in filter(None, _GAP.split(quote.strip(" \t\n\"'“”‘’«»"))):
        words = (regex.escape(word) for word in piece.split())
        loose = regex.sub(r"""['’‘"“”]""", "['’‘\"“”]", r"\s+".join(words))
        found = regex.search(loose, text, flags=regex.IGNORECASE, pos=at)
        if found is None:
            return
        at = found.end()
        yield Highlight(start=found.start(), end=at, tone=SIDE_TONES[item.side], note=item.title)


def _turn_rating(turn: Turn, case: Case) -> Iterator[Badge]:
    rated = [one for one in case.conversation.feedback if one.turn == turn.index and one.rating is not None]
    if rated:
        mean = fmean(one.rating for one in rated if one.rating is not None)
        scale = rated[0].scale
        yield Badge(text=f"rated {mean:.1f}" + (f" of {scale[1]:g}" if scale else ""))
    thumbs = [one.thumb for one in case.conversation.feedback if one.turn == turn.index and one.thumb]
    yield from (Badge(text=f"thumb {thumb}") for thumb in thumbs)


def _seen(turn: Turn, case: Case) -> Iterator[Badge]:
    if case.seen_until is not None and turn.index >= case.seen_until:
        yield Badge(text="not shown to the judge")
    elif case.until is not None and turn.index >= case.until and case.said is not Label.NEUTRAL:
        yield Badge(text="after what the label speaks of")
