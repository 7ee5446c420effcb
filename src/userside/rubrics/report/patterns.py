"""What tells satisfied from dissatisfied users: the section on the rubric's patterns."""

from collections.abc import Iterator, Sequence

from userside.conversations import Label
from userside.render import (
    Axis,
    Badge,
    Block,
    Callout,
    CalloutKind,
    Column,
    ColumnKind,
    Details,
    Dot,
    DotPlot,
    Estimate,
    Figure,
    Missing,
    PairedDots,
    PairedRow,
    Prose,
    Section,
    Table,
    Tone,
)
from userside.rubrics.report.cases import Facts
from userside.rubrics.report.examples import examples
from userside.rubrics.report.pattern import Pattern, patterns_of
from userside.rubrics.report.pattern_table import pattern_table
from userside.rubrics.report.wording import (
    ORDER,
    counted,
    counts_cell,
    percent,
    rate_estimate,
)
from userside.rubrics.rubric import RubricItem, Side
from userside.rubrics.scores import HIGHEST
from userside.statistics import Rate

TITLES = {Side.SATISFIED: "Signs of satisfaction", Side.DISSATISFIED: "Signs of dissatisfaction"}
NAMED = 3
"""Patterns that the first sentence names, on each side."""
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
    blocks += [*_flags(patterns), pattern_table(patterns, compared=compared, facts=facts), _caution()]
    blocks += [Prose(text="**Each pattern by itself**, with its clearest examples. Open one to see them.")]
    opened = {next((one.item.name for one in patterns if one.item.side is side), "") for side in Side}
    blocks += [_details(pattern, facts, is_open=pattern.item.name in opened) for pattern in patterns]
    return Section(
        title="What drives satisfaction" if compared else "What was found", anchor="patterns", blocks=tuple(blocks)
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
        PairedRow(
            label=pattern.item.title,
            first=_mean(pattern, Label.SATISFIED) if by_score else _rate(pattern.satisfied),
            second=_mean(pattern, Label.DISSATISFIED) if by_score else _rate(pattern.dissatisfied),
            verdict=pattern.verdict,
            is_quiet=not pattern.is_clear and not pattern.is_backwards,
        )
        for pattern in patterns
    )
    label = "Mean score, 0 to 10" if by_score else "Share of users to whom it applies"
    top = f"{title}: {'the mean score' if by_score else 'how often each applies'}, by what users say"
    return Figure(
        plot=PairedDots(
            rows=rows,
            axis=Axis(label=label, low=0, percent=not by_score, decimals=1 if by_score else 0),
            first_label="Satisfied users",
            second_label="Dissatisfied users",
        ),
        title=top,
        alt=f"{top}. The surest difference first: {patterns[0].item.title}, {patterns[0].verdict}.",
        caption="The upper dot is of satisfied users; lines are 95 % intervals. At the right how sure it is that the "
        "two groups differ at all, corrected for the number of patterns; grey where it may be chance.",
    )


def _rate(rate: Rate | None) -> Estimate | Missing:
    return (rate_estimate(rate) if rate else None) or Missing(reason="nobody")


def _mean(pattern: Pattern, label: Label) -> Estimate | Missing:
    found = pattern.evaluated.means[label] if pattern.evaluated else None
    if found is None or found.mean is None:
        return Missing(reason="nobody")
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return Estimate(value=found.mean, low=low, high=high)


def _rate_figure(patterns: Sequence[Pattern], *, title: str, tone: Tone) -> Figure:
    dots = tuple(
        Dot(label=one.item.title, estimate=rate_estimate(one.rate) or Missing(reason="not judged"), tone=tone)
        for one in patterns
    )
    axis = Axis(label="Share of conversations in which it applies", low=0, percent=True, decimals=0)
    full = f"{title}: in how many conversations each applies"
    alt = f"{full}. The commonest: {patterns[0].item.title}, {percent(patterns[0].rate.value)}."
    return Figure(plot=DotPlot(dots=dots, axis=axis), title=full, alt=alt)


def _side(item: RubricItem) -> str:
    return "satisfaction" if item.side is Side.SATISFIED else "dissatisfaction"


def _flags(patterns: Sequence[Pattern]) -> tuple[Callout, ...]:
    """Return what is wrong with patterns, so that nobody leans on them."""
    lines = [
        *(
            f"- **{one.item.title}** works against the rubric: it stands there as a sign of {_side(one.item)}, and "
            "here it goes with the other users. It makes R worse."
            for one in patterns
            if one.is_backwards
        ),
        *(
            f"- **{one.item.title}** has nearly the same score everywhere, so it tells nobody apart."
            for one in patterns
            if one.is_flat
        ),
    ]
    if not lines:
        return ()
    return (Callout(title="Patterns not to lean on here", text="\n".join(lines), kind=CalloutKind.WARNING),)


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
    if pattern.is_flat:
        badges.append(Badge(text="nearly the same everywhere"))
    return Details(
        summary=pattern.item.title,
        badges=tuple(badges),
        aside=f"applies in {pattern.rate.numerator:,} of {pattern.rate.denominator:,}",
        preview=pattern.item.description,
        open=is_open,
        blocks=(*_in_words(pattern), examples(pattern.item, facts), _spread(pattern)),
    )


def _in_words(pattern: Pattern) -> tuple[Prose, ...]:
    """Return the effect as counts of people, which need no statistics."""
    table = pattern.evaluated.association.table if pattern.evaluated else None
    if table is None or not table.both + table.first_only or not table.second_only + table.neither:
        return ()
    where, others = table.both + table.first_only, table.second_only + table.neither
    text = (
        f"Of the {counted(where, 'user')} to whom it applies, **{table.both:,}** were satisfied; of the {others:,} "
        f"others, **{table.second_only:,}**. That the two differ: {pattern.sureness}."
    )
    return (Prose(text=text),)


def _spread(pattern: Pattern) -> Table:
    found = pattern.evaluated
    labels = [label for label in ORDER if found and any(found.histogram.get(label, ()))]
    if found is None or not labels:
        groups = {"Conversations": [sum(low <= score < high for score in pattern.scores) for low, high in BANDS]}
    else:
        groups = {f"{label} users".capitalize(): _in_bands(found.histogram[label]) for label in labels}
    columns = (Column(name="Score"), *(Column(name=name, kind=ColumnKind.RATE, decimals=0) for name in groups))
    rows = tuple(
        (_band(low, high), *(counts_cell(counts[place], sum(counts)) for counts in groups.values()))
        for place, (low, high) in enumerate(BANDS)
    )
    n = sum(map(sum, groups.values()))
    return Table(columns=columns, rows=rows, notes=(f"{counted(n, 'conversation')} with a score for it.",))


def _in_bands(histogram: Sequence[int]) -> list[int]:
    """Return how many score in each band; the histogram counts scores rounded to the nearest."""
    return [sum(histogram[low : min(high, HIGHEST + 1)]) for low, high in BANDS]


def _band(low: int, high: int) -> str:
    if high > HIGHEST:
        return f"{low} to {HIGHEST}"
    return f"below {high}" if low == 0 else f"{low} to below {high}"
