"""An evaluation as plain text for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import TextWrapper

from userside.conversations import Label
from userside.rubrics.evaluation.evaluation import Evaluation, Reliability
from userside.rubrics.evaluation.grid import grid
from userside.rubrics.evaluation.items_text import items_text
from userside.rubrics.evaluation.phrases import bootstrap_text, counted, decimal, plain, rate_text, signed
from userside.rubrics.evaluation.ranking import Ranking
from userside.rubrics.evaluation.tables import LabelTable, LabelTables
from userside.rubrics.rubric import Cuts
from userside.statistics import Averages, Bootstrap, Classification, ConfusionMatrix

WIDTH = 100
_NARROWEST = 80


def _fill(text: str, width: int, *, subsequent_indent: str = "") -> str:
    """Return text in lines of at most that width; the hyphens of flags do not break."""
    return TextWrapper(width=width, subsequent_indent=subsequent_indent, break_on_hyphens=False).fill(text)


def render_evaluation(evaluation: Evaluation, *, width: int = WIDTH) -> str:
    """Return an evaluation as text without colour codes, no line longer than `width` (80 at least)."""
    width = max(width, _NARROWEST)
    parts = [_heading(evaluation, width=width), _conversations(evaluation, width=width)]
    parts += [_satisfied(evaluation), *_ranking(evaluation.ranking, width=width)]
    parts += _tables(evaluation.tables, width=width) if evaluation.tables else []
    parts += [_reliability(evaluation.reliability)] if evaluation.reliability else []
    parts += [items_text(evaluation.items, width=width)] if evaluation.coverage.n else []
    parts += [_fill(f"Not evaluated: {gap}.", width) for gap in evaluation.gaps]
    return "\n\n".join(parts) + "\n"


def _heading(evaluation: Evaluation, *, width: int) -> str:
    judges = "; ".join(f"{plain(judge)}, asked by {elicited}" for judge, elicited in evaluation.judges)
    against = f" against the users' labels ({plain(evaluation.source)})" if evaluation.source else ""
    said = f"Rubric {plain(evaluation.rubric)}{against}"
    return _fill(f"{said}; judge: {judges}" if judges else said, width)


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
    return "\n".join(_fill(line, width, subsequent_indent="  ") for line in lines)


def _listed(counts: Mapping[Label, int]) -> str:
    return ", ".join(f"{count:,} {label}" for label, count in counts.items())


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
        name = f"  {rival.name}" + (", out of fold" if rival.name == "signals" else "")
        some = f" (n = {rival.n:,})" if rival.missing else ""
        rows.append([name + some, bootstrap_text(rival.auc), f"R − {rival.name}", _signed(rival.difference)])
    meaning = "AUC: the chance that a satisfied user's R is above a dissatisfied one's; 0.5 says nothing"
    heading = f"{meaning} ({numbers}{neutral})"
    yield "\n".join(
        [
            *_fill(heading, width).split("\n"),
            grid(rows, left=4),
            *(_fill(f"  No {name}: {plain(why)}.", width) for name, why in ranking.no_rival.items()),
        ]
    )


def _signed(difference: Bootstrap) -> str:
    return bootstrap_text(difference, number=signed)


def _tables(tables: LabelTables, *, width: int) -> Iterator[str]:
    yield _fill(_cuts(tables), width)
    yield _table(tables.three, title="Three classes", width=width)
    if tables.two is None:
        return
    yield _table(tables.two, title="Two classes, neutral users left out", width=width)
    rule = "R above the middle of the two cuts is satisfied, all else dissatisfied"
    yield _fill(f"{rule}; {counted(tables.at_middle, 'conversation')} exactly in the middle.", width)


def _cuts(tables: LabelTables) -> str:
    cuts = "; ".join(_one_cut(cuts) for cuts in tables.cuts)
    if not tables.is_calibrated:
        return f"Labels from R: {cuts}. These cuts are uncalibrated; `--fit-cuts` fits new ones to the labels."
    if tables.is_held_out:
        return f"Labels from R: {cuts}. Fitted; each conversation below is labelled by cuts that had not seen it."
    return f"Labels from R: {cuts}. Fitted to labels; where those are of these conversations, figures are optimistic."


def _one_cut(cuts: Cuts) -> str:
    low, high = (decimal(cut, places=1) for cut in (cuts.dissatisfied_below, cuts.satisfied_above))
    return f"dissatisfied below {low}, satisfied above {high}"


def _table(table: LabelTable, *, title: str, width: int) -> str:
    ours = (table.accuracy, table.macro_f1, table.kappa)
    accuracy, macro, kappa = (bootstrap_text(figure) for figure in ours)
    constant = table.constant
    rows = [
        ["", "accuracy", "macro F1", "kappa", "weighted F1"],
        ["  R", accuracy, macro, kappa, _f1(table.figures.weighted)],
        [f"  always {table.always}", decimal(constant.accuracy.value), _f1(constant.macro), decimal(constant.kappa),
         _f1(constant.weighted)],
    ]  # fmt: skip
    whole = grid(rows, left=1)
    if max(map(len, whole.split("\n"))) > width:
        whole = grid([row[:-1] for row in rows], left=1)
    parts = [f"{title} (n = {table.figures.n:,})", whole, grid(_classes(table.figures), left=1)]
    return "\n".join([*parts, *filter(None, [_fill(_no_interval(ours), width)])])


def _classes(figures: Classification) -> list[list[str]]:
    confusion: ConfusionMatrix = figures.confusion
    head = ["  users said", "precision", "recall", "F1", *_called(confusion.labels)]
    rows = [
        [f"  {scores.label}", decimal(scores.precision.value), decimal(scores.recall.value), decimal(scores.f1)]
        + [f"{count:,}" for count in counts]
        for scores, counts in zip(figures.per_class, confusion.counts, strict=True)
    ]
    blank = [""] * len(confusion.labels)
    means = [("macro mean", figures.macro), ("weighted mean", figures.weighted)]
    return [head, *rows, *([f"  {name}", *_averages(averages), *blank] for name, averages in means)]


def _called(labels: Sequence[str]) -> list[str]:
    first, *others = (label[:3] for label in labels)
    return [f"R says: {first}", *others]


def _averages(averages: Averages | None) -> list[str]:
    if averages is None:
        return [decimal(None)] * 3
    return [decimal(averages.precision), decimal(averages.recall), decimal(averages.f1)]


def _f1(averages: Averages | None) -> str:
    return decimal(averages.f1 if averages else None)


def _no_interval(figures: Sequence[Bootstrap]) -> str:
    reasons = {str(figure.no_interval).replace("_", " ") for figure in figures if figure.no_interval}
    return f"  No interval where there is none: {', '.join(sorted(reasons))}." if reasons else ""


def _reliability(reliability: Reliability) -> str:
    kind = "" if reliability.is_held_out else "; fitted to labels, optimistic where those are of these conversations"
    ours, constant = (decimal(brier, places=3) for brier in (reliability.brier, reliability.brier_of_constant))
    brier = f"Brier score {ours}, of the constant {constant}"
    rows = [["  predicted", "n", "observed"]]
    rows += [[f"  {part.mean_predicted:.2f}", f"{part.n:,}", rate_text(part.observed)] for part in reliability.bins]
    return f"Probability of a satisfied user (n = {reliability.n:,}): {brier}{kind}\n" + grid(rows, left=1)
