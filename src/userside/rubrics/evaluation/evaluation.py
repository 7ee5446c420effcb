"""Scores held against users' own labels: what R is worth, beside what costs less."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, cast

import numpy as np

from userside.conversations import LabelledText
from userside.rubrics.evaluation.cut_fitting import CutFit, relabel
from userside.rubrics.evaluation.items import ItemEvaluation, evaluate_items
from userside.rubrics.evaluation.ranking import Ranking, RivalScores, rank_rows
from userside.rubrics.evaluation.rows import Coverage, EvaluatedRow, select_rows
from userside.rubrics.evaluation.tables import CutRow, LabelTables, Resampling, compare_cut_rows
from userside.rubrics.rubric import Cuts, Rubric
from userside.rubrics.scores import ConversationScore
from userside.rubrics.signals import Signals
from userside.statistics import (
    REPLICATES,
    Rate,
    ReliabilityBin,
    Resamples,
    brier_score,
    draw_resamples,
    rate_of,
    reliability_curve,
)

ITEM_REPLICATES = 500
"""Resamples for one item; for R the usual number is drawn."""
NO_ROWS = "no conversation has both R and a label"
NO_CUTS = "no labels can be derived from R: the rubric has no cuts for this judge, asked in this way with this wording"
BINS = 10
LEAST_IN_A_BIN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSettings:
    """What an evaluation is told beyond scores, labels and rubric.

    Attributes:
        source: The labels' name.
        prompts: Fingerprint of the judge's wording; decides which cuts of the rubric hold.
        fit: Cuts fitted to these conversations; they take the place of the rubric's.
        zero_shot: A direct score by conversation id, the higher the more satisfied, for comparison.
        clusters: What hangs together, such as the contributor, by conversation id; else each conversation is its own.
        replicates: Resamples for an interval.
    """

    source: str = ""
    prompts: str = ""
    fit: CutFit | None = None
    zero_shot: Mapping[str, float] | None = None
    clusters: Mapping[str, str] = field(default_factory=dict[str, str])
    replicates: int = REPLICATES


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """How far the probabilities of a satisfied user can be believed.

    Attributes:
        n: Conversations with a probability.
        bins: Predicted against observed.
        brier: Mean squared distance from the outcome; 0 is best.
        brier_of_constant: The same when always predicting the observed share.
        is_held_out: Whether each probability comes from conversations other than its own.
    """

    n: int
    bins: tuple[ReliabilityBin, ...]
    brier: float | None
    brier_of_constant: float | None
    is_held_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Scores held against users' own labels. It names no conversation.

    Attributes:
        rubric: The rubric's name.
        judges: Who judged, as identity and way of asking.
        source: Whose labels.
        coverage: Which conversations count, and which do not.
        users_satisfied: The share of users who call themselves satisfied, of all that count.
        ranking: AUC of R, beside signals and zero-shot; None unless there are satisfied and dissatisfied users.
        tables: Labels from R against users' own; None for the reason in `no_tables`.
        no_tables: Why there are none.
        items: Each item by itself.
        reliability: Of the probabilities; None where there are none.
    """

    rubric: str
    judges: tuple[tuple[str, str], ...]
    source: str
    coverage: Coverage
    users_satisfied: Rate
    ranking: Ranking | None
    tables: LabelTables | None
    no_tables: str | None
    items: tuple[ItemEvaluation, ...]
    reliability: Reliability | None

    @property
    def gaps(self) -> tuple[str, ...]:
        """Return what could not be evaluated, one sentence each."""
        if not self.coverage.n:
            return (NO_ROWS,)
        found = ", ".join(f"{count} {label}" for label, count in self.coverage.evaluated.items())
        no_ranking = "" if self.ranking else f"AUC wants satisfied and dissatisfied users, and there are {found}"
        return tuple(filter(None, (no_ranking, self.no_tables)))

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain values for `json.dumps`; a rate also with its value."""
        return {**_plain(self), "gaps": list(self.gaps)}


_DEFAULT = EvaluationSettings()


def evaluate(
    scores: Sequence[ConversationScore],
    labels: Mapping[str, LabelledText],
    *,
    rubric: Rubric,
    generator: np.random.Generator,
    signals: Mapping[str, Signals] | None = None,
    settings: EvaluationSettings = _DEFAULT,
) -> Evaluation:
    """Return what scores are worth by users' own labels.

    Conversations that the rubric was learned from, that have no label or no R, are left out and counted. Intervals
    resample dialogues. Nothing here fails on poor input: what cannot be said is None, and `Evaluation.gaps` says why.

    Args:
        scores: What the judge made of the conversations.
        labels: What their users thought, by conversation id.
        rubric: The items, the training ids, the cuts.
        generator: Where chance comes from.
        signals: The signals of each conversation, by id, to be held against R.
        settings: See there.
    """
    rows, coverage = select_rows(scores, labels, rubric=rubric)
    seed = int(generator.integers(2**31))

    def resampling(chosen: Sequence[EvaluatedRow], *, replicates: int = settings.replicates) -> Resamples:
        # The same seed each time: the same rows are drawn wherever two figures are of the same conversations.
        clusters = [settings.clusters.get(row.id, row.id) for row in chosen]
        return draw_resamples(clusters, generator=np.random.default_rng(seed), replicates=replicates)

    def for_items(chosen: Sequence[EvaluatedRow]) -> Resamples:
        return resampling(chosen, replicates=min(ITEM_REPLICATES, settings.replicates))

    rivals = RivalScores(signals=signals, zero_shot=settings.zero_shot, seed=seed)
    tables = _tables(rows, rubric=rubric, settings=settings, resampling=resampling)
    satisfied = sum(row.is_satisfied for row in rows)
    return Evaluation(
        rubric=rubric.name,
        judges=tuple(sorted({(score.judge, str(score.elicited)) for score in scores})),
        source=settings.source,
        coverage=coverage,
        users_satisfied=rate_of(satisfied, denominator=len(rows), excluded=coverage.excluded),
        ranking=rank_rows(rows, rivals=rivals, resampling=resampling),
        tables=tables,
        no_tables=None if tables else NO_CUTS if rows else NO_ROWS,
        items=evaluate_items(rows, rubric=rubric, resampling=for_items),
        reliability=_reliability(rows, settings.fit),
    )


def _tables(
    rows: Sequence[EvaluatedRow], *, rubric: Rubric, settings: EvaluationSettings, resampling: Resampling
) -> LabelTables | None:
    chosen = [(row, _cuts_of(row, rubric, settings)) for row in rows]
    cut = [CutRow(row=row, cuts=cuts) for row, cuts in chosen if cuts is not None]
    if not cut:
        return None
    fit = settings.fit
    return compare_cut_rows(
        cut,
        kept=(fit.fitted.cuts,) if fit else tuple(dict.fromkeys(one.cuts for one in cut)),
        is_held_out=fit is not None and fit.is_held_out,
        resampling=resampling,
        without_cuts=len(rows) - len(cut),
    )


def _cuts_of(row: EvaluatedRow, rubric: Rubric, settings: EvaluationSettings) -> Cuts | None:
    score, fit = row.score, settings.fit
    if fit is None:
        return rubric.cuts_for(judge=score.judge, elicited=score.elicited, prompts=settings.prompts)
    if row.id in fit.held_out:
        return fit.held_out[row.id].cuts
    cuts = fit.fitted.cuts
    return cuts if cuts.holds_for(judge=score.judge, elicited=score.elicited, prompts=settings.prompts) else None


def _reliability(rows: Sequence[EvaluatedRow], fit: CutFit | None) -> Reliability | None:
    found = [(row, _probability_of(row, fit)) for row in rows]
    known = [(row, probability) for row, probability in found if probability is not None]
    if not known:
        return None
    probabilities, outcomes = [probability for _, probability in known], [row.is_satisfied for row, _ in known]
    share = sum(outcomes) / len(outcomes)
    bins = max(1, min(BINS, len(known) // LEAST_IN_A_BIN))
    return Reliability(
        n=len(known),
        bins=reliability_curve(probabilities, outcomes=outcomes, bins=bins),
        brier=brier_score(probabilities, outcomes=outcomes),
        brier_of_constant=brier_score([share] * len(outcomes), outcomes=outcomes),
        is_held_out=fit is not None and fit.is_held_out,
    )


def _probability_of(row: EvaluatedRow, fit: CutFit | None) -> float | None:
    if fit is None:
        return row.score.probability
    return (
        fit.held_out[row.id].probability if row.id in fit.held_out else relabel([row.score], fit.fitted)[0].probability
    )


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        tree = {entry.name: _plain(getattr(value, entry.name)) for entry in fields(value)}
        return {"value": value.value, **tree} if isinstance(value, Rate) else tree
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in cast("Mapping[str, Any]", value).items()}
    return [_plain(one) for one in cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else value
