"""Signals from how users write, in any language: length, marks, repetition."""

from collections import Counter
from statistics import fmean, median

import regex

from userside.rubrics.signals.definition import Measure, Signal, SignalKind
from userside.rubrics.signals.lexicon import Cue
from userside.rubrics.signals.reading import UserText
from userside.rubrics.signals.words import count_emoji, count_scripts, count_shouted

_EXCLAMATIONS = regex.compile("[!！]")
_QUESTIONS = regex.compile("[?？؟]")
_INSISTS = regex.compile("[!！?？؟]{2,}|[.。]{3,}|…")
_FEW_WORDS = 2
_ALIKE = 0.5
"""From this likeness on a turn counts as repeated."""


def _presence(name: str, explanation: str, measure: Measure) -> Signal:
    return Signal(name=name, explanation=explanation, kind=SignalKind.PRESENCE, measure=measure)


def _amount(name: str, explanation: str, measure: Measure) -> Signal:
    return Signal(name=name, explanation=explanation, kind=SignalKind.AMOUNT, measure=measure)


def _per_turn(pattern: regex.Pattern[str]) -> Measure:
    def measure(text: UserText) -> float | None:
        return fmean(len(pattern.findall(turn)) for turn in text.turns) if text.turns else None

    return measure


def _emoji(feeling: str) -> Measure:
    def measure(text: UserText) -> float | None:
        return float(sum(count_emoji(turn, feeling=feeling) for turn in text.turns)) if text.turns else None

    return measure


def _asking_turns(text: UserText) -> list[bool]:
    """Return which turns ask: by a question mark, or where the language is known by how a clause begins."""
    opens = text.cues.get(Cue.ASKS) or (0,) * len(text.turns)
    return [bool(count or _QUESTIONS.search(turn)) for turn, count in zip(text.turns, opens, strict=True)]


def _questions(text: UserText) -> float | None:
    return fmean(_asking_turns(text)) if text.turns else None


def _follow_ups(text: UserText) -> float | None:
    return float(sum(_asking_turns(text)[1:])) if text.turns else None


def _shouting(text: UserText) -> float | None:
    words = sum(text.words)
    return sum(map(count_shouted, text.turns)) / words if words else None


def _language_mix(text: UserText) -> float | None:
    scripts = sum(map(count_scripts, text.turns), Counter[str]())
    return 1 - max(scripts.values()) / scripts.total() if scripts.total() else None


def _user_turns(text: UserText) -> float:
    return float(len(text.turns))


def _words(text: UserText) -> float | None:
    return sum(text.words) if text.words else None


def _words_a_turn(text: UserText) -> float | None:
    return median(text.words) if text.words else None


def _first_words(text: UserText) -> float | None:
    return text.words[0] if text.words else None


def _short_answers(text: UserText) -> float | None:
    return fmean(words <= _FEW_WORDS for words in text.words) if text.words else None


def _repetition(text: UserText) -> float | None:
    return fmean(text.likeness) if text.likeness else None


def _repeats(text: UserText) -> float | None:
    return fmean(likeness >= _ALIKE for likeness in text.likeness) if text.likeness else None


FORM_SIGNALS = (
    _presence("questions", "Share of user turns that ask something.", _questions),
    _presence("follow_ups", "Number of user turns after the first that ask something.", _follow_ups),
    _presence("exclamations", "Exclamation marks a user turn.", _per_turn(_EXCLAMATIONS)),
    _presence("piled_marks", "Marks such as ?!, !! or ... a user turn.", _per_turn(_INSISTS)),
    _presence("capitals", "Share of words in capitals.", _shouting),
    _presence("glad_emoji", "Number of glad emoji and emoticons.", _emoji("glad")),
    _presence("sad_emoji", "Number of sad or angry emoji and emoticons.", _emoji("sad")),
    _presence("repeats_itself", "Share of user turns that nearly repeat an earlier one.", _repeats),
    _presence("language_mix", "Share of letters in another script than the user's main one.", _language_mix),
    _amount("repetition", "How alike user turns are to earlier ones, from 0 to 1.", _repetition),
    _amount("short_answers", "Share of user turns of one or two words.", _short_answers),
    _amount("user_turns", "Number of user turns.", _user_turns),
    _amount("words", "Number of words of the user.", _words),
    _amount("words_a_turn", "Median number of words of a user turn.", _words_a_turn),
    _amount("first_words", "Number of words of the first user turn.", _first_words),
)
