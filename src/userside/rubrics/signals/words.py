"""Words, letters and emoji of a text in any script."""

import tomllib
from collections import Counter
from functools import cache
from importlib import resources

import regex

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(rf"(?V1)[\w--[{_UNSPACED}]]+(?:['’.@-][\w--[{_UNSPACED}]]+)*")
_HALF_WORD = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_QUARTER_WORD = regex.compile(r"(?V1)[[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]&&\p{L}]")
_LETTER = regex.compile(
    r"(?V1)(?P<latin>[\p{Latin}&&\p{L}])|(?P<east_asian>[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])|(?P<cyrillic>\p{Cyrillic})"
    r"|(?P<arabic>[\p{Arabic}&&\p{L}])|(?P<devanagari>[\p{Devanagari}&&\p{L}])|(?P<other>\p{L})"
)
_CAPITALS = regex.compile(r"(?<!\w)\p{Lu}{3,}(?!\w)")


def count_words(text: str) -> float:
    """Return how many words a text has, or what corresponds to them.

    Where a script puts no spaces between words, two Chinese or Japanese characters count as one word, and four letters
    of Thai, Lao, Khmer or Burmese, so that lengths can be held against one another.

    >>> count_words("I don't know, e.g. 3.5"), count_words("谢谢你们"), count_words("我要 pizza")
    (5.0, 2.0, 2.0)
    """
    words = float(len(_WORD.findall(text)))
    if text.isascii():
        return words
    return words + len(_HALF_WORD.findall(text)) / 2 + len(_QUARTER_WORD.findall(text)) / 4


def count_shouted(text: str) -> int:
    """Return how many words of three letters or more are all capitals; always 0 in scripts without them.

    >>> count_shouted("NOT the URL, I said WHY")
    3
    """
    return len(_CAPITALS.findall(text))


def count_scripts(text: str) -> Counter[str]:
    """Return how many letters belong to each script; Chinese, Japanese and Korean count as one.

    >>> count_scripts("Москва is 大きい")
    Counter({'cyrillic': 6, 'east_asian': 3, 'latin': 2})
    """
    if text.isascii():
        return Counter({"latin": sum(map(str.isalpha, text))})
    return Counter(str(letter.lastgroup) for letter in _LETTER.finditer(text))


def count_emoji(text: str, *, feeling: str) -> int:
    """Return how many emoji and emoticons of a feeling, `glad` or `sad`, a text has.

    >>> count_emoji("great 👍🏽 :) see http://a.b", feeling="glad"), count_emoji("http://a.b :/", feeling="sad")
    (2, 1)
    """
    return len(_emoji(feeling).findall(text))


@cache
def _emoji(feeling: str) -> regex.Pattern[str]:
    table = tomllib.loads((resources.files("userside.rubrics.signals") / "emoji.toml").read_text("utf-8"))
    pictures, faces = table[feeling].split(), table[f"{feeling}_faces"]
    return regex.compile(r"\L<pictures>|(?<![\w:/])\L<faces>(?![\w/])", pictures=pictures, faces=faces)
