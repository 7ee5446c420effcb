"""Scores held against users' own labels: what R is worth, beside what costs less."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, cast

import numpy as np

from userside.conversations import LabelledText
from userside.rubrics.cut_refusal import CutRefusal, refuse_cuts
from userside.rubrics.evaluation.cut_fitting import CutFit
from userside.rubrics.evaluation.distribution import ScoreDistribution, distribute
from userside.rubrics.evaluation.figures import Resampling
from userside.rubrics.evaluation.items import ItemEvaluation, evaluate_items
from userside.rubrics.evaluation.languages import LanguageEvaluation, evaluate_languages
from userside.rubrics.evaluation.ranking import Ranking, rank_rows
from userside.rubrics.evaluation.reliability import Reliability, measure_reliability
from userside.rubrics.evaluation.rivals import RivalColumns, RivalScores, rival_columns
from userside.rubrics.evaluation.rows import Coverage, EvaluatedRow, LabelledRow, labelled_rows, select_rows
from userside.rubrics.evaluation.tables import CutRow, LabelTables, TableInputs, compare_cut_rows
from userside.rubrics.rubric import Cuts, Rubric
from userside.rubrics.scores import ConversationScore
from userside.rubrics.signals import Signals
from userside.statistics import REPLICATES, Rate, Resamples, draw_resamples, rate_of

FORMAT = 1
"""Of `evaluation.json`."""
ITEM_REPLICATES = 500
"""Resamples for one item; for R the usual number is drawn."""
NO_ROWS = "no conversation has both R and a label"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSettings:
    """What an evaluation is told beyond scores, labels and rubric.

    Attributes:
        source: The labels' name.
        prompts: Fingerprint of the judge's wording; decides which cuts of the rubric hold.
        fit: Cuts fitted to these conversations; they take the place of the rubric's.
        zero_shot: A direct score by conversation id, the higher the more satisfied, for comparison.
        beside: Further scores for comparison by their name, such as R of another run, each by conversation id.
        languages: Each conversation's language, by id.
        clusters: What hangs together, such as the contributor, by conversation id; else each conversation is its own.
        replicates: Resamples for an interval.
    """

    source: str = ""
    prompts: str = ""
    fit: CutFit | None = None
    zero_shot: Mapping[str, float] | None = None
    beside: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])
    languages: Mapping[str, str] = field(default_factory=dict[str, str])
    clusters: Mapping[str, str] = field(default_factory=dict[str, str])
    replicates: int = REPLICATES


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Scores held against users' own labels. It names no conversation.

    Attributes:
        rubric: The rubric's name.
        judges: Who judged, as identity and way of asking.
        source: Whose labels.
        coverage: Which conversations count, and which do not.
        users_satisfied: The share of users who call themselves satisfied, of all that count.
        persons: How many units are resampled: contributors where they are known, else conversations.
        distribution: How R is spread, by the users' labels.
        ranking: AUC of R, beside signals and other scores; None unless there are satisfied and dissatisfied users.
        tables: Labels from R against users' own; None for the reason in `no_tables`.
        no_tables: Why there are none.
        cuts_refused: Evaluated conversations whose judge the cuts at hand are not for; None where they hold for all.
        items: Each item by itself, on all labelled conversations with a score for it.
        reliability: Of the probabilities; None where there are none.
        languages: Agreement by language, the commonest first.
    """

    rubric: str
    judges: tuple[tuple[str, str], ...]
    source: str
    coverage: Coverage
    users_satisfied: Rate
    persons: int
    distribution: ScoreDistribution
    ranking: Ranking | None
    tables: LabelTables | None
    no_tables: str | None
    cuts_refused: CutRefusal | None
    items: tuple[ItemEvaluation, ...]
    reliability: Reliability | None
    languages: tuple[LanguageEvaluation, ...]

    @property
    def gaps(self) -> tuple[str, ...]:
        """Return what could not be evaluated, one sentence each."""
        coverage = self.coverage
        if not coverage.n:
            is_elsewhere = coverage.labelled_only and coverage.unlabelled == coverage.scores
            hint = f": the {coverage.labelled_only:,} labelled ones have other ids" if is_elsewhere else ""
            return (NO_ROWS + hint,)
        found = ", ".join(f"{count} {label}" for label, count in coverage.evaluated.items())
        no_ranking = "" if self.ranking else f"AUC wants satisfied and dissatisfied users, and there are {found}"
        refused = self.cuts_refused.text.removesuffix(".") if self.cuts_refused else ""
        return tuple(filter(None, (no_ranking, refused)))

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain values for `json.dumps`; a rate also with its value."""
        flow = [_plain(step) for step in self.coverage.flow]
        return {"format": FORMAT, **_plain(self), "flow": flow, "gaps": list(self.gaps)}


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

    Conversations that the rubric was learned from, that have no label or no R, are left out and counted. Intervals of
    AUC, agreement, means and the Brier score resample contributors where they are known, else conversations; those of
    shares and odds ratios, and p-values, take conversations as independent. Nothing here fails on poor input: what
    cannot be said is None, and `Evaluation.gaps` says why.

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

    def resampling(chosen: Sequence[LabelledRow], *, replicates: int = settings.replicates) -> Resamples:
        # The same seed each time: the same rows are drawn wherever two figures are of the same conversations.
        clusters = [settings.clusters.get(row.id, row.id) for row in chosen]
        return draw_resamples(clusters, generator=np.random.default_rng(seed), replicates=replicates)

    def for_items(chosen: Sequence[LabelledRow]) -> Resamples:
        return resampling(chosen, replicates=min(ITEM_REPLICATES, settings.replicates))

    rivals = rival_columns(
        rows, RivalScores(signals=signals, zero_shot=settings.zero_shot, beside=settings.beside, seed=seed)
    )
    cut = _cut_rows(rows, rubric=rubric, settings=settings)
    refused = _refused(rows, cut, rubric=rubric, settings=settings)
    return Evaluation(
        rubric=rubric.name,
        judges=tuple(sorted({(score.judge, str(score.elicited)) for score in scores})),
        source=settings.source,
        coverage=coverage,
        users_satisfied=rate_of(
            sum(row.is_satisfied for row in rows), denominator=len(rows), excluded=coverage.excluded
        ),
        persons=len({settings.clusters.get(row.id, row.id) for row in rows}),
        distribution=distribute(rows),
        ranking=rank_rows(rows, rivals=rivals, resampling=resampling),
        tables=_tables(cut, settings=settings, rivals=rivals, resampling=resampling, of=len(rows)) if cut else None,
        no_tables=None if cut else refused.text if refused else NO_ROWS,
        cuts_refused=refused,
        items=evaluate_items(labelled_rows(scores, labels, rubric=rubric), rubric=rubric, resampling=for_items),
        reliability=measure_reliability(rows, settings.fit, resampling=resampling),
        languages=evaluate_languages(rows, cut=cut, languages=settings.languages, resampling=resampling),
    )


def _tables(
    cut: Sequence[CutRow], *, settings: EvaluationSettings, rivals: RivalColumns, resampling: Resampling, of: int
) -> LabelTables:
    fit = settings.fit
    inputs = TableInputs(
        kept=(fit.fitted.cuts,) if fit else tuple(dict.fromkeys(one.cuts for one in cut)),
        is_held_out=fit is not None and fit.is_held_out,
        resampling=resampling,
        rivals=rivals,
        without_cuts=of - len(cut),
    )
    return compare_cut_rows(cut, inputs)


def _cut_rows(rows: Sequence[EvaluatedRow], *, rubric: Rubric, settings: EvaluationSettings) -> tuple[CutRow, ...]:
    chosen = [(row, _cuts_of(row, rubric, settings)) for row in rows]
    return tuple(CutRow(row=row, cuts=cuts) for row, cuts in chosen if cuts is not None)


def _cuts_of(row: EvaluatedRow, rubric: Rubric, settings: EvaluationSettings) -> Cuts | None:
    score, fit = row.score, settings.fit
    if fit is None:
        return rubric.cuts_for(judge=score.judge, elicited=score.elicited, prompts=settings.prompts)
    if row.id in fit.held_out:
        return fit.held_out[row.id].cuts
    cuts = fit.fitted.cuts
    return cuts if cuts.holds_for(judge=score.judge, elicited=score.elicited, prompts=settings.prompts) else None


def _refused(
    rows: Sequence[EvaluatedRow], cut: Sequence[CutRow], *, rubric: Rubric, settings: EvaluationSettings
) -> CutRefusal | None:
    held = {one.row.id for one in cut}
    fit = settings.fit
    scores = [row.score for row in rows if row.id not in held]
    return refuse_cuts(scores, (fit.fitted.cuts,) if fit else rubric.cuts, prompts=settings.prompts)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        tree = {entry.name: _plain(getattr(value, entry.name)) for entry in fields(value)}
        return {"value": value.value, **tree} if isinstance(value, Rate) else tree
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in cast("Mapping[str, Any]", value).items()}
    return [_plain(one) for one in cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else value
