"""Labels of whole conversations, derived from feedback by a named rule.

A label is a feedback entry without a turn, by `rule:NAME`. The rules:

- `rating`: people's ratings of the whole conversation, or where there are none, of its turns.
- `overall`: their ratings of the whole conversation only.
- `uss`: Appendix C of the SPUR paper (Lin et al., ACL 2024) on ratings of turns; see `_uss`.
- `thumb`: more thumbs up than down, or the other way round; as many of each is neutral.
- `label`: people's own labels, also from `answers` and unknown fields (`field` names one).
- `outcome`: whether it worked: a yes or no among the answers, or codes of a failure.

Ratings are aggregated (by default the mean) and held against the midpoint of their declared scale: above it is
satisfied, below it dissatisfied, exactly on it neutral. A rating whose scale nobody declared gives no label.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from statistics import fmean, median
from typing import Any, cast

from userside.conversations.label_values import Scale, label_of_rating, label_of_thumb, read_label
from userside.conversations.record import Conversation, Feedback, Label, Speaker, Thumb
from userside.errors import LabelError

RULE_PREFIX = "rule:"
_LABEL_FIELDS = ("label", "satisfaction", "satisfied", "feedback", "thumb", "thumbs", "rating", "vote")
_OUTCOME_FIELDS = ("success", "resolved", "solved", "achieved", "outcome", "goal_met")
LABEL_FIELDS = (*_LABEL_FIELDS, *_OUTCOME_FIELDS)
"""Names of fields beside the record's own that the rules look at."""

_FAILURE = "failure_type"
_NO_FAILURE = frozenset({"none_observed", "none", "no_failure"})


class Aggregation(StrEnum):
    """How several ratings become one number; in a majority, ties go to the lower rating as in the USS code."""

    MEAN = "mean"
    MEDIAN = "median"
    MAJORITY = "majority"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRule:
    """A rule and its settings.

    Attributes:
        name: One of `rule_names()`.
        aggregation: How the ratings of several people become one.
        dead_zone: Distance from the midpoint up to which (inclusive) a rating is neutral.
        scale: Lowest and highest rating, for ratings that declare none.
        field: For `label` and `outcome`: the one field to look at.
    """

    name: str
    aggregation: Aggregation = Aggregation.MEAN
    dead_zone: float = 0.0
    scale: Scale | None = None
    field: str | None = None


@dataclass(frozen=True, slots=True)
class _Finding:
    label: Label
    until: int | None = None


def rule_names() -> tuple[str, ...]:
    """Return the names of the rules, sorted."""
    return tuple(sorted(_RULES))


def find_rule(name: str, *, scale: Scale | None = None) -> LabelRule:
    """Return the rule of that name with its default settings; `rule:` before the name does not matter.

    Raises:
        LabelError: There is no such rule.
    """
    bare = name.removeprefix(RULE_PREFIX)
    if bare not in _RULES:
        raise LabelError(f"no label rule is called {name!r}; there are: {', '.join(rule_names())}")
    return LabelRule(name=bare, scale=scale)


def derive_label(conversation: Conversation, *, rule: LabelRule | str) -> Conversation:
    """Return the conversation with the rule's label, in place of an earlier one of that rule.

    Where the rule finds nothing to go by there is no label: that is not neutral.

    Raises:
        LabelError: There is no such rule.
    """
    rule = find_rule(rule) if isinstance(rule, str) else find_rule(rule.name) and rule
    by = RULE_PREFIX + rule.name
    kept = tuple(feedback for feedback in conversation.feedback if feedback.by != by)
    found = _RULES[rule.name](replace(conversation, feedback=kept), rule)
    if found is None:
        return replace(conversation, feedback=kept)
    return replace(conversation, feedback=(*kept, Feedback(by=by, label=found.label, until=found.until)))


def _uss(conversation: Conversation, rule: LabelRule) -> _Finding | None:
    """Label by the first rated turn that is not neutral, and cut at the first that contradicts it.

    A rating stands beside a user's turn and judges the assistant's turn before it. So the cut falls before that
    assistant's turn: the last turn kept is the user's, and what contradicts the label is out of the text.
    """
    judged = [(turn, _side(entries, rule)) for turn, entries in _by_turn(_given(conversation))]
    known = [(turn, label) for turn, label in judged if label is not None]
    clear = [(turn, label) for turn, label in known if label is not Label.NEUTRAL]
    if not clear:
        return _Finding(Label.NEUTRAL) if known else None
    first = clear[0][1]
    against = next((turn for turn, label in clear if label is not first), None)
    return _Finding(first, until=None if against is None else _before_answer(conversation, against))


def _before_answer(conversation: Conversation, turn: int) -> int:
    """Return the index of the first of the turns between the user's last turn and `turn`, or `turn` itself."""
    while turn > 0 and conversation.turns[turn - 1].speaker is not Speaker.USER:
        turn -= 1
    return turn


def _overall(conversation: Conversation, rule: LabelRule) -> _Finding | None:
    label = _side([entry for entry in _given(conversation) if entry.turn is None], rule)
    return _Finding(label) if label is not None else None


def _rating(conversation: Conversation, rule: LabelRule) -> _Finding | None:
    whole = _overall(conversation, rule)
    if whole is not None:
        return whole
    label = _side(_given(conversation), rule)
    return _Finding(label) if label is not None else None


def _thumb(conversation: Conversation, rule: LabelRule) -> _Finding | None:  # noqa: ARG001
    given = _given(conversation)
    whole = [entry.thumb for entry in given if entry.turn is None and entry.thumb]
    thumbs = whole or [entry.thumb for entry in given if entry.thumb]
    if not thumbs:
        return None
    up = sum(thumb is Thumb.UP for thumb in thumbs)
    down = len(thumbs) - up
    if up == down:
        return _Finding(Label.NEUTRAL)
    return _Finding(label_of_thumb(Thumb.UP if up > down else Thumb.DOWN))


def _label(conversation: Conversation, rule: LabelRule) -> _Finding | None:
    whole = [entry for entry in _given(conversation) if entry.turn is None]
    label = majority([entry.label for entry in whole if entry.label]) if rule.field is None else None
    if label is None:
        values = _values(conversation, names=(rule.field,) if rule.field else _LABEL_FIELDS)
        label = next(filter(None, (read_label(value, scale=rule.scale) for value in values)), None)
    return _Finding(label) if label is not None else None


def _outcome(conversation: Conversation, rule: LabelRule) -> _Finding | None:
    values = _values(conversation, names=(rule.field,) if rule.field else _OUTCOME_FIELDS)
    label = next(filter(None, (read_label(value, scale=rule.scale) for value in values)), None)
    if label is None and conversation.codes.get(_FAILURE):
        failed = any(code not in _NO_FAILURE for code in conversation.codes[_FAILURE])
        label = Label.DISSATISFIED if failed else Label.SATISFIED
    return _Finding(label) if label is not None else None


_RULES: dict[str, Callable[[Conversation, LabelRule], _Finding | None]] = {
    "rating": _rating,
    "overall": _overall,
    "uss": _uss,
    "thumb": _thumb,
    "label": _label,
    "outcome": _outcome,
}


def majority(labels: Sequence[Label]) -> Label | None:
    """Return the label that more people gave than any other, or None when there is no such label."""
    counted = Counter(labels).most_common(2)
    if not counted or (len(counted) > 1 and counted[0][1] == counted[1][1]):
        return None
    return counted[0][0]


def _given(conversation: Conversation) -> list[Feedback]:
    """Return what people said, without what rules derived."""
    return [entry for entry in conversation.feedback if not entry.by.startswith(RULE_PREFIX)]


def _by_turn(feedback: Iterable[Feedback]) -> list[tuple[int, list[Feedback]]]:
    rated = sorted((entry for entry in feedback if entry.turn is not None), key=lambda entry: cast("int", entry.turn))
    return [(cast("int", turn), list(entries)) for turn, entries in groupby(rated, key=lambda entry: entry.turn)]


def _side(feedback: Iterable[Feedback], rule: LabelRule) -> Label | None:
    """Return which side of the midpoint the ratings lie on together, or None where none has a scale."""
    rated = [(entry.rating, entry.scale or rule.scale) for entry in feedback]
    known = [(rating, scale) for rating, scale in rated if rating is not None and scale is not None]
    if not known:
        return None
    # From the midpoint, so that ratings on different scales of one length can stand together.
    offsets = [rating - (scale[0] + scale[1]) / 2 for rating, scale in known]
    return label_of_rating(_AGGREGATE[rule.aggregation](offsets), scale=(-1, 1), dead_zone=rule.dead_zone)


def _lower_mode(values: Sequence[float]) -> float:
    counted = Counter(values)
    most = max(counted.values())
    return min(value for value, times in counted.items() if times == most)


_AGGREGATE: dict[Aggregation, Callable[[Sequence[float]], float]] = {
    Aggregation.MEAN: fmean,
    Aggregation.MEDIAN: median,
    Aggregation.MAJORITY: _lower_mode,
}


def _values(conversation: Conversation, *, names: Sequence[str]) -> list[Any]:
    """Return what stands under the names in the answers, the metadata and its unknown fields, in that order."""
    held = conversation.metadata.get("extra")
    extra = cast("dict[str, Any]", held) if isinstance(held, dict) else {}
    places = [*(entry.answers for entry in _given(conversation) if entry.turn is None), conversation.metadata, extra]
    return [place[name] for name in names for place in places if place.get(name) is not None]
