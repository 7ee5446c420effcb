"""Which word table fits a conversation: the declared language's, English where that is plain, else none."""

from collections import Counter
from collections.abc import Iterable

import regex

from userside.conversations import Conversation
from userside.rubrics.signals.lexicon import Lexicon, language_codes, normalise, read_lexicon
from userside.rubrics.signals.words import count_scripts

_SAMPLE = 2000
"""Characters that are looked at to recognise English."""
_MOSTLY = 0.9
_COMMON_SHARE = 0.2
_COMMON_WORDS = 2
_WORD = regex.compile(r"[\w']+")


def find_lexicon(texts: Iterable[str], *, declared: str | None) -> Lexicon | None:
    """Return the word table for texts, or None where their language is unknown or has none.

    A declared language is believed: a code with or without region (`en`, `pt-BR`, `zh_Hant`) or a name (`English`).
    Undeclared text is taken for English when nine letters in ten are Latin and at least two of its words, and one in
    five, are among the commonest English ones. Other languages are not guessed: a wrong table would be a wrong answer.

    >>> find_lexicon(["Where is the station?"], declared=None).language
    'en'
    >>> find_lexicon(["Wo ist der Bahnhof?"], declared=None)
    """
    if declared and declared.strip():
        return _declared_lexicon(declared)
    english = read_lexicon("en")
    return english if _reads_as(english, text=" ".join(texts)[:_SAMPLE]) else None


def lexicon_language(conversation: Conversation) -> str | None:
    """Return the code of the language whose word table a conversation is read with, None for none."""
    lexicon = find_lexicon((turn.text for turn in conversation.user_turns), declared=conversation.language)
    return lexicon.language if lexicon else None


def _declared_lexicon(declared: str) -> Lexicon | None:
    name = declared.strip().lower()
    code = language_codes().get(name) or language_codes().get(regex.split(r"[-_ (]", name)[0])
    return read_lexicon(code) if code else None


def _reads_as(lexicon: Lexicon, *, text: str) -> bool:
    scripts = count_scripts(text)
    if scripts["latin"] < _MOSTLY * max(1, scripts.total()):
        return False
    words = Counter(_WORD.findall(normalise(text)))
    common = sum(count for word, count in words.items() if word in lexicon.common)
    return common >= max(_COMMON_WORDS, _COMMON_SHARE * words.total())
