"""A first look at conversations, without a model: what is there, and what can be counted in what users wrote."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from statistics import fmean, quantiles
from typing import Any

from userside.conversations import Conversation, LabelCounts, count_labels, label_sources, scoreable
from userside.rubrics.look_labels import LabelComparison, compare_by_label
from userside.rubrics.signals import SIGNALS, Signal, SignalKind, Signals, extract_signals, lexicon_language
from userside.statistics import Rate, rate_of

UNKNOWN = "not stated"
NOT_SCOREABLE = "no user text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A column of numbers in short: how many, their median, and the quartiles around it."""

    n: int
    low: float
    median: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingCounts:
    """The ratings on one scale.

    Attributes:
        of: `conversation`, or `turn` for ratings recorded beside one turn.
        scale: Lowest and highest rating, None where it is not declared.
        ratings: How many there are; one conversation can have several.
        conversations: How many conversations have any.
        mean: Their plain mean.
    """

    of: str
    scale: tuple[float, float] | None
    ratings: int
    conversations: int
    mean: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalSeen:
    """What conversations show of one signal: a share for what is present or not, a spread for amounts.

    Attributes:
        name: The signal.
        explanation: One line on what it counts.
        rate: The share of conversations with any of it; those where it cannot be known are excluded, by reason.
        spread: The spread of the amounts; None where there are none, and for shares.
    """

    name: str
    explanation: str
    rate: Rate | None = None
    spread: Spread | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is in a set of conversations.

    Attributes:
        conversations: How many there are.
        scoreability: How many can be scored, and how many not, by reason.
        user_turns: User turns of the conversations with user text.
        user_words: Words of those users.
        languages: Conversations by declared language; so for `platforms` and `sources`.
        word_tables: Conversations by the language of the word table they are read with.
        started: The first and the last date; None where there is none.
        undated: How many conversations have no date.
        labels: Labels of whole conversations, by source.
        ratings: Ratings, by what they rate and on which scale.
        thumbs: Thumbs, up and down.
        signals: Every signal, in the order of `SIGNALS`.
        by_label: Signals of satisfied against dissatisfied users; None where no one source of labels was chosen.
        no_comparison: Why there is none.
    """

    conversations: int
    scoreability: Mapping[str, int]
    user_turns: Spread | None
    user_words: Spread | None
    languages: Mapping[str, int]
    platforms: Mapping[str, int]
    sources: Mapping[str, int]
    word_tables: Mapping[str, int]
    started: tuple[datetime, datetime] | None
    undated: int
    labels: tuple[LabelCounts, ...]
    ratings: tuple[RatingCounts, ...]
    thumbs: Mapping[str, int]
    signals: tuple[SignalSeen, ...]
    by_label: LabelComparison | None
    no_comparison: str | None

    def as_json(self) -> dict[str, Any]:
        """Return the look as plain values for `json.dumps`; dates in ISO 8601, rates with their counts."""
        plain = asdict(self)
        plain["started"] = [date.isoformat() for date in self.started] if self.started else None
        return plain


def look_at(conversations: Iterable[Conversation], *, labels: str | None = None) -> Look:
    """Return what is in conversations, in seconds and without a model.

    Args:
        conversations: Any, also without labels or turns.
        labels: Name of the labels to hold signals against; None takes the only ones there are, if so.

    Raises:
        LabelError: There are no labels of that name.
    """
    conversations = tuple(conversations)
    signals = [extract_signals(conversation) for conversation in conversations]
    status = [scoreable(conversation) for conversation in conversations]
    spoken = [row for row, scored in zip(signals, status, strict=True) if scored]
    by_label, no_comparison = _by_label(conversations, signals=signals, labels=labels)
    dates = [conversation.started_at for conversation in conversations if conversation.started_at]
    return Look(
        conversations=len(conversations),
        scoreability=_tally(state.value for state in status),
        user_turns=_spread(row["user_turns"] for row in spoken),
        user_words=_spread(row["words"] for row in spoken),
        languages=_tally(conversation.language or UNKNOWN for conversation in conversations),
        platforms=_tally(conversation.platform or UNKNOWN for conversation in conversations),
        sources=_tally(conversation.source for conversation in conversations),
        word_tables=_tally(_word_table(one) for one, scored in zip(conversations, status, strict=True) if scored),
        started=(min(dates, key=datetime.timestamp), max(dates, key=datetime.timestamp)) if dates else None,
        undated=len(conversations) - len(dates),
        labels=tuple(count_labels(conversations, name=source) for source in label_sources(conversations)),
        ratings=_ratings(conversations),
        thumbs=_tally(entry.thumb.value for one in conversations for entry in one.feedback if entry.thumb),
        signals=tuple(_seen(signal, rows=spoken, unscoreable=len(signals) - len(spoken)) for signal in SIGNALS),
        by_label=by_label,
        no_comparison=no_comparison,
    )


def _by_label(
    conversations: Sequence[Conversation], *, signals: Sequence[Signals], labels: str | None
) -> tuple[LabelComparison | None, str | None]:
    sources = label_sources(conversations)
    if labels is None and not sources:
        return None, "no conversation carries a label of the whole; ratings become labels with `import --labels`"
    if labels is None and len(sources) > 1:
        return None, f"there are several kinds of labels ({', '.join(sources)}); name one with --labels"
    return compare_by_label(conversations, signals=signals, labels=labels), None


def _word_table(conversation: Conversation) -> str:
    return lexicon_language(conversation) or ("none for its language" if conversation.language else "language unknown")


def _seen(signal: Signal, *, rows: Sequence[Signals], unscoreable: int) -> SignalSeen:
    known = [value for row in rows if (value := row[signal.name]) is not None]
    if signal.kind is SignalKind.AMOUNT:
        return SignalSeen(name=signal.name, explanation=signal.explanation, spread=_spread(known))
    left_out = {NOT_SCOREABLE: unscoreable, signal.missing: len(rows) - len(known)}
    rate = rate_of(
        sum(value > 0 for value in known),
        denominator=len(known),
        excluded={reason: count for reason, count in left_out.items() if count},
    )
    return SignalSeen(name=signal.name, explanation=signal.explanation, rate=rate)


def _ratings(conversations: Iterable[Conversation]) -> tuple[RatingCounts, ...]:
    rated: dict[tuple[str, tuple[float, float] | None], list[tuple[str, float]]] = {}
    for conversation in conversations:
        for entry in conversation.feedback:
            if entry.rating is not None:
                of = "conversation" if entry.turn is None else "turn"
                rated.setdefault((of, entry.scale), []).append((conversation.id, entry.rating))
    return tuple(
        RatingCounts(
            of=of,
            scale=scale,
            ratings=len(entries),
            conversations=len({id_ for id_, _ in entries}),
            mean=fmean(rating for _, rating in entries),
        )
        for (of, scale), entries in sorted(rated.items(), key=lambda item: (item[0][0], item[0][1] or ()))
    )


def _spread(values: Iterable[float | None]) -> Spread | None:
    known = [value for value in values if value is not None]
    if not known:
        return None
    low, median, high = quantiles(known, n=4, method="inclusive") if len(known) > 1 else known * 3
    return Spread(n=len(known), low=low, median=median, high=high)


def _tally(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())
