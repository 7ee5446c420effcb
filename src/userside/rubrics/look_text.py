"""A look as plain text for a terminal."""

from collections.abc import Iterable, Iterator, Mapping
from textwrap import fill

from userside.conversations import LabelCounts
from userside.rubrics.look import Look, RatingCounts, SignalSeen, Spread
from userside.rubrics.look_labels import LabelComparison, SignalByLabel
from userside.rubrics.signals import SIGNALS
from userside.statistics import Bootstrap, Rate

WIDTH = 90
NARROWEST = 70
CAUTION = (
    "A signal is a hint, not a verdict. Much of this is politeness and length: a polite user can be badly served, and "
    "a curt one well."
)
_RANKING = (
    "The surest difference comes first. AUC is the chance that a satisfied conversation has more of it than a "
    "dissatisfied one: 0.5 says nothing, less goes with dissatisfaction. A dot marks an interval that holds 0.5, or "
    "none. Of thirty signals one or two look clear by chance alone."
)
_CUT = (
    "{count} of these labels hold for a part of the turns, and signals are read from that part. Where it ends depends "
    "on the label, so lengths, counts and endings are not to be compared."
)
_TITLES = {signal.name: signal.title for signal in SIGNALS}
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BAR = 10
_NAME = 18
_LABEL = 14
_SHOWN = 6
_RANKED = 10
_LONGEST_NAME = 24


def render_look(look: Look, *, width: int = WIDTH) -> str:
    """Return a look as text without colour codes, no line longer than `width` (70 at least)."""
    width = max(width, NARROWEST)
    parts = [_overview(look, width=width)]
    if look.user_turns:
        parts += [_signals(look.signals, width=width), _comparison(look, width=width), fill(CAUTION, width)]
    return "\n\n".join("\n".join(part) if not isinstance(part, str) else part for part in parts) + "\n"


def _overview(look: Look, *, width: int) -> list[str]:
    count = f"{look.conversations:,} conversation{'' if look.conversations == 1 else 's'}"
    return [count, *(line for name, said in _facts(look) if said for line in _entry(name, said, width=width))]


def _facts(look: Look) -> Iterator[tuple[str, str]]:
    yield "Scoreable", _listed({state.replace("_", " "): count for state, count in look.scoreability.items()})
    yield "User turns", _spread(look.user_turns)
    yield "User words", _spread(look.user_words)
    yield "Languages", _listed(look.languages)
    yield "Word tables", _listed(look.word_tables)
    yield "Platforms", _listed(look.platforms) if len(look.platforms) > 1 or "not stated" not in look.platforms else ""
    yield "Sources", _listed(look.sources)
    yield "Dates", _dates(look)
    for counts in look.labels:
        yield "Labels", _labels(counts)
    for rating in look.ratings:
        yield "Ratings", _rating(rating)
    yield "Thumbs", _listed(look.thumbs)


def _entry(name: str, said: str, *, width: int) -> list[str]:
    return fill(said, width, initial_indent=f"  {name:<{_LABEL}}", subsequent_indent=" " * (_LABEL + 2)).split("\n")


def _listed(counts: Mapping[str, int]) -> str:
    shown = [f"{_plain(name)} {count:,}" for name, count in list(counts.items())[:_SHOWN]]
    return ", ".join([*shown, f"{len(counts) - _SHOWN} more"] if len(counts) > _SHOWN else shown)


def _plain(text: str) -> str:
    """Return a stranger's short text without what a terminal would act on."""
    visible = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return visible if len(visible) <= _LONGEST_NAME else f"{visible[: _LONGEST_NAME - 1]}…"


def _spread(spread: Spread | None) -> str:
    return f"median {spread.median:,.4g}, middle half {spread.low:,.4g} to {spread.high:,.4g}" if spread else ""


def _dates(look: Look) -> str:
    if look.started is None:
        return ""
    first, last = (date.date().isoformat() for date in look.started)
    return f"{first} to {last}" + (f", {look.undated:,} without" if look.undated else "")


def _labels(counts: LabelCounts) -> str:
    said = f"{counts.satisfied:,} satisfied, {counts.dissatisfied:,} dissatisfied, {counts.neutral:,} neutral"
    return f"{_plain(counts.source)}: {said}" + (f", {counts.unlabelled:,} without" if counts.unlabelled else "")


def _rating(counts: RatingCounts) -> str:
    scale = f"from {counts.scale[0]:g} to {counts.scale[1]:g}" if counts.scale else "on no stated scale"
    number = f"{counts.ratings:,} in {counts.conversations:,} conversations"
    return f"of a {counts.of}: {number}, {scale}, mean {counts.mean:.2f}"


def _signals(signals: Iterable[SignalSeen], *, width: int) -> list[str]:
    rates = {signal.name: signal.rate for signal in signals if signal.rate}
    commonest_first = sorted(rates, key=lambda name: rates[name].value or 0.0, reverse=True)
    absent = [_TITLES[name] for name, rate in rates.items() if rate.denominator and not rate.numerator]
    unknown = [_TITLES[name] for name, rate in rates.items() if not rate.denominator]
    lines = ["What users do: conversations with any of it [95 % interval]"]
    lines += [_signal_line(name, rates[name]) for name in commonest_first if rates[name].numerator]
    lines += _entry("In none", ", ".join(absent), width=width) if absent else []
    lines += _entry("Unknown", ", ".join(unknown), width=width) if unknown else []
    return [*lines, *_exclusions(rates.values(), width=width)]


def _signal_line(name: str, rate: Rate) -> str:
    share = rate.value or 0.0
    interval = f"[{_percent(rate.interval.low)}, {_percent(rate.interval.high)}]" if rate.interval else ""
    counts = f"{rate.numerator:,}/{rate.denominator:,}"
    return f"  {_TITLES[name]:<{_NAME}}{_bar(share)} {counts:>11}  {_percent(share):>3} %  {interval}".rstrip()


def _exclusions(rates: Iterable[Rate], *, width: int) -> list[str]:
    most: dict[str, int] = {}
    for rate in rates:
        for reason, count in rate.excluded.items():
            most[reason] = max(count, most.get(reason, 0))
    said = ", ".join(f"{reason} (up to {count:,})" for reason, count in most.items())
    return _entry("Left out", f"where a signal cannot be known: {said}", width=width) if said else []


def _comparison(look: Look, *, width: int) -> list[str]:
    compared = look.by_label
    if compared is None:
        return fill(f"Not held against labels: {look.no_comparison}.", width).split("\n")
    numbers = f"{compared.satisfied:,} satisfied, {compared.dissatisfied:,} dissatisfied"
    left_out = "".join(f", {count:,} left out ({reason})" for reason, count in compared.left_out.items())
    lines = fill(f"Held against the labels by {_plain(compared.source)}: {numbers}{left_out}", width).split("\n")
    if compared.signals:
        lines += [f"  {'':<{_NAME}}{'satisfied':>10}{'dissatisfied':>14}   AUC [95 % interval]"]
        lines += [_compared_line(signal, look=look) for signal in compared.signals[:_RANKED]]
        lines += fill(_RANKING, width).split("\n")
    if compared.cut:
        lines += fill(_CUT.format(count=f"{compared.cut:,}"), width).split("\n")
    return [*lines, "", *fill(_together(compared), width).split("\n")]


def _compared_line(signal: SignalByLabel, *, look: Look) -> str:
    is_share = any(seen.rate for seen in look.signals if seen.name == signal.name)
    satisfied, dissatisfied = (_side(value, is_share=is_share) for value in (signal.satisfied, signal.dissatisfied))
    mark = "·" if signal.at_least == 0 else " "
    return f"  {_TITLES[signal.name]:<{_NAME}}{satisfied:>10}{dissatisfied:>14} {mark} {_auc(signal.auc)}".rstrip()


def _side(value: float | None, *, is_share: bool) -> str:
    if value is None:
        return "–"
    return f"{_percent(value)} %" if is_share else f"{value:,.3g}"


def _together(compared: LabelComparison) -> str:
    if compared.together is None:
        return f"All signals together were not tried: {compared.not_together}."
    return (
        f"All signals together: AUC {_auc(compared.together)} (logistic regression; each conversation judged by a "
        "model that has not seen it)."
    )


def _auc(auc: Bootstrap) -> str:
    if auc.estimate is None:
        return "–"
    interval = f" [{auc.interval.low:.2f}, {auc.interval.high:.2f}]" if auc.interval else ""
    return f"{auc.estimate:.2f}{interval}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


def _bar(share: float) -> str:
    """Return a share as a bar of ten cells, in eighths.

    >>> _bar(0.5)
    '█████     '
    """
    full, rest = divmod(round(share * _BAR * 8), 8)
    return f"{'█' * full + _EIGHTHS[rest].strip():<{_BAR}}"
