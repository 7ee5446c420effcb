"""Whether the probabilities can be believed: the reliability curve, and in words what it means."""

from userside.render import Block, Estimate, Figure, Prose, ReliabilityCurve, ReliabilityPoint, render_number
from userside.rubrics.evaluation import Reliability
from userside.rubrics.report.wording import counted, percent
from userside.statistics import ReliabilityBin


def reliability_blocks(found: Reliability) -> tuple[Block, ...]:
    """Return the curve under a passage that says what it means."""
    points = tuple(
        ReliabilityPoint(
            predicted=one.mean_predicted,
            observed=Estimate(
                value=one.observed.value or 0.0,
                low=one.observed.interval.low if one.observed.interval else None,
                high=one.observed.interval.high if one.observed.interval else None,
            ),
            count=one.n,
        )
        for one in found.bins
    )
    figure = Figure(
        plot=ReliabilityCurve(points=points, predicted_label="Probability given", observed_label="Share satisfied"),
        title="Can the probabilities be believed?",
        alt=f"Predicted against observed shares in {len(points)} groups. {_furthest(found)}",
        caption=f"{counted(found.n, 'conversation')} in {counted(len(points), 'group')} of {_sizes(found)}; upright "
        "lines are Wilson's 95 % intervals, and the table has the counts.",
    )
    return (Prose(text=_meaning(found)), figure)


def _sizes(found: Reliability) -> str:
    sizes = sorted(one.n for one in found.bins)
    return f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"


def _meaning(found: Reliability) -> str:
    seen = (
        "Each comes from a fit to other conversations."
        if found.is_held_out
        else "They were fitted to these very conversations or are as the run wrote them, which may flatter them."
    )
    opening = (
        "**The probabilities.** With R comes a probability that the user is satisfied. If it can be believed, of all "
        "conversations given 80 %, about 80 in 100 have a satisfied user, and every dot lies on the dashed line."
    )
    return " ".join(filter(None, (opening, _furthest(found), _error(found), _brier(found), seen)))


def _furthest(found: Reliability) -> str:
    def off(one: ReliabilityBin) -> float:
        return abs((one.observed.value or 0.0) - one.mean_predicted)

    if not found.bins:
        return ""
    worst = max(found.bins, key=off)
    return (
        f"The furthest off: where {percent(worst.mean_predicted)} was said, {worst.observed.numerator:,} of "
        f"{worst.observed.denominator:,} users ({percent(worst.observed.value)}) were satisfied."
    )


def _error(found: Reliability) -> str:
    if found.calibration_error is None:
        return ""
    points = render_number(100 * found.calibration_error)
    return (
        f"On average the probabilities are {points} points off (*calibration error* {found.calibration_error:.2f}; "
        "some of that is chance where conversations are few)."
    )


def _brier(found: Reliability) -> str:
    if found.brier is None:
        return ""
    ends = found.brier_interval
    interval = f", 95 % interval {ends.low:.2f} to {ends.high:.2f}" if ends else ""
    beside = (
        f", and always saying the overall share gets {found.brier_of_constant:.2f}"
        if found.brier_of_constant is not None
        else ""
    )
    return f"Their *Brier score* is {found.brier:.2f}{interval}: 0 would be perfect foresight{beside}."
