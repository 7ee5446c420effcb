"""What items are worth, as plain text for a terminal."""

from collections.abc import Mapping, Sequence

from userside.conversations import Label
from userside.rubrics.evaluation.grid import fill, grid
from userside.rubrics.evaluation.items import ItemEvaluation
from userside.rubrics.evaluation.phrases import MISSING, bootstrap_text, decimal
from userside.rubrics.rubric import Side
from userside.statistics import Rate

_LONGEST = 26
_SHORTEST = 10
_MOST_UNSCORED = 3
_LEGEND = (
    "+ counts for satisfaction, − against; a flat item gives nearly every conversation the same score. Means are of "
    "scores from 0 to 10 by the users' labels. AUC below 0.5 works against the rubric. p is adjusted for the number of "
    "items (Benjamini and Hochberg)."
)
_ODDS_LEGEND = " The odds ratio is of a satisfied user where the item applies."


def items_text(items: Sequence[ItemEvaluation], *, width: int) -> str:
    """Return one line an item, the surest first, and what the columns mean.

    Where it is narrow, names are shortened; where that is not enough, the odds ratios are left to the JSON.
    """
    head = ["Items", "applies", "sat", "dis", "neu", "AUC [95 %]", "p", "", "odds ratio [95 %]"]
    ordered = sorted(items, key=_surest_first)
    tables = (
        (grid([row[:columns] for row in (head, *(_line(item, longest=longest) for item in ordered))], left=1), legend)
        for columns, legend in ((len(head), _LEGEND + _ODDS_LEGEND), (len(head) - 1, _LEGEND))
        for longest in range(_LONGEST, _SHORTEST, -1)
    )
    fitting = (f"{table}\n{fill(said, width)}" for table, said in tables if max(map(len, table.split("\n"))) <= width)
    return "\n".join([next(fitting, ""), *_unscored(items, width=width)])


def _unscored(items: Sequence[ItemEvaluation], *, width: int) -> list[str]:
    missing = [(sum(item.prevalence.excluded.values()), item) for item in items if item.prevalence.excluded]
    if not missing:
        return []
    most = sorted(missing, key=lambda pair: -pair[0])
    said = [f"{item.name} {n:,} ({_reasons(item.prevalence.excluded)})" for n, item in most[:_MOST_UNSCORED]]
    rest = f"; {len(most) - _MOST_UNSCORED} more items" if len(most) > _MOST_UNSCORED else ""
    return [fill(f"Left out for want of a score: {'; '.join(said)}{rest}.", width)]


def _reasons(excluded: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in excluded.items())


def _surest_first(item: ItemEvaluation) -> tuple[bool, float]:
    p = item.association.p_value
    return p is None, p or 0.0


def _line(item: ItemEvaluation, *, longest: int) -> list[str]:
    sign = "+" if item.side is Side.SATISFIED else "−"
    name = item.name if len(item.name) <= longest else f"{item.name[: longest - 1]}…"
    means = [item.means[label].mean for label in (Label.SATISFIED, Label.DISSATISFIED, Label.NEUTRAL)]
    return [
        f"{sign} {name}",
        _percent(item.prevalence),
        *(decimal(mean, places=1) for mean in means),
        bootstrap_text(item.auc) if item.auc else MISSING,
        _p(item.adjusted_p),
        "flat" if item.has_no_spread else "",
        _odds(item),
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
