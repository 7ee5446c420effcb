"""An evaluation as plain text for a terminal."""

from collections.abc import Iterator, Mapping

from userside.conversations import Label
from userside.rubrics.evaluation.evaluation import Evaluation
from userside.rubrics.evaluation.grid import fill, grid, widest_that_fits
from userside.rubrics.evaluation.items_text import items_text
from userside.rubrics.evaluation.phrases import bootstrap_text, counted, decimal, plain, rate_text, short, signed_text
from userside.rubrics.evaluation.ranking import Ranking
from userside.rubrics.evaluation.reliability import Reliability
from userside.rubrics.evaluation.spread_text import distribution_text, languages_text
from userside.rubrics.evaluation.tables import LabelTables
from userside.rubrics.evaluation.tables_text import tables_text

WIDTH = 100
_NARROWEST = 80


def render_evaluation(evaluation: Evaluation, *, width: int = WIDTH) -> str:
    """Return an evaluation as text without colour codes, no line longer than `width` (80 at least)."""
    width = max(width, _NARROWEST)
    parts = [_heading(evaluation, width=width), _conversations(evaluation, width=width)]
    parts += [_satisfied(evaluation), *distribution_text(evaluation.distribution, width=width)]
    parts += _ranking(evaluation.ranking, width=width)
    parts += tables_text(evaluation.tables, width=width) if evaluation.tables else []
    parts += [_reliability(evaluation.reliability, width=width)] if evaluation.reliability else []
    parts += [items_text(evaluation.items, width=width)] if evaluation.coverage.n else []
    parts += languages_text(evaluation.languages, width=width)
    parts += [fill(_resampled(evaluation), width)] if evaluation.persons < evaluation.coverage.n else []
    parts += [fill(f"Not evaluated: {gap}.", width) for gap in evaluation.gaps]
    return "\n\n".join(parts) + "\n"


def _heading(evaluation: Evaluation, *, width: int) -> str:
    judges = "; ".join(f"{plain(judge)}, asked by {elicited}" for judge, elicited in evaluation.judges)
    against = f" against the users' labels ({plain(evaluation.source)})" if evaluation.source else ""
    said = f"Rubric {plain(evaluation.rubric)}{against}"
    return fill(f"{said}; judge: {judges}" if judges else said, width)


def _conversations(evaluation: Evaluation, *, width: int) -> str:
    coverage = evaluation.coverage
    lines = [
        f"{counted(coverage.scores, 'conversation')} scored, {coverage.n:,} evaluated: " + _listed(coverage.evaluated)
    ]
    reasons = ", ".join(f"{count:,} {plain(reason)}" for reason, count in coverage.without_R.items())
    left_out = {
        "that the rubric was learned from": coverage.training,
        "without a label": coverage.unlabelled,
        f"without R ({reasons})": sum(coverage.without_R.values()),
    }
    said = ", ".join(f"{count:,} {what}" for what, count in left_out.items() if count)
    lines += [f"Left out: {said}."] if said else []
    if coverage.labelled_only:
        lines += [f"{counted(coverage.labelled_only, 'labelled conversation')} have no scores."]
    return "\n".join(fill(line, width, subsequent_indent="  ") for line in lines)


def _listed(counts: Mapping[Label, int]) -> str:
    return ", ".join(f"{count:,} {label}" for label, count in counts.items())


def _resampled(evaluation: Evaluation) -> str:
    return (
        f"The {evaluation.coverage.n:,} conversations are of {counted(evaluation.persons, 'person')}. Intervals of "
        "AUC, F1, kappa and means allow for that; those of shares and odds ratios, and p, take conversations as "
        "independent."
    )


def _satisfied(evaluation: Evaluation) -> str:
    tables = evaluation.tables
    rows = [["  by users' own labels", rate_text(tables.users_satisfied if tables else evaluation.users_satisfied)]]
    if tables:
        rows.append([f"  estimated from R, {_kind(tables)}", rate_text(tables.estimated_satisfied)])
    return "Satisfied users [95 % interval]\n" + grid(rows, left=1)


def _kind(tables: LabelTables) -> str:
    if not tables.is_calibrated:
        return "uncalibrated"
    return "held out" if tables.is_held_out else "calibrated"


def _ranking(ranking: Ranking | None, *, width: int) -> Iterator[str]:
    if ranking is None:
        return
    numbers = f"{ranking.satisfied:,} satisfied, {ranking.dissatisfied:,} dissatisfied"
    neutral = f"; {ranking.neutral_left_out:,} neutral left out" if ranking.neutral_left_out else ""
    rows = [["  R", bootstrap_text(ranking.auc), "", ""]]
    for rival in ranking.rivals:
        name = f"  {short(rival.name)}" + (", out of fold" if rival.name == "signals" else "")
        some = f" (n = {rival.n:,})" if rival.missing else ""
        rows.append([name + some, bootstrap_text(rival.auc), f"R − {short(rival.name)}", signed_text(rival.difference)])
    meaning = "AUC: the chance that a satisfied user's R is above a dissatisfied one's; 0.5 says nothing"
    heading = f"{meaning} ({numbers}{neutral})"
    yield "\n".join(
        [
            *fill(heading, width).split("\n"),
            widest_that_fits([rows, [[name, auc, less] for name, auc, _, less in rows]], left=4, width=width),
            *(fill(f"  No {short(name)}: {plain(why, longest=200)}.", width) for name, why in ranking.no_rival.items()),
        ]
    )


def _reliability(reliability: Reliability, *, width: int) -> str:
    kind = "" if reliability.is_held_out else "; fitted to labels, optimistic where those are of these conversations"
    ours, constant = (decimal(brier, places=3) for brier in (reliability.brier, reliability.brier_of_constant))
    interval, missing = reliability.brier_interval, reliability.missing
    between = f" [{decimal(interval.low, places=3)}, {decimal(interval.high, places=3)}]" if interval else ""
    without = f", {missing:,} more have none" if missing else ""
    heading = (
        f"Probability of a satisfied user (n = {reliability.n:,}{without}): Brier score {ours}{between}, of the "
        f"constant {constant}; calibration error {decimal(reliability.calibration_error, places=3)}{kind}"
    )
    rows = [["  predicted", "n", "observed"]]
    rows += [[f"  {part.mean_predicted:.2f}", f"{part.n:,}", rate_text(part.observed)] for part in reliability.bins]
    return f"{fill(heading, width)}\n{grid(rows, left=1)}"
