"""How far the estimate can be trusted: its labels against the users' own, beside what costs less."""

from collections.abc import Sequence

from userside.conversations import language_name
from userside.render import (
    Axis,
    Block,
    Cell,
    Column,
    ColumnKind,
    ConfusionTable,
    Details,
    Estimate,
    Figure,
    Missing,
    PairedDots,
    PairedRow,
    Prose,
    Section,
    Table,
    Tone,
    render_number,
)
from userside.rubrics.evaluation import Evaluation, LabelFigures, LabelTable, LanguageEvaluation, Ranking
from userside.rubrics.report.cases import Facts
from userside.rubrics.report.wording import ORDER, bootstrap_cell, counted, literal
from userside.statistics import Bootstrap

RIVALS = {
    "signals": "Counted words and forms, no judge",
    "zero-shot": "The judge asked outright",
    "R, cuts fitted": "The same R, with cuts fitted to these labels",
}
FIGURES = ("Macro F1", "Weighted F1", "Kappa", "AUC")


def agreement_section(facts: Facts) -> Section | None:
    """Return the section, or None unless some conversation has R and a label that it may be held against."""
    found = facts.evaluation
    if found is None:
        return None
    blocks: list[Block] = [_flow(facts)]
    if found.tables:
        blocks = [
            Prose(text=_opening(found)),
            _rivals(found.tables.three, found.ranking, title="With three labels"),
            _confusion(found, facts),
            _classes(found.tables.three),
            *blocks,
            *([_two(found.tables.two, found.ranking)] if found.tables.two else []),
        ]
    if found.ranking and found.ranking.rivals:
        blocks.append(_worth(found.ranking))
    if len(found.languages) > 1:
        blocks.append(_languages(found.languages))
    return Section(title="How far to trust the estimate", anchor="agreement", blocks=tuple(blocks))


def _opening(found: Evaluation) -> str:
    tables = found.tables
    assert tables is not None  # noqa: S101 - the caller looked
    three = tables.three
    rivals = [(RIVALS.get(one.name, literal(one.name)), one.macro_f1.estimate) for one in three.rivals]
    constant = three.constant.macro.f1 if three.constant.macro else None
    beside = [
        *((name, value) for name, value in rivals if value is not None),
        *([(f"always saying “{three.always}”", constant)] if constant is not None else []),
    ]
    said = "; ".join(f"{name[0].lower()}{name[1:]}, {render_number(value, decimals=2)}" for name, value in beside)
    own = three.macro_f1.estimate
    score = "no figure" if own is None else render_number(own, decimals=2)
    held = " The cuts had not seen the conversation they label." if tables.is_held_out else ""
    return (
        f"{counted(three.figures.n, 'conversation')} have an estimate and a label, and did not help to learn the "
        f"rubric. A score that treats all three labels alike (*macro F1*, 1 is perfect) gives the estimate "
        f"**{score}**. Beside it: {said}.{held}"
    )


def _columns(first: str) -> tuple[Column, ...]:
    return (Column(name=first), *(Column(name=name, kind=ColumnKind.NUMBER, decimals=2) for name in FIGURES))


def _rivals(table: LabelTable, ranking: Ranking | None, *, title: str) -> Table:
    aucs = {one.name: one.auc for one in ranking.rivals} if ranking else {}
    rows: list[tuple[Cell, ...]] = [
        ("R, the rubric's estimate", *_figures(table, ranking.auc if ranking else None)),
        *((RIVALS.get(one.name, one.name), *_figures(one, aucs.get(one.name))) for one in table.rivals),
        (f"Always “{table.always}”", *_constant(table)),
    ]
    note = (
        "*Kappa* is agreement beyond chance, 0 for none and 1 for complete. *AUC* is how often a satisfied user is put "
        "above a dissatisfied one. In brackets 95 % intervals that resample people. Whatever stands beside R got its "
        "cuts from other conversations than the one it labels."
    )
    return Table(caption=title, columns=_columns("Who says"), rows=tuple(rows), notes=(note,))


def _figures(figures: LabelFigures, auc: Bootstrap | None) -> tuple[Cell, ...]:
    found = (figures.macro_f1, figures.weighted_f1, figures.kappa)
    return (*map(bootstrap_cell, found), bootstrap_cell(auc) if auc else Missing(reason="as R"))


def _constant(table: LabelTable) -> tuple[Cell, ...]:
    macro, weighted = table.constant.macro, table.constant.weighted
    return (macro.f1 if macro else None, weighted.f1 if weighted else None, table.constant.kappa, 0.5)


def _two(table: LabelTable, ranking: Ranking | None) -> Details:
    inner = _rivals(table, ranking, title="With two labels")
    note = Prose(text="Neutral users are left out, and R above the middle of its two cuts reads satisfied.")
    return Details(summary="The same with neutral users left out", blocks=(note, inner))


def _confusion(found: Evaluation, facts: Facts) -> ConfusionTable:
    tables = found.tables
    assert tables is not None  # noqa: S101 - the caller looked
    matrix = tables.three.figures.confusion
    places = [matrix.labels.index(str(label)) for label in ORDER]
    learned = f"{found.coverage.training:,} more helped to learn the rubric and are left out."
    held = "Each was labelled by cuts that had not seen it, so counts may differ by a few from those at the top."
    return ConfusionTable(
        labels=tuple(label.value.capitalize() for label in ORDER),
        counts=tuple(tuple(matrix.counts[row][column] for column in places) for row in places),
        row_title=facts.voice,
        column_title="Transcripts read",
        caption=f"{counted(matrix.n, 'conversation')} with both",
        notes=(*((held,) if tables.is_held_out else ()), *((learned,) if found.coverage.training else ())),
    )


def _classes(table: LabelTable) -> Figure:
    by_label = {one.label: one for one in table.per_class}
    counts = {one.label: one.recall.denominator for one in table.figures.per_class}
    rows = tuple(
        PairedRow(
            label=f"{label.value.capitalize()} ({counts[str(label)]:,} users)",
            first=_share(by_label[str(label)].recall),
            second=_share(by_label[str(label)].precision),
        )
        for label in ORDER
        if counts.get(str(label))
    )
    return Figure(
        plot=PairedDots(
            rows=rows,
            axis=Axis(label="Share", low=0, high=1, percent=True, decimals=0),
            first_label="Found, of those there are",
            second_label="Right, of those named so",
            first_tone=Tone.ACCENT,
            second_tone=Tone.MUTED,
        ),
        title="Label by label: how many the estimate finds, and how often it is right",
        alt="Recall and precision of each label.",
        caption="*Found* is recall, *right* is precision; lines are 95 % intervals.",
    )


def _share(figure: Bootstrap) -> Estimate | Missing:
    return Missing(reason="none named so") if figure.estimate is None else bootstrap_cell(figure)


def _flow(facts: Facts) -> Table:
    trained = frozenset(facts.inputs.rubric.training_ids)
    scored = [case for case in facts.cases if case.R is not None]
    others = [case for case in scored if case.id not in trained]
    labelled = [case for case in others if case.said]
    steps = (
        ("less: the rubric was learned from them", len(scored) - len(others), len(others)),
        ("less: no label of the user", len(others) - len(labelled), len(labelled)),
    )
    rows: list[tuple[Cell, ...]] = [
        ("Scored: they have R", len(scored), len(scored)),
        *((words, -count, left) for words, count, left in steps if count),
        ("Held against the user's own label", len(labelled), len(labelled)),
    ]
    columns = (
        Column(name="Step"),
        Column(name="Conversations", kind=ColumnKind.NUMBER, decimals=0),
        Column(name="Left", kind=ColumnKind.BAR, decimals=0, full=float(len(scored) or 1)),
    )
    return Table(caption="From scores to comparison", columns=columns, rows=tuple(rows))


def _worth(ranking: Ranking) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for rival in ranking.rivals:
        figures = map(bootstrap_cell, (rival.auc_of_R, rival.auc, rival.difference))
        rows.append((RIVALS.get(rival.name, rival.name), rival.n, *figures))
    columns = (
        Column(name="Beside R"),
        Column(name="Conversations", kind=ColumnKind.NUMBER, decimals=0),
        Column(name="AUC of R", kind=ColumnKind.NUMBER, decimals=2),
        Column(name="AUC of the other", kind=ColumnKind.NUMBER, decimals=2),
        Column(name="R better by", kind=ColumnKind.NUMBER, decimals=2),
    )
    note = (
        "On the same conversations, intervals paired. *Counted words and forms* are thanks, complaints, repetition, "
        "length and the like, weighted on other conversations than the one judged: what a judge has to beat."
    )
    return Table(caption="Is the judge worth it?", columns=columns, rows=tuple(rows), notes=(note,))


def _languages(found: Sequence[LanguageEvaluation]) -> Table:
    columns = (
        Column(name="Language"),
        *(Column(name=label.value.capitalize(), kind=ColumnKind.NUMBER, decimals=0) for label in ORDER),
        Column(name="AUC", kind=ColumnKind.NUMBER, decimals=2),
        Column(name="Kappa", kind=ColumnKind.NUMBER, decimals=2),
    )
    rows = tuple(
        (
            language_name(one.language) or one.language,
            *(one.evaluated.get(label, 0) for label in ORDER),
            *(_of_language(figure, one) for figure in (one.auc, one.kappa)),
        )
        for one in found
    )
    note = (
        "A judge that reads one language well may read another badly. Agreement is given from 10 satisfied and 10 "
        "dissatisfied users of a language; with fewer it would be noise."
    )
    return Table(caption="Agreement by language", columns=columns, rows=rows, notes=(note,))


def _of_language(figure: Bootstrap | None, one: LanguageEvaluation) -> Cell:
    if figure is not None:
        return bootstrap_cell(figure)
    return Missing(reason="too few" if one.too_few else "no cuts")
