"""Yes and no in the languages judges answer in when they forget which one they were asked in."""

from collections.abc import Mapping

from userside.llm.questions import Choice

_WORDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "en": (("y", "yeah", "yep", "true", "✓", "✔", "✅"), ("n", "nope", "false", "✗", "✘", "❌")),
    "ar": (("نعم",), ("لا", "كلا")),
    "cs": (("ano",), ("ne",)),
    "de": (("ja", "j"), ("nein",)),
    "es": (("sí", "si", "s"), ()),
    "fr": (("oui", "o"), ("non",)),
    "hi": (("हाँ", "हां"), ("नहीं",)),
    "it": (("sì", "si", "s"), ()),
    "ja": (("はい", "ええ", "有", "有り"), ("いいえ", "いえ", "無", "無し", "なし")),
    "ko": (("예", "네"), ("아니요", "아니오", "아뇨")),
    "nl": (("ja", "j"), ("nee",)),
    "pl": (("tak", "t"), ("nie",)),
    "pt": (("sim", "s"), ("não", "nao")),
    "ru": (("да", "д"), ("нет", "н")),
    "sv": (("ja", "j"), ("nej",)),
    "tr": (("evet", "e"), ("hayır", "hayir", "h")),
    "uk": (("так",), ("ні",)),
    "zh": (("是", "是的", "有", "对", "對"), ("否", "不", "不是", "没有", "沒有")),
}

LANGUAGES = tuple(_WORDS)
"""Codes of the languages whose yes and no are known."""


def yes_no(*languages: str) -> Choice:
    """Return the choice between Yes and No, which also takes the words of the declared languages.

    English words are always taken, since that is what is asked for. A language that is not in the table adds nothing.

    >>> yes_no("pt-BR").synonyms["sim"]
    'Yes'
    """
    synonyms: dict[str, str] = {}
    for language in ("en", *languages):
        yes, no = _WORDS.get(language.split("-")[0].split("_")[0].casefold(), ((), ()))
        synonyms |= dict.fromkeys(yes, "Yes") | dict.fromkeys(no, "No")
    return Choice(options=("Yes", "No"), synonyms=synonyms)
