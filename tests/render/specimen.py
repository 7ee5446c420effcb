"""A page that holds every block, and strangers' text at its worst."""

from userside.render import (
    Axis,
    Badge,
    Callout,
    CalloutKind,
    Column,
    ColumnKind,
    ConfusionTable,
    Details,
    DivergingBars,
    DivergingRow,
    Dot,
    DotPlot,
    Estimate,
    Figure,
    Filterable,
    FilterableItem,
    Highlight,
    Histogram,
    HistogramGroup,
    Metric,
    Missing,
    Page,
    PairedDots,
    PairedRow,
    Part,
    Plot,
    Prose,
    Rate,
    ReliabilityCurve,
    ReliabilityPoint,
    Role,
    Row,
    Section,
    ShareRow,
    StackedShares,
    Table,
    Tone,
    Transcript,
    TranscriptTurn,
)

HOSTILE = (
    "<img src=x onerror=alert(1)></script><!-- \"'&amp; {{ 7*7 }} $x^2$ x_\u202egpj.exe \u200b\x1b[31m\x00 \ud800 "
    f"z{50 * chr(0x300)} אבג (2) 満足 {300 * 'W'}"
)

DOTS = DotPlot(
    axis=Axis(label="Area under the curve", low=0.4, high=1.0, decimals=2),
    reference=0.5,
    reference_label="chance",
    dots=(
        Dot(label="Rubric", estimate=Estimate(value=0.848, low=0.766, high=0.921)),
        Dot(label=HOSTILE, estimate=Estimate(value=0.7)),
        Dot(label="Few-shot", estimate=Missing(reason="not run")),
    ),
)
DIVERGING = DivergingBars(
    axis=Axis(label="Mean score, 0 to 10"),
    rows=(DivergingRow(label="Says thanks", left=0.4, right=6.1), DivergingRow(label="Repeats", left=5.2, right=0)),
)
SHARES = StackedShares(
    parts=(
        Part(label="Satisfied", tone=Tone.GOOD),
        Part(label="Neutral", tone=Tone.NEUTRAL),
        Part(label="Dissatisfied", tone=Tone.BAD),
    ),
    rows=(ShareRow(label="Booking", counts=(66, 9, 25)), ShareRow(label="Empty", counts=(0, 0, 0))),
)
HISTOGRAM = Histogram(
    axis=Axis(label="R", decimals=0),
    edges=(-20.0, -10.0, 0.0, 10.0, 20.0),
    groups=(
        HistogramGroup(label="Satisfied", tone=Tone.GOOD, counts=(0, 2, 5, 9)),
        HistogramGroup(label="Dissatisfied", tone=Tone.BAD, counts=(4, 6, 1, 0)),
    ),
    marks=((0.0, "cut"),),
)
RELIABILITY = ReliabilityCurve(
    points=(
        ReliabilityPoint(predicted=0.1, observed=Estimate(value=0.15, low=0.05, high=0.3), count=20),
        ReliabilityPoint(predicted=0.9, observed=Estimate(value=0.8, low=0.6, high=0.95), count=30),
    )
)
PAIRS = PairedDots(
    axis=Axis(label="Share of users to whom it applies", low=0, percent=True, decimals=0),
    first_label="Satisfied users, of those there are",
    second_label="Dissatisfied users, of those there are",
    rows=(
        PairedRow(
            label="Says thanks",
            first=Estimate(value=0.82, low=0.61, high=0.93),
            second=Estimate(value=0.1, low=0.03, high=0.3),
            verdict="very sure",
        ),
        PairedRow(label=HOSTILE, first=Missing(reason="none"), second=Estimate(value=0.4), verdict=HOSTILE),
        PairedRow(label="Silent", first=Estimate(value=0), second=Estimate(value=0.0), is_quiet=True),
    ),
)
PLOTS: tuple[Plot, ...] = (DOTS, PAIRS, DIVERGING, SHARES, HISTOGRAM, RELIABILITY)

TABLE = Table(
    caption="How often each reason was found",
    sortable=True,
    columns=(
        Column(name="Reason"),
        Column(name="Found in", kind=ColumnKind.RATE),
        Column(name="Mean", kind=ColumnKind.BAR, full=10),
        Column(name="Odds ratio", kind=ColumnKind.NUMBER, decimals=2),
    ),
    rows=(
        (
            "Says thanks",
            Rate(numerator=45, denominator=195, low=0.177, high=0.295),
            6.1,
            Estimate(value=3.2, low=1.8, high=5.9),
        ),
        ("Repeats", Rate(numerator=0, denominator=0), Missing(reason="never asked"), None),
        ("Corrects", Rate(numerator=100, denominator=195), 2.5, -0.31),
        (HOSTILE, Rate(numerator=1, denominator=195), 9.0, 1),
    ),
    notes=("Brackets: 95 % intervals.",),
)

CONFUSION = ConfusionTable(
    labels=("satisfied", "neutral", "dissatisfied"),
    counts=((101, 8, 14), (0, 0, 0), (12, 11, 37)),
    row_title="Users said",
    column_title="Judge said",
    caption="Users and judge",
)

TRANSCRIPT = Transcript(
    turns=(
        TranscriptTurn(
            speaker="User",
            role=Role.USER,
            text="No, I said the north.",
            badges=(Badge(text="corrects", tone=Tone.BAD),),
            highlights=(Highlight(start=0, end=2, tone=Tone.BAD, note="corrects"),),
        ),
        TranscriptTurn(speaker=HOSTILE, role=Role.ASSISTANT, text=HOSTILE, badges=(Badge(text=HOSTILE),)),
        TranscriptTurn(speaker="משתמש", role=Role.USER, text="אני רוצה (2 לילות)."),
        TranscriptTurn(speaker="tool", text="x" * 100_000),
    )
)


def entry(name: str, label: str) -> FilterableItem:
    """Return one entry of the list."""
    body = (Prose(text=f"All about {name}."), TRANSCRIPT)
    badge = Badge(text=label, tone=Tone.GOOD if label == "satisfied" else Tone.BAD)
    details = Details(summary=name, blocks=body, badges=(badge,), aside="R = 2.0", preview=HOSTILE)
    return FilterableItem(details=details, labels=(label,))


PAGE = Page(
    kicker="Specimen",
    title=f"Every block {HOSTILE}",
    subtitle="It *holds* **everything**.",
    lead=(
        Row(
            blocks=(
                Metric(
                    value="63 %",
                    label="satisfied",
                    interval="56 to 70 %",
                    sentence="123 of 195.",
                    tone=Tone.GOOD,
                    estimate=Estimate(value=0.63, low=0.56, high=0.7),
                ),
                Metric(value="3", label=HOSTILE),
            )
        ),
        *(Callout(text=f"A {kind}. {HOSTILE}", kind=kind) for kind in CalloutKind),
    ),
    sections=(
        Section(title="Figures", blocks=tuple(Figure(plot=plot, title="Finding", alt=HOSTILE) for plot in PLOTS)),
        Section(title="Tables", blocks=(Prose(text=f"Words.\n\n- one\n- {HOSTILE}"), TABLE, CONFUSION)),
        Section(
            title="Conversations",
            blocks=(Filterable(items=(entry("booking-1", "satisfied"), entry("booking-2", "dissatisfied"))),),
        ),
        Section(title="Tables", blocks=()),
    ),
    footer=(f"Made from `{HOSTILE}`.",),
)
