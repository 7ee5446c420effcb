"""Fitting a conversation into a token budget, and saying what was cut.

The user's words carry the verdict, so they go last: first the middle of every other turn is shortened, all to one
length; then turns are left out of the middle of the conversation; and only when the last turn of the user alone is
too long is its own middle cut. Text is cut between grapheme clusters, never inside one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import cast

import regex

from userside.conversations.record import Conversation, Speaker, Turn
from userside.conversations.rendering import DEFAULT_STYLE, RenderStyle, render_turns

CUT_MARK = " […] "


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """A turn whose middle was cut: its index, and how many characters (grapheme clusters) went."""

    turn: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trimmed:
    """A rendered conversation within its budget, and the record of what was cut.

    Attributes:
        text: What to put into the prompt.
        tokens: Its length by the counter given.
        shortened: Turns that lost their middle.
        dropped: Indices of turns that were left out whole.
        fits: False only when the budget is too small for any of it; `text` is then empty.
    """

    text: str
    tokens: int
    shortened: tuple[Shortened, ...] = ()
    dropped: tuple[int, ...] = ()
    fits: bool = True

    @property
    def is_whole(self) -> bool:
        """Tell whether nothing was cut."""
        return self.fits and not self.shortened and not self.dropped


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A way to cut: turns, some shortened, and the places of those that are left out."""

    turns: tuple[Turn, ...]
    shortened: tuple[Shortened, ...] = ()
    left_out: frozenset[int] = frozenset()

    def text(self, style: RenderStyle) -> str:
        runs = groupby(enumerate(self.turns), key=lambda numbered: numbered[0] in self.left_out)
        blocks = [self._block([turn for _, turn in run], is_left_out=out, style=style) for out, run in runs]
        return "\n".join(filter(None, blocks))

    @staticmethod
    def _block(turns: list[Turn], *, is_left_out: bool, style: RenderStyle) -> str:
        return f"[… {len(turns)} turns left out …]" if is_left_out else render_turns(turns, style=style)


def trim(
    conversation: Conversation,
    *,
    budget: int,
    count: Callable[[str], int],
    until: int | None = None,
    style: RenderStyle = DEFAULT_STYLE,
) -> Trimmed:
    """Return the conversation as text of at most `budget` tokens, and what was cut.

    Args:
        conversation: What was said.
        budget: Tokens that the text may have.
        count: Returns the number of tokens of a text; called some 20 times for a conversation that is too long.
        until: As for `render`.
        style: As for `render`.

    Example:
        >>> from userside.conversations import Turn
        >>> asked = Turn(index=0, speaker=Speaker.USER, text="Why?")
        >>> told = Turn(index=1, speaker=Speaker.ASSISTANT, text="Because " * 50)
        >>> long = Conversation(id="a", source="doc", turns=(asked, told))
        >>> print(trim(long, budget=50, count=len).text)
        User: Why?
        Assistant: Because Beca […] use Because
    """
    turns = conversation.turns[:until] if until is not None else conversation.turns
    turns = tuple(turn for turn in turns if style.system or turn.speaker is not Speaker.SYSTEM)

    def fits(draft: _Draft) -> bool:
        return count(draft.text(style)) <= budget

    draft = _fitted(turns, fits=fits)
    if draft is None:
        return Trimmed(text="", tokens=count(""), dropped=tuple(turn.index for turn in turns), fits=False)
    text = draft.text(style)
    dropped = tuple(draft.turns[place].index for place in sorted(draft.left_out))
    kept = tuple(cut for cut in draft.shortened if cut.turn not in dropped)
    return Trimmed(text=text, tokens=count(text), shortened=kept, dropped=dropped)


def _fitted(turns: tuple[Turn, ...], *, fits: Callable[[_Draft], bool]) -> _Draft | None:
    """Return the draft that cuts least and fits: each way to cut is tried only when the one before is not enough."""
    whole = _Draft(turns=turns)
    if fits(whole):
        return whole
    if not turns:
        return None
    others = frozenset(Speaker) - {Speaker.USER}
    longest = max(len(turn.text) for turn in turns)
    clusters = [cast("list[str]", regex.findall(r"\X", turn.text)) for turn in turns]

    def shorten(length: int) -> _Draft:
        return _shorten(turns, clusters=clusters, length=length, speakers=others)

    users = [place for place, turn in enumerate(turns) if turn.speaker is Speaker.USER and turn.text.strip()]
    last = users[-1] if users else len(turns) - 1
    return (
        _most(range(longest), shorten, fits=fits)
        or _most(range(1, len(users)), lambda kept: _leave_out(shorten(0), users=users, kept=kept), fits=fits)
        or _most(range(longest + 1), lambda length: _alone(turns, last, clusters[last], length=length), fits=fits)
    )


def _most(numbers: range, draft_of: Callable[[int], _Draft], *, fits: Callable[[_Draft], bool]) -> _Draft | None:
    """Return the draft of the highest number that fits, by bisection; None when that of the lowest does not."""
    best: _Draft | None = None
    low, high = numbers.start, numbers.stop - 1
    while low <= high:
        middle = (low + high) // 2
        draft = draft_of(middle)
        if fits(draft):
            best, low = draft, middle + 1
        else:
            high = middle - 1
    return best


def _shorten(
    turns: tuple[Turn, ...], *, clusters: list[list[str]], length: int, speakers: frozenset[Speaker]
) -> _Draft:
    pairs = zip(turns, clusters, strict=True)
    cut = [_shortened(turn, held, length=length) if turn.speaker in speakers else (turn, 0) for turn, held in pairs]
    record = tuple(Shortened(turn=turn.index, characters=gone) for turn, gone in cut if gone)
    return _Draft(turns=tuple(turn for turn, _ in cut), shortened=record)


def _leave_out(draft: _Draft, *, users: list[int], kept: int) -> _Draft:
    """Return the draft with so many of the user's turns, half of them at the beginning, and nothing in between."""
    head = kept // 2
    begin = users[head - 1] + 1 if head else 0
    return replace(draft, left_out=frozenset(range(begin, users[len(users) - (kept - head)])))


def _alone(turns: tuple[Turn, ...], place: int, clusters: list[str], *, length: int) -> _Draft:
    turn, gone = _shortened(turns[place], clusters, length=length)
    record = (Shortened(turn=turn.index, characters=gone),) if gone else ()
    others = frozenset(range(len(turns))) - {place}
    return _Draft(turns=(*turns[:place], turn, *turns[place + 1 :]), shortened=record, left_out=others)


def _shortened(turn: Turn, clusters: list[str], *, length: int) -> tuple[Turn, int]:
    """Return the turn with its middle cut to `length` characters, and how many went; short turns stay whole."""
    gone = len(clusters) - length
    if gone <= len(CUT_MARK):
        return turn, 0
    head = (length + 1) // 2
    text = "".join(clusters[:head]) + CUT_MARK + "".join(clusters[len(clusters) - (length - head) :])
    return replace(turn, text=text), gone
