"""One value: what a word, a number or a cell of text says in answer to a choice, a number or a text."""

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, assert_never

from userside.llm.formats import range_of
from userside.llm.questions import Choice, Number, Text
from userside.llm.verdicts import Elicited, Reason, Scored, Unscored, Verdict

_MARKUP = " \t\r\n*_`~\"'“”‘’«»„「」『』<>"
_ENDING = ".,;:!?。、！？：；"
_BRACKETS = "()[]{}（）【】"
_NUMBER = re.compile(
    r"(?P<sign>[-+−–—]?)\s?(?P<digits>\d{1,15})(?:(?P<point>[.,])(?P<decimals>\d{1,6}))?"
    r"(?:\s*(?:/|out of|of)\s*(?P<top>\d{1,15}))?(?:\s*(?:points?|pts?|点|分))?",
    re.IGNORECASE,
)
_NOTHING = {
    "",
    "-",
    "–",
    "—",
    "n/a",
    "na",
    "none",
    "null",
    "nil",
    "nothing",
    "no quote",
    "no evidence",
    "not applicable",
}
_SHOWN = 80
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Several:
    """The values that one name was given more than once in one object."""

    values: tuple[Any, ...]


def folded(text: str) -> str:
    """Return a word as it is compared: without markup, case, width or closing punctuation.

    >>> folded("**Yes.**"), folded("(y)"), folded("N/A")
    ('yes', 'y', 'n/a')
    """
    return unicodedata.normalize("NFKC", text).strip(_MARKUP + _ENDING + _BRACKETS).casefold()


def shown(value: object) -> str:
    """Return a value as it is quoted in a detail: short, whatever it is."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # integers of more digits than Python prints
        return f"<{type(value).__name__}>"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def read_value(question: Choice | Number | Text, value: object, *, how: Elicited) -> Verdict[Any]:
    """Return what a JSON value or a cell of text says; nothing is rounded, clamped or guessed."""
    if isinstance(value, Several):
        return Unscored(reason=Reason.CONTRADICTION, detail=f"answered more than once: {shown(value.values)}")
    if value is None:
        return Unscored(reason=Reason.MISSING)
    match question:
        case Choice():
            return _read_choice(question, value, how=how)
        case Number():
            return _read_number(question, value, how=how)
        case Text():
            return _read_text(question, value, how=how)
        case _:
            assert_never(question)


def option_of(question: Choice, word: str) -> str | None:
    """Return the option that a word stands for, None when it stands for none.

    >>> option_of(Choice(options=("Yes", "No"), synonyms={"да": "Yes"}), "Да.")
    'Yes'
    """
    wanted = folded(word)
    for option in question.options:
        if folded(option) == wanted:
            return option
    for synonym, option in question.synonyms.items():
        if folded(synonym) == wanted:
            return option
    return None


def _read_choice(question: Choice, value: object, *, how: Elicited) -> Verdict[str]:
    word = value if isinstance(value, str) else str(value) if isinstance(value, bool) else ""
    if (option := option_of(question, word)) is not None:
        return Scored(value=option, elicited=how)
    return _unreadable(value, wanted=range_of(question))


def _read_number(question: Number, value: object, *, how: Elicited) -> Verdict[float]:
    number = _number_in(value, high=question.high) if isinstance(value, str) else value
    wanted = range_of(question)
    if isinstance(number, bool) or not isinstance(number, int | float):
        return _unreadable(value, wanted=wanted)
    if not question.low <= number <= question.high:
        return Unscored(reason=Reason.OUT_OF_RANGE, detail=f"wanted {wanted}, not {shown(value)}")
    if question.whole and number != math.floor(number):
        return _unreadable(value, wanted=wanted)
    return Scored(value=int(number) if question.whole else float(number), elicited=how)


def _number_in(text: str, *, high: float) -> float | None:
    bare = unicodedata.normalize("NFKC", text).strip(_MARKUP + _BRACKETS).rstrip(_ENDING + _MARKUP)
    found = _NUMBER.fullmatch(bare)
    if found is None or (found["top"] and int(found["top"]) != high):
        return None
    if found["point"] == "," and len(found["decimals"]) == 3:  # noqa: PLR2004 - thousands or thousandths, nobody knows
        return None
    number = float(f"{found['digits']}.{found['decimals'] or 0}")
    return -number if found["sign"] in {"-", "−", "–", "—"} else number


def _read_text(question: Text, value: object, *, how: Elicited) -> Verdict[str]:
    if not isinstance(value, str):
        return _unreadable(value, wanted="text")
    text = unquoted(_LONE_SURROGATE.sub("\ufffd", value))
    if not text or (question.optional and folded(text) in _NOTHING):
        return Unscored(reason=Reason.MISSING)
    if text.strip("<>") == range_of(question):
        return Unscored(reason=Reason.ECHO)
    return Scored(value=text[: question.max_chars], elicited=how)


def unquoted(text: str) -> str:
    """Return text without the one pair of quotation marks around all of it."""
    text = text.strip()
    if len(text) > 1 and text[0] + text[-1] in {'""', "''", "``", "“”", "‘’", "«»", "„“", "「」"}:
        return text[1:-1].strip()
    return text


def _unreadable(value: object, *, wanted: str) -> Unscored:
    if isinstance(value, str) and not value.strip():
        return Unscored(reason=Reason.MISSING)
    return Unscored(reason=Reason.UNREADABLE, detail=f"wanted {wanted}, not {shown(value)}")
