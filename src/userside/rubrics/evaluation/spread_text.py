"""How R is spread, and how it does language by language, as plain text for a terminal."""

from collections.abc import Iterator, Sequence

from userside.conversations import Label
from userside.rubrics.evaluation.distribution import ScoreDistribution
from userside.rubrics.evaluation.grid import fill, grid
from userside.rubrics.evaluation.languages import LanguageEvaluation
from userside.rubrics.evaluation.phrases import MISSING, bootstrap_text, plain
from userside.statistics import Bootstrap

_BARS = "▁▂▃▄▅▆▇█"
_NOTHING = "·"


def distribution_text(distribution: ScoreDistribution, *, width: int) -> Iterator[str]:
    """Yield the paragraph that draws R by label, one character a bin; nothing without conversations."""
    edges = distribution.edges
    if not edges:
        return
    low, high, step = (_short(value) for value in (edges[0], edges[-1], edges[1] - edges[0]))
    rows = [
        [f"  {label}", bars(counts), f"{sum(counts):,}"]
        for label, counts in distribution.counts.items()
        if label is not Label.NEUTRAL or sum(counts)
    ]
    said = (
        f"R by the users' labels, from {low} to {high} in steps of {step}, each line to its own height; {_NOTHING} none"
    )
    yield f"{fill(said, width)}\n{grid(rows, left=2)}"


def _short(value: float) -> str:
    return f"{value:.6g}".replace("-", "−")


def bars(counts: Sequence[int]) -> str:
    """Return counts as bars of a character each; a dot is none.

    >>> bars([0, 1, 4, 8])
    '·▁▄█'
    """
    most = max(counts, default=0)
    return "".join(_BARS[-(-count * len(_BARS) // most) - 1] if count else _NOTHING for count in counts)


def languages_text(languages: Sequence[LanguageEvaluation], *, width: int) -> Iterator[str]:
    """Yield the paragraph on each language; nothing where there is one only."""
    if len(languages) < 2:  # noqa: PLR2004 - nothing to compare
        return
    rows = [["Languages", "n", "sat", "dis", "neu", "AUC [95 %]", "kappa [95 %]"]]
    rows += [
        [
            f"  {plain(one.language)}",
            f"{one.n:,}",
            *(f"{one.evaluated[label]:,}" for label in (Label.SATISFIED, Label.DISSATISFIED, Label.NEUTRAL)),
            _figure(one.auc),
            _figure(one.kappa),
        ]
        for one in languages
    ]
    few = [f"  No figures for {plain(one.language)}: {one.too_few}." for one in languages if one.too_few]
    yield "\n".join([grid(rows, left=1), *(fill(line, width, subsequent_indent="  ") for line in few)])


def _figure(figure: Bootstrap | None) -> str:
    return bootstrap_text(figure) if figure else MISSING
