"""One conversation as an entry that opens: what its user said of it, which patterns applied, and the transcript."""

from collections.abc import Iterable, Iterator, Mapping

from userside.conversations import Feedback
from userside.llm import Unscored
from userside.render import (
    Badge,
    Block,
    Cell,
    Column,
    ColumnKind,
    Details,
    FilterableItem,
    Prose,
    Table,
    Tone,
)
from userside.rubrics.report.cases import APPLIES, Case, Facts
from userside.rubrics.report.transcript import MarkedQuote, transcript
from userside.rubrics.report.wording import REASONS, TONES, counted, literal, score_words, shortened, signed
from userside.rubrics.rubric import RubricItem, Side
from userside.rubrics.scores import ItemScore, ItemVerdict

_NOTHING: Mapping[str, ItemVerdict] = {}


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
    if rows := tuple(own_words(case)):
        yield Table(columns=(Column(name="Said of it afterwards"), Column(name="")), rows=rows)
    if case.score:
        yield from _patterns(case, facts)
    yield transcript(case, tuple(_quotes(case, facts)))


def _quotes(case: Case, facts: Facts) -> Iterator[MarkedQuote]:
    """Yield the judge's quotes, and the words that an item was learned from here."""
    for item, score in case.applying(facts.items):
        if score.turn is not None and score.quote:
            yield MarkedQuote(turn=score.turn, quote=score.quote, title=item.title, side=item.side)
    for item in facts.items:
        for one in item.evidence:
            if one.id == case.id:
                yield MarkedQuote(turn=one.turn, quote=one.quote, title=f"{item.title}, learned here", side=item.side)


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


def own_words(case: Case) -> Iterator[tuple[Cell, Cell]]:
    """Yield what people said of a conversation: what it was, and their words or figures."""
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
