"""How well R puts satisfied users above dissatisfied ones, beside what costs less."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from userside.errors import LabelError
from userside.rubrics.evaluation.figures import Resampling
from userside.rubrics.evaluation.rivals import RivalColumns
from userside.rubrics.evaluation.rows import EvaluatedRow
from userside.statistics import Bootstrap, Statistic, auc_statistic, bootstrap, paired_bootstrap


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Another score of the same conversations.

    Attributes:
        name: What it is.
        n: Conversations that have both scores; only these are compared.
        missing: Conversations that have R and not this score.
        auc: Of the other score.
        auc_of_R: On the same conversations.
        difference: R minus the other, paired.
    """

    name: str
    n: int
    missing: int
    auc: Bootstrap
    auc_of_R: Bootstrap  # noqa: N815 - the paper's R
    difference: Bootstrap


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The area under the ROC curve: the chance that a satisfied user's R is above a dissatisfied one's.

    Attributes:
        satisfied: Satisfied users; so for the next.
        neutral_left_out: Neutral users, who are on neither side.
        auc: Of R.
        rivals: Other scores beside it.
        no_rival: Why one that was wanted is not there, by name.
    """

    satisfied: int
    dissatisfied: int
    neutral_left_out: int
    auc: Bootstrap
    rivals: tuple[Rival, ...]
    no_rival: Mapping[str, str]


def rank_rows(rows: Sequence[EvaluatedRow], *, rivals: RivalColumns, resampling: Resampling) -> Ranking | None:
    """Return the ranking of rows, or None unless there are satisfied and dissatisfied ones."""
    clear = [row for row in rows if row.is_clear]
    satisfied = sum(row.is_satisfied for row in clear)
    if satisfied in (0, len(clear)):
        return None
    found: list[Rival] = []
    missing = dict(rivals.missing)
    for name, scores in rivals.scores.items():
        try:
            found.append(_rival(clear, scores, name=name, resampling=resampling))
        except LabelError as error:
            missing[name] = str(error)
    return Ranking(
        satisfied=satisfied,
        dissatisfied=len(clear) - satisfied,
        neutral_left_out=len(rows) - len(clear),
        auc=bootstrap(_auc(clear, [row.R for row in clear]), resamples=resampling(clear)),
        rivals=tuple(found),
        no_rival=missing,
    )


def _rival(rows: Sequence[EvaluatedRow], scores: Mapping[str, float], *, name: str, resampling: Resampling) -> Rival:
    shared = [row for row in rows if row.id in scores]
    if len({row.is_satisfied for row in shared}) < 2:  # noqa: PLR2004 - both sides
        raise LabelError(f"{name}: wanted scores of satisfied and of dissatisfied conversations")
    resamples = resampling(shared)
    ours = _auc(shared, [row.R for row in shared])
    theirs = _auc(shared, [scores[row.id] for row in shared])
    return Rival(
        name=name,
        n=len(shared),
        missing=len(rows) - len(shared),
        auc=bootstrap(theirs, resamples=resamples),
        auc_of_R=bootstrap(ours, resamples=resamples),
        difference=paired_bootstrap(ours, minus=theirs, resamples=resamples),
    )


def _auc(rows: Sequence[EvaluatedRow], scores: Sequence[float]) -> Statistic:
    return auc_statistic(scores, positive=[row.is_satisfied for row in rows])
