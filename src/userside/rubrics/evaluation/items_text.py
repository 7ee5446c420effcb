"""What items are worth, as plain text for a terminal."""

from collections.abc import Sequence
from textwrap import fill

from userside.conversations import Label
from userside.rubrics.evaluation.grid import grid
from userside.rubrics.evaluation.items import ItemEvaluation
from userside.rubrics.evaluation.phrases import MISSING, bootstrap_text, decimal
from userside.statistics import Rate

_NAME = 26
_LEGEND = (
    "+ counts for satisfaction, − against. Means are of scores from 0 to 10 by the users' labels. AUC below 0.5 works "
    "against the rubric. p is adjusted for the number of items (Benjamini and Hochberg); the odds ratio is of a "
    "satisfied user where the item applies; a flat item gives nearly every conversation the same score."
)


def items_text(items: Sequence[ItemEvaluation], *, width: int) -> str:
    """Return one line an item, the surest first, and what the columns mean."""
    head = ["Items", "applies", "sat", "dis", "neu", "AUC [95 %]", "p", "odds ratio [95 %]", ""]
    ordered = sorted(items, key=_surest_first)
    return grid([head, *map(_line, ordered)], left=1) + "\n" + fill(_LEGEND, width)


def _surest_first(item: ItemEvaluation) -> tuple[bool, float]:
    p = item.association.p_value
    return p is None, p or 0.0


def _line(item: ItemEvaluation) -> list[str]:
    sign = "+" if item.side.value == "satisfied" else "−"
    name = item.name if len(item.name) <= _NAME else f"{item.name[: _NAME - 1]}…"
    means = [item.means[label].mean for label in (Label.SATISFIED, Label.DISSATISFIED, Label.NEUTRAL)]
    return [
        f"{sign} {name}",
        _percent(item.prevalence),
        *(decimal(mean, places=1) for mean in means),
        bootstrap_text(item.auc) if item.auc else MISSING,
        _p(item.adjusted_p),
        _odds(item),
        "flat" if item.has_no_spread else "",
    ]


def _percent(rate: Rate) -> str:
    return MISSING if rate.value is None else f"{100 * rate.value:.0f} %"


def _p(p: float | None) -> str:
    if p is None:
        return MISSING
    return "<0.001" if p < 0.001 else f"{p:.3f}"  # noqa: PLR2004 - three digits are printed


def _odds(item: ItemEvaluation) -> str:
    found = item.association
    if found.odds_ratio is None or found.interval is None:
        return MISSING
    return f"{_ratio(found.odds_ratio)} [{_ratio(found.interval.low)}, {_ratio(found.interval.high)}]"


def _ratio(value: float) -> str:
    """Return a ratio with about two digits.

    >>> [_ratio(value) for value in (0.0461, 3.84, 651.2)]
    ['0.046', '3.8', '651']
    """
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"  # noqa: PLR2004 - two digits
