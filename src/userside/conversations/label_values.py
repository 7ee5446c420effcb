"""Labels, thumbs and ratings as people and platforms write them."""

import math
import unicodedata

import regex

from userside.conversations.record import Label, Thumb

type Scale = tuple[float, float]

_SATISFIED = (
    "satisfied like liked good positive pos yes happy sat success successful solved resolved true great helpful"
)
_DISSATISFIED = (
    "dissatisfied unsatisfied dislike disliked bad negative neg no unhappy dsat failure failed unsolved "
    "unresolved false poor unhelpful"
)
_NEUTRAL = "neutral mixed partly partial partially ok okay so-so unsure"
_WORDS = {
    **dict.fromkeys(_SATISFIED.split(), Label.SATISFIED),
    **dict.fromkeys(_DISSATISFIED.split(), Label.DISSATISFIED),
    **dict.fromkeys(_NEUTRAL.split(), Label.NEUTRAL),
}
_UP = frozenset({"👍", "up", "like", "liked", "thumbs up", "thumb up", "upvote", "+1", "1", "positive", "good", "true"})
_DOWN = frozenset(
    {"👎", "down", "dislike", "disliked", "thumbs down", "thumb down", "downvote", "-1", "negative", "bad", "false"}
)
_OF = regex.compile(r"(?P<rating>[+-]?\d+(?:[.,]\d+)?)\s*(?:/|of|out of)\s*(?P<high>\d+)")
_DEGREE = regex.compile(r"(?:very|rather|somewhat|mostly|fairly|extremely|completely) +")
_SKIN = regex.compile(r"[\U0001F3FB-\U0001F3FF\uFE0F]")


def read_label(value: object, *, scale: Scale | None = None) -> Label | None:
    """Return the label that a value means, or None when it means none.

    Words (`like`, `resolved`, `neutral`), thumbs and booleans mean what they say. A number means a label only where
    its scale is known, since 1 is the best of (-1, 1) and the worst of (1, 5): above the midpoint is satisfied,
    below it dissatisfied, on it neutral.

    Example:
        >>> [str(read_label(value, scale=(1, 5))) for value in ("like", "👎🏽", "5 ", 4.5, 3, None)]
        ['satisfied', 'dissatisfied', 'satisfied', 'satisfied', 'neutral', 'None']
        >>> str(read_label(-1, scale=(-1, 1))), read_label(1)
        ('dissatisfied', None)
    """
    if isinstance(value, bool):
        return Label.SATISFIED if value else Label.DISSATISFIED
    rating = read_rating(value)
    if rating is not None:
        return label_of_rating(rating, scale=scale) if scale is not None else None
    word = _DEGREE.sub("", _folded(value))
    if word in _WORDS:
        return _WORDS[word]
    thumb = read_thumb(value)
    return label_of_thumb(thumb) if thumb is not None else None


def read_thumb(value: object) -> Thumb | None:
    """Return the thumb that a value means, or None when it means none.

    Example:
        >>> [str(read_thumb(value)) for value in ("👍🏿", "Thumbs-Down", "dislike", -1, "maybe")]
        ['up', 'down', 'down', 'down', 'None']
    """
    word = _folded(value).replace("_", " ").replace("-", " ") if not _is_signed(value) else _folded(value)
    if word in _UP:
        return Thumb.UP
    return Thumb.DOWN if word in _DOWN else None


def read_rating(value: object) -> float | None:
    """Return the finite number that a value means, or None; `4,5` is 4.5, and `4/5` is 4.

    Example:
        >>> [read_rating(value) for value in ("5 ", "4,5", "4/5", "four", float("nan"))]
        [5.0, 4.5, 4.0, None, None]
    """
    if isinstance(value, bool) or value is None:
        return None
    text = unicodedata.normalize("NFKC", str(value)).strip()
    matched = _OF.fullmatch(text)
    try:
        number = float((matched["rating"] if matched else text).replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def read_scale(value: object) -> Scale | None:
    """Return the scale that a value such as `4/5` states: from 1 to the number behind the stroke."""
    matched = _OF.fullmatch(str(value).strip())
    return (1.0, float(matched["high"])) if matched and float(matched["high"]) > 1 else None


def label_of_rating(rating: float, *, scale: Scale, dead_zone: float = 0.0) -> Label:
    """Return the label of a rating: which side of the scale's midpoint it lies on.

    Args:
        rating: On `scale`; an aggregate of several may lie between its steps.
        scale: Lowest and highest value.
        dead_zone: Up to this distance from the midpoint (inclusive) a rating is neutral.
    """
    distance = rating - (scale[0] + scale[1]) / 2
    if abs(distance) <= dead_zone:
        return Label.NEUTRAL
    return Label.SATISFIED if distance > 0 else Label.DISSATISFIED


def label_of_thumb(thumb: Thumb) -> Label:
    """Return the label that a click on a thumb stands for."""
    return Label.SATISFIED if thumb is Thumb.UP else Label.DISSATISFIED


def _folded(value: object) -> str:
    return _SKIN.sub("", unicodedata.normalize("NFKC", str(value))).strip().casefold()


def _is_signed(value: object) -> bool:
    return read_rating(value) is not None
