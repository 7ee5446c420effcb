"""Labels from R against users' own, as plain text for a terminal."""

from collections.abc import Iterator, Sequence

from userside.rubrics.evaluation.figures import LabelFigures
from userside.rubrics.evaluation.grid import fill, widest_that_fits
from userside.rubrics.evaluation.phrases import bootstrap_text, counted, decimal, plain, short, signed_text
from userside.rubrics.evaluation.tables import LabelTable, LabelTables
from userside.rubrics.rubric import Cuts
from userside.statistics import Averages, Bootstrap, Classification


def tables_text(tables: LabelTables, *, width: int) -> Iterator[str]:
    """Yield the paragraphs: which cuts, three classes, two classes."""
    yield fill(_cuts(tables), width)
    yield _table(tables.three, title="Three classes", width=width)
    if tables.two is not None:
        yield _table(tables.two, title="Two classes, neutral users left out", width=width)
        rule = "R above the middle of the two cuts is satisfied, all else dissatisfied"
        yield fill(f"{rule}; {counted(tables.at_middle, 'conversation')} exactly in the middle.", width)
    if any(table.rivals for table in (tables.three, tables.two) if table):
        yield fill("Beside R: scores labelled by cuts fitted to other conversations than the one labelled.", width)
    if tables.no_rival:
        why = (f"No labels of {short(name)}: {plain(why, longest=200)}." for name, why in tables.no_rival.items())
        yield "\n".join(fill(line, width) for line in why)


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
    constant = table.constant
    rows = [
        ["", "accuracy", "macro F1", "kappa", "weighted F1"],
        ["  R", *_figures(table)],
        *([f"  {short(rival.name)}" + _some(table, rival.missing), *_figures(rival)] for rival in table.rivals),
        [f"  always {table.always}", decimal(constant.accuracy.value), _f1(constant.macro), decimal(constant.kappa),
         _f1(constant.weighted)],
    ]  # fmt: skip
    by_class = [_classes(table, is_wide=is_wide) for is_wide in (True, False)]
    differences = "; ".join(f"{short(rival.name)} {signed_text(rival.difference)}" for rival in table.rivals)
    said = [f"  Macro F1 of R less that of: {differences}"] if differences else []
    said += filter(None, [_no_interval((table.accuracy, table.macro_f1, table.kappa))])
    parts = [
        f"{title} (n = {table.figures.n:,})",
        widest_that_fits([[row[:columns] for row in rows] for columns in (5, 4, 3)], width=width),
        *(fill(line, width, subsequent_indent="  ") for line in said),
        widest_that_fits(by_class, width=width),
    ]
    return "\n".join(parts)


def _some(table: LabelTable, missing: int) -> str:
    return f" (n = {table.figures.n - missing:,})" if missing else ""


def _figures(figures: LabelFigures) -> list[str]:
    return [
        bootstrap_text(figure) for figure in (figures.accuracy, figures.macro_f1, figures.kappa, figures.weighted_f1)
    ]


def _classes(table: LabelTable, *, is_wide: bool) -> list[list[str]]:
    """Return the rows by class, with intervals where there is room for them."""
    figures: Classification = table.figures
    confusion = figures.confusion
    head = ["  users said", "precision", "recall", "F1", *_called(confusion.labels)]
    rows = [
        [f"  {scores.label}", *(bootstrap_text(one) if is_wide else decimal(one.estimate) for one in measured)]
        + [f"{count:,}" for count in counts]
        for scores, counts, measured in zip(figures.per_class, confusion.counts, _measured(table), strict=True)
    ]
    blank = [""] * len(confusion.labels)
    means = [("macro mean", figures.macro), ("weighted mean", figures.weighted)]
    return [head, *rows, *([f"  {name}", *_averages(averages), *blank] for name, averages in means)]


def _measured(table: LabelTable) -> list[tuple[Bootstrap, Bootstrap, Bootstrap]]:
    return [(one.precision, one.recall, one.f1) for one in table.per_class]


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
