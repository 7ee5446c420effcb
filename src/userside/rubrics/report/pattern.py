"""One pattern of the rubric over all conversations: how often it applies, and for whom."""

from collections.abc import Mapping
from dataclasses import dataclass

from userside.rubrics.evaluation import ItemEvaluation
from userside.rubrics.report.cases import APPLIES, Facts
from userside.rubrics.rubric import RubricItem
from userside.rubrics.scores import ItemScore
from userside.statistics import Rate, rate_of

SIGNIFICANT = 0.05
SURENESS = ((0.001, "very sure"), (0.01, "sure"), (SIGNIFICANT, "fairly sure"))
"""Words for a corrected p-value below a limit. Of the patterns called so about that part at most is a fluke."""
FEW = 10
"""Users of one label below which a difference is marked as resting on few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One pattern, and what is known of it over all conversations.

    Attributes:
        item: The pattern.
        rate: Where it applies, of all conversations in which it could be judged.
        scores: Its scores.
        evaluated: The pattern held against users' labels; None without labels.
    """

    item: RubricItem
    rate: Rate
    scores: tuple[float, ...]
    evaluated: ItemEvaluation | None

    @property
    def satisfied(self) -> Rate | None:
        """Return how often it applies among satisfied users, or None without labels."""
        table = self.evaluated.association.table if self.evaluated else None
        return None if table is None else rate_of(table.both, denominator=table.both + table.second_only)

    @property
    def dissatisfied(self) -> Rate | None:
        """Return how often it applies among dissatisfied users, or None without labels."""
        table = self.evaluated.association.table if self.evaluated else None
        return None if table is None else rate_of(table.first_only, denominator=table.first_only + table.neither)

    @property
    def few(self) -> bool:
        """Tell whether either group has too few users for much to be said."""
        return any(rate is not None and rate.denominator < FEW for rate in (self.satisfied, self.dissatisfied))

    @property
    def is_clear(self) -> bool:
        """Tell whether the two groups differ by more than chance, corrected for the number of patterns."""
        p = self.evaluated.adjusted_p if self.evaluated else None
        return p is not None and p < SIGNIFICANT

    @property
    def is_backwards(self) -> bool:
        """Tell whether it clearly goes with the other side than the rubric says."""
        auc = self.evaluated.auc if self.evaluated else None
        return auc is not None and auc.interval is not None and auc.interval.high < 0.5  # noqa: PLR2004 - guessing

    @property
    def is_flat(self) -> bool:
        """Tell whether it has nearly the same score everywhere."""
        return self.evaluated is not None and self.evaluated.has_no_spread

    @property
    def sureness(self) -> str:
        """Return in words how surely the two groups differ, corrected for the number of patterns."""
        p = self.evaluated.adjusted_p if self.evaluated else None
        if p is None:
            return "cannot be tested"
        return next((words for limit, words in SURENESS if p < limit), "may be chance")

    @property
    def verdict(self) -> str:
        """Return the same, or what is wrong with the pattern where something is."""
        if self.is_backwards:
            return "works backwards"
        return "same everywhere" if self.is_flat else self.sureness

    @property
    def surely(self) -> float:
        """Return how far from guessing it is at least, by its interval: what the order goes by."""
        auc = self.evaluated.auc if self.evaluated else None
        if auc is None or auc.interval is None:
            return 0.0
        return max(0.0, auc.interval.low - 0.5, 0.5 - auc.interval.high)


def patterns_of(facts: Facts) -> tuple[Pattern, ...]:
    """Return every pattern: the surest differences first where labels are known, else the commonest."""
    evaluated = {item.name: item for item in facts.evaluation.items} if facts.evaluation else {}
    patterns = [_pattern(item, facts, evaluated) for item in facts.items]
    return tuple(sorted(patterns, key=lambda pattern: (-pattern.surely, -(pattern.rate.value or 0.0))))


def _pattern(item: RubricItem, facts: Facts, evaluated: Mapping[str, ItemEvaluation]) -> Pattern:
    verdicts = [case.score.items.get(item.name) for case in facts.cases if case.score]
    found = [verdict for verdict in verdicts if isinstance(verdict, ItemScore)]
    missing = len(verdicts) - len(found)
    applies = sum(verdict.yes >= APPLIES for verdict in found)
    return Pattern(
        item=item,
        rate=rate_of(applies, denominator=len(found), excluded={"unscored": missing} if missing else {}),
        scores=tuple(verdict.score for verdict in found),
        evaluated=evaluated.get(item.name),
    )
