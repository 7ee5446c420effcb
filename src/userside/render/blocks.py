"""What a section can hold.

Every string here may come from a stranger: it is escaped, its invisible characters are shown, and its direction
cannot leak out. Only `Prose` and `Callout` read emphasis (`*so*`, `**so**`, `` `so` ``), and nothing else.
"""

from dataclasses import dataclass
from enum import StrEnum

from userside.errors import InputError
from userside.render.plot import Plot
from userside.render.quantities import Estimate
from userside.render.table import ConfusionTable, Table
from userside.render.tokens import Tone


class CalloutKind(StrEnum):
    """How a callout is meant."""

    NOTE = "note"
    WARNING = "warning"
    GOOD = "good"
    BAD = "bad"


class Role(StrEnum):
    """Whose voice a turn is: it decides the side and the colour, not the name shown."""

    USER = "user"
    ASSISTANT = "assistant"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A word or two beside a heading or a turn."""

    text: str
    tone: Tone = Tone.NEUTRAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """Plain paragraphs; an empty line parts them. Lines that begin with `- ` make a list."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Callout:
    """A passage set apart."""

    text: str
    kind: CalloutKind = CalloutKind.NOTE
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A headline number.

    Attributes:
        value: As printed: "63 %".
        label: What it is, in a few words.
        interval: As printed: "95 % interval 48 to 77 %".
        sentence: What it means, what it was counted from.
        estimate: If given, a small scale from `low` to `high` shows the value and its interval.
    """

    value: str
    label: str
    interval: str | None = None
    sentence: str | None = None
    tone: Tone = Tone.INK
    estimate: Estimate | None = None
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if self.low >= self.high:
            raise InputError(
                f"metric {self.label!r}: wanted a scale from low to high, came {self.low!r} to {self.high!r}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Blocks side by side where there is room, one above the other on a phone."""

    blocks: "tuple[Block, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A plot under a title that says what it shows.

    Attributes:
        alt: What a reader who cannot see it should be told: the finding, not the shapes.
        table: The figures; None for those of the plot itself.
    """

    plot: Plot
    title: str
    alt: str
    caption: str | None = None
    table: Table | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """A marked passage of a turn: characters `start` to `end` (exclusive) of its text, and why."""

    start: int
    end: int
    tone: Tone = Tone.ACCENT
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptTurn:
    """One turn as it is shown.

    Attributes:
        highlights: Marked passages; they may overlap.
        language: The BCP 47 tag of its text, as somebody declared it; None where nobody did.
    """

    speaker: str
    text: str
    role: Role = Role.OTHER
    badges: tuple[Badge, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A conversation, turn by turn; long turns fold."""

    turns: tuple[TranscriptTurn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """Blocks that open on a click.

    Attributes:
        aside: A few words at the end of the summary line, such as a score.
        preview: One quiet line under the summary.
    """

    summary: str
    blocks: "tuple[Block, ...]"
    badges: tuple[Badge, ...] = ()
    aside: str | None = None
    preview: str | None = None
    open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterableItem:
    """One entry of a list, with the labels it can be found by."""

    details: Details
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filterable:
    """A list that can be searched by text and narrowed by label where scripts run; else it is shown whole."""

    items: tuple[FilterableItem, ...]
    noun: str = "conversations"


type Block = Prose | Callout | Metric | Row | Figure | Table | ConfusionTable | Transcript | Details | Filterable
