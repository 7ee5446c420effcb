"""Finding the turn that a judge quotes, and the words in it."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import regex

from userside.conversations.record import Conversation, Speaker, Turn
from userside.conversations.rendering import DEFUSED

USER_ONLY = frozenset({Speaker.USER})

_LOOK_ALIKES = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟«»″「」『』", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **{stand_in: bracket for bracket, stand_in in DEFUSED.items() if bracket != "＜"},
        "*": None,
    }
)
_UNSEEN = regex.compile(r"[^\P{Cc}\s]|\p{Cf}")
_SPACE = regex.compile(r"\s+")
_CLUSTER = regex.compile(r"\X")
_GAP = regex.compile(r"\[\.{3,}\]|\(\.{3,}\)|\.{3,}")
_CAPTION = regex.compile(r"(?:\[\d+\] ?)?(?:user|human|customer|participant|assistant) ?: ?|\[\d+\] ?")
_AROUND = "\"' \t"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteSpan:
    """Where a piece of a quote stands: characters `start` to `end` (exclusive) of a turn's text as it was sent."""

    turn: int
    start: int
    end: int


def locate_quote(
    conversation: Conversation, quote: str, *, speakers: frozenset[Speaker] = USER_ONLY, until: int | None = None
) -> int | None:
    r"""Return the index of the first turn that holds the quote, or None when no turn does.

    Case, spacing, invisible characters, emphasis, typographic quotes and dashes, and what `render` defused do not
    matter. An ellipsis stands for words left out; quotation marks around it and a speaker's name before it are
    dropped. Whole words are looked for first, so that "no" is not found in "know" while a turn says "no". A quote may
    run over the end of a turn into the speaker's next.

    Args:
        conversation: What was said.
        quote: What a judge gave as verbatim.
        speakers: Whose turns are looked at.
        until: Look at the turns before this index only; None for all.

    Example:
        >>> from userside.conversations import Turn
        >>> said = Turn(index=0, speaker=Speaker.USER, text="No — that’s not  what I asked.")
        >>> locate_quote(Conversation(id="a", source="doc", turns=(said,)), '"no - that\'s not what ..."')
        0
    """
    turns = conversation.turns[:until] if until is not None else conversation.turns
    places = [(turn.index, _fold(turn.text)) for turn in turns if turn.speaker in speakers]
    joined = [(first.index, _fold(f"{first.text} {second.text}")) for first, second in _runs(turns, speakers=speakers)]
    wordings = [pieces for pieces in map(_pieces, _wordings(quote)) if pieces]
    for whole_words in (True, False):
        for pieces in wordings:
            for index, text in (*places, *joined):
                if _holds(text, pieces, whole_words=whole_words):
                    return index
    return None


def find_quote_spans(conversation: Conversation, quote: str, *, turn: int) -> tuple[QuoteSpan, ...]:
    """Return where a quote's words stand, piece by piece, in the turn that `locate_quote` found for it.

    The same differences do not matter. A quote that runs over the end of the turn has spans in the next one too.
    Where the words are not there, nothing is returned.

    Args:
        conversation: What was said.
        quote: What a judge gave as verbatim.
        turn: The index of the turn it was located in.

    Example:
        >>> from userside.conversations import Turn
        >>> said = Turn(index=0, speaker=Speaker.USER, text="No — that’s not  what I asked.")
        >>> talk = Conversation(id="a", source="doc", turns=(said,))
        >>> [said.text[one.start : one.end] for one in find_quote_spans(talk, "THAT'S not what ... asked", turn=0)]
        ['that’s not  what', 'asked']
    """
    turns = tuple(one for one in conversation.turns if one.index in {turn, turn + 1})
    if not turns or turns[0].index != turn:
        return ()
    runs = [turns[:1], *([turns] if len(turns) > 1 and turns[0].speaker is turns[1].speaker else [])]
    return next((spans for run in runs if (spans := _spans_in(run, quote))), ())


def _spans_in(turns: tuple[Turn, ...], quote: str) -> tuple[QuoteSpan, ...]:
    """Return the quote's pieces in turns that follow one another, cut where a turn ends."""
    folded, places = _fold_in_place(" ".join(turn.text for turn in turns))
    wordings = [pieces for pieces in map(_pieces, _wordings(quote)) if pieces]
    tries = [_match(folded, pieces, whole_words=whole) for whole in (True, False) for pieces in wordings]
    found = next((match for match in tries if match), None)
    stretches = [(places[start][0], places[end - 1][1]) for start, end in found or ()]
    return tuple(span for stretch in stretches for span in _by_turn(turns, *stretch))


def _by_turn(turns: tuple[Turn, ...], start: int, end: int) -> Iterator[QuoteSpan]:
    begin = 0
    for turn in turns:
        low, high = max(start - begin, 0), min(end - begin, len(turn.text))
        if low < high:
            yield QuoteSpan(turn=turn.index, start=low, end=high)
        begin += len(turn.text) + 1


def _fold_in_place(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the folded text, and for each of its characters from where to where it stood.

    Folding goes by what a reader sees as one character, since composing looks across the characters of a string.
    """
    folded: list[str] = []
    places: list[tuple[int, int]] = []
    for cluster in _CLUSTER.finditer(text):
        for character in _SPACE.sub(" ", _plain(cluster[0])):
            if character != " " or (folded and folded[-1] != " "):
                folded.append(character)
                places.append(cluster.span())
    return "".join(folded), places


def _runs(turns: tuple[Turn, ...], *, speakers: frozenset[Speaker]) -> list[tuple[Turn, Turn]]:
    return [(a, b) for a, b in pairwise(turns) if a.speaker is b.speaker and a.speaker in speakers]


def _wordings(quote: str) -> tuple[str, ...]:
    folded = _fold(quote).strip(_AROUND)
    bare = _CAPTION.sub("", folded, count=1) if _CAPTION.match(folded) else folded
    return (folded, bare.strip(_AROUND))


def _pieces(folded: str) -> list[str]:
    pieces = (piece.strip(_AROUND) for piece in _GAP.split(folded))
    return [piece for piece in pieces if piece]


def _holds(text: str, pieces: list[str], *, whole_words: bool) -> bool:
    return _match(text, pieces, whole_words=whole_words) is not None


def _match(text: str, pieces: list[str], *, whole_words: bool) -> list[tuple[int, int]] | None:
    """Return where the pieces stand one after another, None unless all of them do."""
    spans: list[tuple[int, int]] = []
    for piece in pieces:
        edge = (r"(?<!\w)", r"(?!\w)") if whole_words else ("", "")
        found = regex.search(edge[0] + regex.escape(piece) + edge[1], text, pos=spans[-1][1] if spans else 0)
        if found is None:
            return None
        spans.append(found.span())
    return spans


def _fold(text: str) -> str:
    return _SPACE.sub(" ", _plain(text)).strip()


def _plain(text: str) -> str:
    visible = _UNSEEN.sub("", text)
    return unicodedata.normalize("NFKC", visible.translate(_LOOK_ALIKES)).casefold().translate(_LOOK_ALIKES)
