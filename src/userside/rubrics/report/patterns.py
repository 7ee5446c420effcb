"""What tells satisfied from dissatisfied users: the section on the rubric's patterns."""

from collections.abc import Iterator, Sequence

from userside.conversations import Label
from userside.render import (
    Axis,
    Badge,
    Block,
    Callout,
    Cell,
    Column,
    ColumnKind,
    Details,
    DivergingBars,
    DivergingRow,
    Dot,
    DotPlot,
    Figure,
    Missing,
    Prose,
    Section,
    Table,
    Tone,
)
from userside.rubrics.report.cases import Facts
from userside.rubrics.report.examples import examples
from userside.rubrics.report.pattern import FEW, SIGNIFICANT, Pattern, patterns_of
from userside.rubrics.report.wording import (
    bootstrap_cell,
    counted,
    counts_cell,
    percent,
    rate_cell,
    rate_estimate,
    shortened,
)
from userside.rubrics.rubric import RubricItem, Side
from userside.rubrics.scores import HIGHEST
from userside.statistics import Rate

TITLES = {Side.SATISFIED: "Signs of satisfaction", Side.DISSATISFIED: "Signs of dissatisfaction"}
NAMED = 3
"""Patterns that the first sentence names, on each side."""
LEARNED = 2
"""Pieces of evidence shown of those a pattern was learned from."""
BANDS = ((0, 1), (1, 4), (4, 7), (7, HIGHEST + 1))
"""Scores that are counted together: hardly, weakly, fairly, clearly."""


def patterns_section(facts: Facts) -> Section | None:
    """Return the section on the patterns, or None when not one was judged anywhere."""
    patterns = patterns_of(facts)
    if not any(pattern.rate.denominator for pattern in patterns):
        return None
    compared = facts.evaluation is not None and facts.evaluation.ranking is not None
    blocks: list[Block] = [Prose(text=_finding(patterns) if compared else _commonest(patterns))]
    blocks += _figures(patterns, facts, compared=compared)
    blocks += [_table(patterns, compared=compared, facts=facts), _caution()]
    blocks += [Prose(text="**Each pattern by itself**, with its clearest examples. Open one to see them.")]
    opened = {next((one.item.name for one in patterns if one.item.side is side), "") for side in Side}
    blocks += [_details(pattern, facts, is_open=pattern.item.name in opened) for pattern in patterns]
    return Section(
        title="What tells them apart" if compared else "What was found", anchor="patterns", blocks=tuple(blocks)
    )


def _finding(patterns: Sequence[Pattern]) -> str:
    clear = [one for one in patterns if one.is_clear and not one.is_backwards]
    named = [one for side in Side for one in [one for one in clear if one.item.side is side][:NAMED]]
    if named:
        lines = "\n".join(f"- {_named(one)}" for one in named)
        return f"What tells satisfied from dissatisfied users most surely:\n\n{lines}"
    return (
        "No pattern differs between satisfied and dissatisfied users by more than chance would bring about among so "
        "many patterns and so few users. How often each applies is shown all the same."
    )


def _named(pattern: Pattern) -> str:
    rates = [
        f"{rate.numerator:,} of {rate.denominator:,}" for rate in (pattern.satisfied, pattern.dissatisfied) if rate
    ]
    sign = f"a sign of {_side(pattern.item)}"
    return f"**{pattern.item.title}**, {sign}: {rates[0]} satisfied users, {rates[1]} dissatisfied"


def _commonest(patterns: Sequence[Pattern]) -> str:
    lines: list[str] = []
    for side, title in TITLES.items():
        common = [pattern for pattern in patterns if pattern.item.side is side and pattern.rate.numerator][:NAMED]
        if common:
            named = ", ".join(f"*{pattern.item.title}* ({percent(pattern.rate.value)})" for pattern in common)
            lines.append(f"- **{title}**, the commonest: {named}")
    return "\n".join(lines) or "None of the rubric's patterns applies in any conversation."


def _figures(patterns: Sequence[Pattern], facts: Facts, *, compared: bool) -> Iterator[Figure]:
    for side, title in TITLES.items():
        found = [one for one in patterns if one.item.side is side]
        if found and compared:
            yield _compared_figure(found, facts, title=title)
        elif found:
            yield _rate_figure(found, title=title, tone=Tone.GOOD if side is Side.SATISFIED else Tone.BAD)


def _compared_figure(patterns: Sequence[Pattern], facts: Facts, *, title: str) -> Figure:
    by_score = facts.by_tokens
    rows = tuple(
        DivergingRow(
            label=pattern.item.title,
            left=pattern.mean(Label.DISSATISFIED) if by_score else _value(pattern.dissatisfied),
            right=pattern.mean(Label.SATISFIED) if by_score else _value(pattern.satisfied),
        )
        for pattern in patterns
    )
    label = "Mean score, 0 to 10" if by_score else "Share of users to whom it applies"
    top = f"{title}: {'the mean score' if by_score else 'how often each applies'}, by what users say"
    return Figure(
        plot=DivergingBars(
            rows=rows,
            axis=Axis(label=label, percent=not by_score, decimals=1 if by_score else 0),
            left_label="Dissatisfied users",
            right_label="Satisfied users",
        ),
        title=top,
        alt=f"{top}. The surest difference first: {patterns[0].item.title}.",
    )


def _value(rate: Rate | None) -> float:
    return (rate.value or 0.0) if rate else 0.0


def _rate_figure(patterns: Sequence[Pattern], *, title: str, tone: Tone) -> Figure:
    dots = tuple(
        Dot(label=one.item.title, estimate=rate_estimate(one.rate) or Missing(reason="not judged"), tone=tone)
        for one in patterns
    )
    axis = Axis(label="Share of conversations in which it applies", low=0, percent=True, decimals=0)
    full = f"{title}: in how many conversations each applies"
    alt = f"{full}. The commonest: {patterns[0].item.title}, {percent(patterns[0].rate.value)}."
    return Figure(plot=DotPlot(dots=dots, axis=axis), title=full, alt=alt)


def _table(patterns: Sequence[Pattern], *, compared: bool, facts: Facts) -> Table:
    names = ("Satisfied users", "Dissatisfied users") if compared else ("Applies in",)
    columns = [
        Column(name="Pattern"),
        Column(name="Sign"),
        *(Column(name=name, kind=ColumnKind.RATE, decimals=0) for name in names),
    ]
    if compared:
        columns += [Column(name="AUC", kind=ColumnKind.NUMBER, decimals=2), Column(name="Difference")]
    return Table(
        caption="In how many conversations each applies",
        columns=tuple(columns),
        rows=tuple(_row(pattern, compared=compared) for pattern in patterns),
        notes=_notes(facts, compared=compared),
        sortable=True,
    )


def _row(pattern: Pattern, *, compared: bool) -> tuple[Cell, ...]:
    start: tuple[Cell, ...] = (pattern.item.title, "for" if pattern.item.side is Side.SATISFIED else "against")
    if not compared:
        return (*start, rate_cell(pattern.rate))
    rates = [rate_cell(rate) if rate else None for rate in (pattern.satisfied, pattern.dissatisfied)]
    return (*start, *rates, bootstrap_cell(pattern.evaluated.auc if pattern.evaluated else None), _difference(pattern))


def _side(item: RubricItem) -> str:
    return "satisfaction" if item.side is Side.SATISFIED else "dissatisfaction"


def _difference(pattern: Pattern) -> str:
    p = pattern.evaluated.adjusted_p if pattern.evaluated else None
    if p is None:
        return "not tested: in all or none"
    written = "p < 0.001" if p < 0.001 else f"p {p:.3f}" if p < SIGNIFICANT else f"p {p:.2f}"  # noqa: PLR2004
    parts = ["clear" if pattern.is_clear else "unclear", written]
    return ", ".join(
        [*parts, *(["backwards"] if pattern.is_backwards else []), *(["few users"] if pattern.few else [])]
    )


def _notes(facts: Facts, *, compared: bool) -> tuple[str, ...]:
    applies = (
        "A pattern *applies* where the judge gives it a probability of one half or more."
        if facts.by_tokens
        else "A pattern *applies* where the judge said yes."
    )
    notes = [f"{applies} In brackets: Wilson's 95 % interval. Where it could not be judged it is not counted."]
    if compared:
        notes.append(
            "*AUC*: the chance that the pattern's score puts a satisfied user above a dissatisfied one. 0.5 is "
            "guessing, below it the pattern works backwards. Its interval resamples people. *Difference*: chi-square "
            f"or Fisher's exact test, neutral users left out, p corrected for {len(facts.items)} patterns (Benjamini, "
            f"Hochberg); *few users* says that one of the groups has under {FEW}."
        )
    return tuple(notes)


def _caution() -> Callout:
    return Callout(
        title="A pattern is not a cause",
        text="People who thank are often people who are polite, and long conversations have room for more patterns. "
        "What goes with satisfaction need not bring it about: read the conversations before changing anything.",
    )


def _details(pattern: Pattern, facts: Facts, *, is_open: bool) -> Details:
    good = pattern.item.side is Side.SATISFIED
    badges = [Badge(text=f"sign of {_side(pattern.item)}", tone=Tone.GOOD if good else Tone.BAD)]
    if pattern.is_backwards:
        badges.append(Badge(text="works against the rubric"))
    if pattern.evaluated and pattern.evaluated.has_no_spread:
        badges.append(Badge(text="nearly the same everywhere"))
    return Details(
        summary=pattern.item.title,
        badges=tuple(badges),
        aside=f"applies in {pattern.rate.numerator:,} of {pattern.rate.denominator:,}",
        preview=pattern.item.description,
        open=is_open,
        blocks=(examples(pattern.item, facts), *_learned(pattern), _spread(pattern)),
    )


def _learned(pattern: Pattern) -> tuple[Table, ...]:
    rows = tuple((one.id, f"“{shortened(one.quote)}”") for one in pattern.item.evidence[:LEARNED])
    return (Table(columns=(Column(name="Learned from"), Column(name="")), rows=rows),) if rows else ()


def _spread(pattern: Pattern) -> Table:
    n = len(pattern.scores)
    rows = tuple(
        (_band(low, high), counts_cell(sum(low <= score < high for score in pattern.scores), n)) for low, high in BANDS
    )
    columns = (Column(name="Score"), Column(name="Conversations", kind=ColumnKind.RATE, decimals=0))
    note = f"{counted(n, 'conversation')} with a score for it."
    return Table(columns=columns, rows=rows, notes=(note,))


def _band(low: int, high: int) -> str:
    if high > HIGHEST:
        return f"{low} to {HIGHEST}"
    return f"below {high}" if low == 0 else f"{low} to below {high}"
