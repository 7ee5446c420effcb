"""How much user turns repeat earlier ones, by the characters they share."""

from collections.abc import Sequence

import regex

LONGEST_COMPARED = 2000
"""How many characters of a turn are compared; a longer turn is compared by its beginning."""
LOOKED_BACK = 20
"""With how many earlier turns a turn is compared at most, so that long conversations do not take their square."""
LEAST_TRIGRAMS = 10
"""Turns with fewer (a "yes, please") say the same without repeating themselves, and are not compared."""
_WORDS = regex.compile(r"\w+")


def likeness_to_earlier(turns: Sequence[str]) -> tuple[float, ...]:
    """Return for each turn from the second on how alike it is to the earlier turn it is most like, from 0 to 1.

    Turns too short to repeat anything are left out on both sides. The likeness of two turns is the share of their runs
    of three characters that both have (Jaccard), case and punctuation apart.

    >>> likeness_to_earlier(["Where is my parcel?", "ok", "WHERE is my parcel??"])
    (1.0,)
    """
    compared = [grams for turn in turns if len(grams := trigrams(turn)) >= LEAST_TRIGRAMS]
    return tuple(
        max(_overlap(grams, earlier) for earlier in compared[max(0, place - LOOKED_BACK) : place])
        for place, grams in enumerate(compared)
        if place
    )


def trigrams(text: str) -> frozenset[str]:
    """Return the runs of three characters in the beginning of a text, without case and punctuation.

    >>> sorted(trigrams("A bee!"))
    [' be', 'a b', 'bee']
    """
    plain = " ".join(_WORDS.findall(text[:LONGEST_COMPARED].lower()))
    return frozenset(map("".join, zip(plain, plain[1:], plain[2:], strict=False)))


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared)
