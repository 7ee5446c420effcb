"""Signals of satisfied users against those of dissatisfied ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from userside.conversations import Conversation, Label, choose_labels, count_labels, scoreable
from userside.rubrics.signals import SIGNALS, Signal, SignalKind, Signals, extract_signals, out_of_fold_signals
from userside.statistics import Bootstrap, auc_statistic, bootstrap, draw_resamples

LEAST_OF_EACH = 20
"""Conversations of each label below which all signals together are not tried."""
REPLICATES = 500
"""Resamples for one signal; for all of them together the usual number is drawn."""
_EVEN = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalByLabel:
    """One signal, satisfied against dissatisfied.

    Attributes:
        name: The signal.
        satisfied: The share of satisfied conversations with any of it, or the median of an amount; None without rows.
        dissatisfied: The same of dissatisfied ones.
        n_satisfied: Satisfied conversations where it is known.
        n_dissatisfied: Dissatisfied ones.
        auc: The chance that a satisfied conversation has more of it than a dissatisfied one, ties counting one half;
            0.5 says nothing, below 0.5 it goes with dissatisfaction.
    """

    name: str
    satisfied: float | None
    dissatisfied: float | None
    n_satisfied: int
    n_dissatisfied: int
    auc: Bootstrap

    @property
    def at_least(self) -> float:
        """How far from 0.5 the AUC is at least, by its interval: what the ranking goes by."""
        interval = self.auc.interval
        if interval is None:
            return 0.0
        return max(0.0, interval.low - _EVEN, _EVEN - interval.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelComparison:
    """Signals held against one source of labels.

    Attributes:
        source: Whose labels.
        satisfied: Satisfied conversations with user text; so for `dissatisfied`.
        cut: How many of them are read up to a cut only, since their label holds for a part of the turns.
        left_out: Labelled conversations that are not compared, by reason.
        signals: The surest difference first: by the end of its interval that is nearer to 0.5.
        together: AUC of all signals together, each conversation judged by a model that has not seen it.
        not_together: Why there is none.
    """

    source: str
    satisfied: int
    dissatisfied: int
    cut: int
    left_out: Mapping[str, int]
    signals: tuple[SignalByLabel, ...]
    together: Bootstrap | None
    not_together: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    id: str
    person: str
    signals: Signals
    satisfied: bool
    is_cut: bool


def compare_by_label(
    conversations: Sequence[Conversation], *, signals: Sequence[Signals], labels: str | None
) -> LabelComparison:
    """Return how signals differ between satisfied and dissatisfied users.

    A label with a cut is held against the turns before it. Intervals resample contributors where they are known, else
    conversations.

    Args:
        conversations: Those that were looked at.
        signals: The signals of each.
        labels: The name of the labels; None for the only ones.

    Raises:
        LabelError: There are no such labels, or several and no name.
    """
    chosen = choose_labels(conversations, name=labels)
    rows: list[_Row] = []
    silent = 0
    for conversation, whole in zip(conversations, signals, strict=True):
        label = chosen.get(conversation.id)
        if label is None or label.label is Label.NEUTRAL:
            continue
        if not scoreable(conversation, until=label.until):
            silent += 1
            continue
        rows.append(
            _Row(
                id=conversation.id,
                person=conversation.contributor or conversation.id,
                signals=whole if label.until is None else extract_signals(conversation, until=label.until),
                satisfied=label.label is Label.SATISFIED,
                is_cut=label.until is not None,
            )
        )
    neutral = sum(label.label is Label.NEUTRAL for label in chosen.values())
    return _compare(rows, source=count_labels(conversations, name=labels).source, left_out=_nonzero(neutral, silent))


def _nonzero(neutral: int, silent: int) -> dict[str, int]:
    counts = {"neutral": neutral, "no user text": silent}
    return {reason: count for reason, count in counts.items() if count}


def _compare(rows: Sequence[_Row], *, source: str, left_out: Mapping[str, int]) -> LabelComparison:
    satisfied = sum(row.satisfied for row in rows)
    compared = [_signal_by_label(signal, rows=rows) for signal in SIGNALS]
    both = 0 < satisfied < len(rows)
    enough = min(satisfied, len(rows) - satisfied) >= LEAST_OF_EACH
    return LabelComparison(
        source=source,
        satisfied=satisfied,
        dissatisfied=len(rows) - satisfied,
        cut=sum(row.is_cut for row in rows),
        left_out=left_out,
        signals=tuple(sorted((row for row in compared if row), key=_surest_first)) if both else (),
        together=_together(rows) if enough else None,
        not_together=None if enough else f"fewer than {LEAST_OF_EACH} conversations of one label",
    )


def _surest_first(compared: SignalByLabel) -> tuple[float, float]:
    estimate = compared.auc.estimate
    return -compared.at_least, -abs((_EVEN if estimate is None else estimate) - _EVEN)


def _signal_by_label(signal: Signal, *, rows: Sequence[_Row]) -> SignalByLabel | None:
    known = [(row, value) for row in rows if (value := row.signals[signal.name]) is not None]
    if not known:
        return None
    sides = {side: [value for row, value in known if row.satisfied is side] for side in (True, False)}
    return SignalByLabel(
        name=signal.name,
        satisfied=_sum_up(sides[True], kind=signal.kind),
        dissatisfied=_sum_up(sides[False], kind=signal.kind),
        n_satisfied=len(sides[True]),
        n_dissatisfied=len(sides[False]),
        auc=_auc([row for row, _ in known], scores=[value for _, value in known], replicates=REPLICATES),
    )


def _sum_up(values: Sequence[float], *, kind: SignalKind) -> float | None:
    if not values:
        return None
    return median(values) if kind is SignalKind.AMOUNT else sum(value > 0 for value in values) / len(values)


def _together(rows: Sequence[_Row]) -> Bootstrap:
    satisfied = {row.id: row.satisfied for row in rows}
    probabilities = out_of_fold_signals({row.id: row.signals for row in rows}, satisfied=satisfied)
    return _auc(rows, scores=[probabilities[row.id] for row in rows], replicates=4 * REPLICATES)


def _auc(rows: Sequence[_Row], *, scores: Sequence[float], replicates: int) -> Bootstrap:
    statistic = auc_statistic(scores, positive=[row.satisfied for row in rows])
    people = [row.person for row in rows]
    resamples = draw_resamples(people, generator=np.random.default_rng(0), replicates=replicates)
    return bootstrap(statistic, resamples=resamples)
