"""What a plot shows, as data. `render_plot` draws one as SVG; `plot_table` returns the same figures as a table."""

from dataclasses import dataclass

from userside.errors import InputError
from userside.render.quantities import Estimate, Missing
from userside.render.tokens import Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The scale that values are read against.

    Attributes:
        label: What is measured, with its unit.
        low: Where the axis begins; None to fit the values.
        high: Where it ends.
        percent: Values are shares from 0 to 1 and are written as percentages.
        decimals: In written values.
    """

    label: str
    low: float | None = None
    high: float | None = None
    percent: bool = False
    decimals: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One row of a dot plot."""

    label: str
    estimate: Estimate | Missing
    tone: Tone = Tone.ACCENT
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DotPlot:
    """A forest plot: a dot and its interval for each row. `reference` is a dashed upright, such as chance."""

    dots: tuple[Dot, ...]
    axis: Axis
    reference: float | None = None
    reference_label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DivergingRow:
    """Two values that pull apart; both are 0 or more."""

    label: str
    left: float
    right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DivergingBars:
    """What counts against to the left, what counts for to the right."""

    rows: tuple[DivergingRow, ...]
    axis: Axis
    left_label: str = "Dissatisfied"
    right_label: str = "Satisfied"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRow:
    """Two values to be held against each other, and what is to be said of them in a few words."""

    label: str
    first: Estimate | Missing
    second: Estimate | Missing
    verdict: str = ""
    is_quiet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDots:
    """Two dots with intervals in each row, joined: the first above, the second below. Quiet rows are drawn grey."""

    rows: tuple[PairedRow, ...]
    axis: Axis
    first_label: str
    second_label: str
    first_tone: Tone = Tone.GOOD
    second_tone: Tone = Tone.BAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One kind of thing in a stacked bar."""

    label: str
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRow:
    """One stacked bar: how many of each part, in the order of `StackedShares.parts`."""

    label: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StackedShares:
    """Bars of equal length, divided by share."""

    parts: tuple[Part, ...]
    rows: tuple[ShareRow, ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.counts) != len(self.parts):
                raise InputError(f"row {row.label!r}: wanted {len(self.parts)} counts, came {len(row.counts)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramGroup:
    """How many of one group fall into each bin."""

    label: str
    tone: Tone
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Counts in bins, one panel a group above the next on one axis; `edges` has one more entry than `counts`.

    `marks` are uprights with a label, such as cuts.
    """

    groups: tuple[HistogramGroup, ...]
    edges: tuple[float, ...]
    axis: Axis
    marks: tuple[tuple[float, str], ...] = ()

    def __post_init__(self) -> None:
        for group in self.groups:
            if len(group.counts) != len(self.edges) - 1:
                raise InputError(
                    f"group {group.label!r}: wanted {len(self.edges) - 1} counts, came {len(group.counts)}"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityPoint:
    """One bin: the mean predicted probability, the observed rate, and how many conversations it holds."""

    predicted: float
    observed: Estimate
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityCurve:
    """What was predicted against what came, both as shares from 0 to 1."""

    points: tuple[ReliabilityPoint, ...]
    predicted_label: str = "Predicted probability"
    observed_label: str = "Observed share"


type Plot = DotPlot | PairedDots | DivergingBars | StackedShares | Histogram | ReliabilityCurve
