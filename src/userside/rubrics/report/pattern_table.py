"""Every pattern in one table: how often it applies, to whom, how strong the difference is, and how sure."""

from collections.abc import Sequence

from userside.render import Cell, Column, ColumnKind, Estimate, Missing, Table
from userside.rubrics.report.cases import Facts
from userside.rubrics.report.pattern import FEW, Pattern
from userside.rubrics.report.wording import bootstrap_cell, rate_cell
from userside.rubrics.rubric import Side


def pattern_table(patterns: Sequence[Pattern], *, compared: bool, facts: Facts) -> Table:
    """Return the table; `compared` where satisfied and dissatisfied users are both known."""
    names = ("Satisfied users", "Dissatisfied users") if compared else ("Applies in",)
    columns = [
        Column(name="Pattern"),
        Column(name="Sign"),
        *(Column(name=name, kind=ColumnKind.RATE, decimals=0) for name in names),
    ]
    if compared:
        columns += [
            Column(name="Different?"),
            Column(name="Odds ratio", kind=ColumnKind.NUMBER),
            Column(name="AUC", kind=ColumnKind.NUMBER, decimals=2),
        ]
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
    auc = bootstrap_cell(pattern.evaluated.auc if pattern.evaluated else None)
    return (*start, *rates, _difference(pattern), _odds_ratio(pattern), auc)


def _odds_ratio(pattern: Pattern) -> Cell:
    found = pattern.evaluated.association if pattern.evaluated else None
    if found is None or found.odds_ratio is None:
        return Missing(reason="in all or none")
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return Estimate(value=found.odds_ratio, low=low, high=high)


def _difference(pattern: Pattern) -> str:
    p = pattern.evaluated.adjusted_p if pattern.evaluated else None
    if p is None:
        return "cannot be tested: in all or none"
    written = "p < 0.001" if p < 0.001 else f"p {p:.3f}" if p < 0.05 else f"p {p:.2f}"  # noqa: PLR2004
    flags = (
        "works backwards" if pattern.is_backwards else "",
        "same everywhere" if pattern.is_flat else "",
        "few users" if pattern.few else "",
    )
    return ", ".join(filter(None, (pattern.sureness, written, *flags)))


def _notes(facts: Facts, *, compared: bool) -> tuple[str, ...]:
    applies = (
        "A pattern *applies* where the judge gives it a probability of one half or more."
        if facts.by_tokens
        else "A pattern *applies* where the judge said yes."
    )
    first = f"{applies} In brackets: 95 % intervals. Where it could not be judged it is not counted."
    if not compared:
        return (first,)
    different = (
        "*Different?* Neutral users are left out. Chi-square or Fisher's exact test, p corrected for "
        f"{len(facts.items)} patterns (Benjamini, Hochberg): of all called *fairly sure* or surer, about one in 20 at "
        "most is expected to be a fluke, of those *sure* one in 100, *very sure* one in 1,000. *Few users*: one of "
        f"the groups has under {FEW}."
    )
    strength = (
        "*Odds ratio*: by how much the odds of a satisfied user are multiplied where the pattern applies; 1 is no "
        "difference, below 1 it speaks against. *AUC*: the chance that its score puts a satisfied user above a "
        "dissatisfied one; 0.5 is guessing, below it the pattern works backwards."
    )
    return (first, different, strength)
