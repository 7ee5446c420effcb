"""Signals from what users say. All need a word table; in a language without one they are missing, never 0."""

from statistics import fmean

from userside.rubrics.signals.definition import Measure, Signal, SignalKind
from userside.rubrics.signals.lexicon import Cue
from userside.rubrics.signals.reading import UserText

_PER = 100
"""Negation is counted in so many words."""


def _presence(name: str, explanation: str, measure: Measure) -> Signal:
    return Signal(
        name=name, explanation=explanation, kind=SignalKind.PRESENCE, measure=measure, missing="no word table"
    )


def _total(cue: Cue) -> Measure:
    """Return a measure: how often the user says it, in all."""

    def measure(text: UserText) -> float | None:
        counts = text.cues.get(cue)
        return float(sum(counts)) if counts else None

    return measure


def _share(cue: Cue) -> Measure:
    """Return a measure: the share of user turns that say it."""

    def measure(text: UserText) -> float | None:
        counts = text.cues.get(cue)
        return sum(count > 0 for count in counts) / len(counts) if counts else None

    return measure


def _at_end(*cues: Cue) -> Measure:
    """Return a measure: 1 when the user's last turn says any of it, else 0."""

    def measure(text: UserText) -> float | None:
        counts = [text.cues.get(cue) for cue in cues]
        known = [count for count in counts if count]
        return float(any(count[-1] for count in known)) if len(known) == len(cues) else None

    return measure


def _density(cue: Cue) -> Measure:
    """Return a measure: how often the user says it in a hundred words."""

    def measure(text: UserText) -> float | None:
        counts, words = text.cues.get(cue), sum(text.words)
        return _PER * sum(counts) / words if counts and words else None

    return measure


def _turns_with(text: UserText, *cues: Cue) -> list[bool] | None:
    """Return which turns say any of it, None where the table lacks one of them or there are no turns."""
    known = [counts for cue in cues if (counts := text.cues.get(cue))]
    return [any(turn) for turn in zip(*known, strict=True)] if len(known) == len(cues) else None


def _warmth(text: UserText) -> float | None:
    turns = _turns_with(text, Cue.THANKS, Cue.PRAISE)
    return None if turns is None else float(sum(turns))


def _refuses(text: UserText) -> float | None:
    """Return the share of turns that open with a no; a "No, thank you, that is all" refuses nothing."""
    refusing, content = _turns_with(text, Cue.REFUSES), _turns_with(text, Cue.THANKS, Cue.GOODBYE)
    if refusing is None or content is None:
        return None
    return fmean(no and not yes for no, yes in zip(refusing, content, strict=True))


LEXICAL_SIGNALS = (
    _presence("thanks", "How often the user says thanks.", _total(Cue.THANKS)),
    _presence("thanks_at_end", "Whether the user's last turn says thanks.", _at_end(Cue.THANKS)),
    _presence("praise", "How often the user says that something is good.", _total(Cue.PRAISE)),
    _presence("praise_at_end", "Whether the user's last turn says that something is good.", _at_end(Cue.PRAISE)),
    _presence("thanks_or_praise", "Number of user turns that thank or praise.", _warmth),
    _presence("goodbye_at_end", "Whether the user's last turn says goodbye or that this is all.", _at_end(Cue.GOODBYE)),
    _presence("polite_words", "Share of user turns with a please, a sorry or a 'could you'.", _share(Cue.POLITE)),
    _presence("opens_with_yes", "Share of user turns that open with agreement.", _share(Cue.ACCEPTS)),
    _presence("opens_with_no", "Share of user turns that open with a no, but for a 'no, thanks'.", _refuses),
    _presence("negation", "Negations in 100 words of the user.", _density(Cue.NEGATION)),
    _presence("complaint", "Share of user turns that complain or find fault.", _share(Cue.COMPLAINT)),
    _presence("correction", "Share of user turns that put the assistant right.", _share(Cue.CORRECTION)),
    _presence("asks_for_other", "Share of user turns that turn to something else instead.", _share(Cue.ALTERNATIVES)),
    _presence("asks_for_human", "Share of user turns that ask for a person.", _share(Cue.HUMAN)),
    _presence("gives_up", "Share of user turns that drop what was wanted.", _share(Cue.GIVES_UP)),
)
