"""Word tables: how users thank, praise, complain and correct. One file a language."""

import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

import regex

_TABLES = resources.files("userside.rubrics.signals") / "tables"
_UNWRITTEN = regex.compile(r"[,，、،\u0300-\u036f\u0640\u064b-\u065f\u0670\u093c]")
"""What is written or left out at will: commas, accents, Arabic vowel marks, hamza and stretching, the Hindi nukta."""


class Cue(StrEnum):
    """What an expression shows when a user says it; the keys of a word table."""

    THANKS = "thanks"
    PRAISE = "praise"
    POLITE = "polite"
    NEGATION = "negation"
    COMPLAINT = "complaint"
    CORRECTION = "correction"
    ALTERNATIVES = "alternatives"
    ACCEPTS = "accepts"
    REFUSES = "refuses"
    ASKS = "asks"
    HUMAN = "human"
    GIVES_UP = "gives_up"
    GOODBYE = "goodbye"


_BEGINNINGS = {
    Cue.ACCEPTS: r"\A\W{0,9}",
    Cue.REFUSES: r"\A\W{0,9}",
    Cue.ASKS: r"(?:\A|[.!?;:…。؟]) ?[^\w ]{0,3}",
}
"""Where a cue counts that means something at the beginning only: of a turn, or of a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The word table of one language, compiled.

    Attributes:
        language: Its ISO 639-1 code.
        patterns: A pattern for each cue in the table. What a table lacks is unknown, not unsaid.
        common: Frequent words of this language; empty where it is never guessed.
    """

    language: str
    patterns: Mapping[Cue, regex.Pattern[str]]
    common: frozenset[str]


def lexicon_languages() -> tuple[str, ...]:
    """Return the codes of the languages with a word table, sorted.

    >>> lexicon_languages()
    ('ar', 'de', 'en', 'es', 'fr', 'hi', 'it', 'ja', 'nl', 'pt', 'ru', 'zh')
    """
    return tuple(sorted(path.name.removesuffix(".toml") for path in _TABLES.iterdir() if path.name.endswith(".toml")))


@cache
def read_lexicon(language: str) -> Lexicon:
    """Return the word table of one of the `lexicon_languages`."""
    table = _read_table(language)
    return Lexicon(
        language=language,
        patterns={cue: _pattern(cue, phrases=table[cue], spaced=table["spaced"]) for cue in Cue if cue in table},
        common=frozenset(table.get("common", ())),
    )


@cache
def language_codes() -> Mapping[str, str]:
    """Return the code of each language with a word table, by code and by what the language is called."""
    tables = {language: _read_table(language) for language in lexicon_languages()}
    return {name: language for language, table in tables.items() for name in (language, *table["names"])}


def _read_table(language: str) -> dict[str, Any]:
    return tomllib.loads((_TABLES / f"{language}.toml").read_text("utf-8"))


def normalise(text: str) -> str:
    r"""Return text as the tables spell it: lower case, straight apostrophes, single spaces, no commas or accents.

    >>> normalise("No, that’s  NOT\nit, señor")
    "no that's not it senor"
    """
    lower = text.lower().replace("’", "'")
    decomposed = lower if lower.isascii() else unicodedata.normalize("NFKD", lower)
    return unicodedata.normalize("NFC", " ".join(_UNWRITTEN.sub("", decomposed).split()))


def _pattern(cue: Cue, *, phrases: Iterable[str], spaced: bool) -> regex.Pattern[str]:
    written = {normalise(phrase) for phrase in phrases}
    stems = {phrase.removesuffix("*") for phrase in written if phrase.endswith("*")}
    whole = {phrase for phrase in written if not phrase.endswith("*")}
    return _spaced(cue, whole=whole, stems=stems) if spaced else _unspaced(cue, phrases=whole)


def _spaced(cue: Cue, *, whole: set[str], stems: set[str]) -> regex.Pattern[str]:
    """Return a pattern of whole words, and of words with a stem."""
    before = _BEGINNINGS.get(cue, r"(?<!\w)")
    if not stems:
        return regex.compile(rf"{before}\L<whole>(?!\w)", whole=sorted(whole))
    return regex.compile(rf"{before}(?:\L<whole>(?!\w)|\L<stems>\w*)", whole=sorted(whole), stems=sorted(stems))


def _unspaced(cue: Cue, *, phrases: set[str]) -> regex.Pattern[str]:
    """Return a pattern of runs of characters; a single character counts only where no further one follows it."""
    before = "" if cue is Cue.ASKS else _BEGINNINGS.get(cue, "")  # question words stand anywhere in these languages
    single = sorted(phrase for phrase in phrases if len(phrase) == 1) or [" "]
    runs = sorted(phrase for phrase in phrases if len(phrase) > 1)
    return regex.compile(rf"{before}(?:\L<runs>|\L<single>(?!\w))", runs=runs, single=single)
