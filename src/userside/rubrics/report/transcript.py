"""A conversation as it is shown: each turn in its language, with the words marked that something rests on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from userside.conversations import Conversation, Label, Speaker, Turn, find_quote_spans, language_tag
from userside.render import Badge, Block, Highlight, Prose, Role, Tone, Transcript, TranscriptTurn
from userside.rubrics.report.cases import Case
from userside.rubrics.report.wording import counted
from userside.rubrics.rubric import Side

ROLES = {Speaker.USER: Role.USER, Speaker.ASSISTANT: Role.ASSISTANT}
SIDE_TONES = {Side.SATISFIED: Tone.GOOD, Side.DISSATISFIED: Tone.BAD}
LONGEST_TURN = 6000
"""Characters of a turn beyond which the report leaves the rest to the run's input."""
MOST_TURNS = 200
"""Turns of a conversation beyond which the report leaves the middle to the run's input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedQuote:
    """Words to be marked in a transcript.

    Attributes:
        turn: The turn they were found in.
        quote: The words, as they were given.
        title: What they show.
        side: Which way that counts.
    """

    turn: int
    quote: str
    title: str
    side: Side


def transcript(case: Case, quotes: Sequence[MarkedQuote]) -> Block:
    """Return the turns of a conversation, or a sentence where there are none."""
    shown = _clipped(case.conversation)
    marks = dict.fromkeys(mark for quote in quotes for mark in _marks(shown, quote))
    turns = tuple(_turns(case, shown, quotes=quotes, marks=tuple(marks)))
    return Transcript(turns=turns) if turns else Prose(text="There is no transcript.")


def _clipped(conversation: Conversation) -> Conversation:
    turns = tuple(replace(turn, text=turn.text[:LONGEST_TURN]) for turn in conversation.turns)
    return replace(conversation, turns=turns)


def _marks(shown: Conversation, quote: MarkedQuote) -> Iterator[tuple[int, Highlight]]:
    """Yield the turn of each piece of a quote, and where in it the piece stands."""
    for span in find_quote_spans(shown, quote.quote, turn=quote.turn):
        tone = SIDE_TONES[quote.side]
        yield span.turn, Highlight(start=span.start, end=span.end, tone=tone, note=quote.title)


def _turns(
    case: Case, shown: Conversation, *, quotes: Sequence[MarkedQuote], marks: Sequence[tuple[int, Highlight]]
) -> Iterator[TranscriptTurn]:
    turns = shown.turns
    for place, turn in enumerate(turns):
        if MOST_TURNS // 2 <= place < len(turns) - MOST_TURNS // 2:
            if place == MOST_TURNS // 2:
                left_out = counted(len(turns) - MOST_TURNS, "turn")
                yield TranscriptTurn(speaker="Report", text=f"{left_out} left out here; they are in the run's input.")
            continue
        badges = dict.fromkeys(
            Badge(text=quote.title, tone=SIDE_TONES[quote.side]) for quote in quotes if quote.turn == turn.index
        )
        highlights = tuple(mark for index, mark in marks if index == turn.index)
        yield replace(_turn(turn, case, badges=tuple(badges)), highlights=highlights)


def _turn(turn: Turn, case: Case, *, badges: tuple[Badge, ...]) -> TranscriptTurn:
    rest = " [… the rest is in the run's input]" if _is_cut(turn, case.conversation) else ""
    parts = "".join(
        f"\n[{part.kind}{f': {part.name}' if part.name else ''}]" for part in turn.parts or () if not part.text
    )
    return TranscriptTurn(
        speaker=turn.name or turn.speaker.value.capitalize(),
        text=turn.text + rest + parts or "(empty)",
        role=ROLES.get(turn.speaker, Role.OTHER),
        badges=(*badges, *_turn_rating(turn, case), *_seen(turn, case)),
        language=language_tag(case.conversation.language),
    )


def _is_cut(turn: Turn, conversation: Conversation) -> bool:
    return len(turn.text) == LONGEST_TURN and any(
        one.index == turn.index and len(one.text) > LONGEST_TURN for one in conversation.turns
    )


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
