"""Finding the turn that a judge quotes."""

import unicodedata
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
_GAP = regex.compile(r"\[\.{3,}\]|\(\.{3,}\)|\.{3,}")
_CAPTION = regex.compile(r"(?:\[\d+\] ?)?(?:user|human|customer|participant|assistant) ?: ?|\[\d+\] ?")
_AROUND = "\"' \t"


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
    position = 0
    for piece in pieces:
        edge = (r"(?<!\w)", r"(?!\w)") if whole_words else ("", "")
        found = regex.search(edge[0] + regex.escape(piece) + edge[1], text, pos=position)
        if found is None:
            return False
        position = found.end()
    return True


def _fold(text: str) -> str:
    visible = _UNSEEN.sub("", text)
    plain = unicodedata.normalize("NFKC", visible.translate(_LOOK_ALIKES)).casefold().translate(_LOOK_ALIKES)
    return _SPACE.sub(" ", plain).strip()
