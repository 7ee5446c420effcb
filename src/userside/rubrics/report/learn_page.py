"""The report of a learning run, put together: the rubric, whose words it comes from, and every conversation of them."""

from collections.abc import Iterator

from userside.conversations import Label
from userside.llm import RunState
from userside.render import (
    Axis,
    Block,
    Callout,
    CalloutKind,
    Cell,
    Column,
    Figure,
    Histogram,
    HistogramGroup,
    Metric,
    Page,
    Part,
    Prose,
    Row,
    Section,
    ShareRow,
    StackedShares,
    Table,
    Tone,
    render_page,
)
from userside.rubrics.report.headline import UNFINISHED
from userside.rubrics.report.learn_inputs import LearnFacts, LearnReportInputs, gather_learn_facts
from userside.rubrics.report.provenance import REFERENCE, STATES, spend_rows
from userside.rubrics.report.rubric_section import extraction_table, people_behind, rubric_section
from userside.rubrics.report.training_list import training_section
from userside.rubrics.report.wording import ORDER, TONES, counted, literal, signed
from userside.rubrics.rubric import Cuts, Side
from userside.statistics import histogram, round_edges

BINS = 20


def render_learn_report(inputs: LearnReportInputs) -> str:
    """Return the report of a learning run as one HTML file that asks for nothing else; the same inputs, same bytes."""
    facts = gather_learn_facts(inputs)
    return facts.links.resolve(render_page(_page(facts)))


def _page(facts: LearnFacts) -> Page:
    run, name = facts.inputs.run, facts.inputs.name
    n, incomplete = counted(len(facts.cases), "conversation"), "" if _is_done(facts) else "incomplete run"
    made = f"Made with Userside {literal(run.userside)}".rstrip()
    sections = (
        rubric_section(facts.inputs.rubric, facts.linked) if facts.inputs.rubric else None,
        _extraction_section(facts),
        _cuts_section(facts),
        _method_section(facts),
        training_section(facts),
    )
    return Page(
        kicker=" · ".join(filter(None, ("A rubric learned", name, n, run.started_at[:10], incomplete))),
        title=_title(facts),
        subtitle=_subtitle(facts),
        lead=tuple(_lead(facts)),
        sections=tuple(section for section in sections if section),
        footer=(f"{made} from the run “{literal(name)}”, last written {literal(run.updated_at)}.",),
    )


def _is_done(facts: LearnFacts) -> bool:
    return facts.inputs.run.state is RunState.COMPLETE and facts.inputs.rubric is not None


def _title(facts: LearnFacts) -> str:
    rubric = facts.inputs.rubric
    if rubric is None:
        return "No rubric yet"
    good, bad = (len(rubric.side(side)) for side in Side)
    return f"{counted(good, 'sign')} of satisfaction, {bad:,} of dissatisfaction"


def _subtitle(facts: LearnFacts) -> str:
    counts = facts.counts()
    return (
        f"Learned from {counts[Label.SATISFIED]:,} conversations of satisfied and {counts[Label.DISSATISFIED]:,} of "
        "dissatisfied users, from what those users said in them."
    )


def _lead(facts: LearnFacts) -> Iterator[Block]:
    if not _is_done(facts):
        stage = literal(str(facts.inputs.run.summary.get("stage", "")))
        reached = f"It reached the stage “{stage}”. " if stage else ""
        why = UNFINISHED.get(facts.inputs.run.state, "")
        text = f"{why} {reached}The same command goes on from here."
        yield Callout(title="This run is not complete", text=text.strip(), kind=CalloutKind.BAD)
    yield Row(blocks=tuple(_metrics(facts)))
    yield Prose(
        text="**What this is.** A *rubric* is a list of patterns that satisfied or dissatisfied users show. This one "
        "was not thought up: a language model read conversations whose users had said whether they were satisfied, and "
        "gave for each the reasons it could see, with the user's own words. Like reasons were gathered into patterns. "
        "With `userside score FILE --rubric RUN` a judge looks for these patterns in other conversations."
    )


def _metrics(facts: LearnFacts) -> Iterator[Metric]:
    counts, available = facts.counts(), sum(facts.inputs.sample.available.values())
    named = ", ".join(f"{counts[label]:,} {label}" for label in ORDER if counts[label])
    more = " More than asked for, so that both sides are there." if facts.inputs.sample.raised else ""
    of = f" Of {available:,} labelled ones." if available else ""
    yield Metric(value=f"{len(facts.cases):,}", label="Conversations learned from", sentence=f"{named}.{of}{more}")
    reasons = sum(facts.found.patterns.values())
    unfounded = sum(tally.get("unfounded", 0) for tally in facts.found.extraction.values())
    left_out = f" {unfounded:,} more were left out: their words are not the user's." if unfounded else ""
    yield Metric(value=f"{reasons:,}", label="Reasons found", sentence=f"Each with a user's own words.{left_out}")
    if rubric := facts.inputs.rubric:
        alone = sum(not people_behind(item) for item in rubric.items)
        backed = f"{len(rubric.items) - alone:,} have users' words behind them."
        yield Metric(value=f"{len(rubric.items):,}", label="Patterns", sentence=backed)


def _extraction_section(facts: LearnFacts) -> Section | None:
    table = extraction_table(facts.found)
    if table is None:
        return None
    parts = (
        Part(label="Gave a reason", tone=Tone.ACCENT),
        Part(label="None to be seen", tone=Tone.NEUTRAL),
        Part(label="Only words not the user's", tone=Tone.MUTED),
        Part(label="No answer", tone=Tone.BAD),
    )
    rows = tuple(
        ShareRow(
            label=f"{side.value.capitalize()} users",
            counts=(
                *(tally.get(name, 0) for name in ("with_patterns", "without", "unfounded_only")),
                sum(facts.found.unanswered.get(side, {}).values()),
            ),
        )
        for side, tally in facts.found.extraction.items()
    )
    text = (
        "The model was asked of each conversation why its user was satisfied or not. It may say that nothing in the "
        "user's words shows it: an answer too, and counted. A reason counts only if the words given for it really "
        "stand in one of the user's turns."
    )
    figure = Figure(
        plot=StackedShares(parts=parts, rows=rows),
        title="What the conversations gave",
        alt="How many conversations of each side gave a reason.",
        table=table,
    )
    return Section(title="The reasons", anchor="reasons", blocks=(Prose(text=text), figure))


def _cuts_section(facts: LearnFacts) -> Section | None:
    rubric = facts.inputs.rubric
    if rubric is None:
        return None
    if not rubric.cuts:
        text = (
            "No cuts could be fitted, so R will be written without a label. `userside evaluate RUN --fit-cuts` finds "
            "some once other conversations are scored."
        )
        return Section(title="Where the line runs", anchor="cuts", blocks=(Prose(text=text),))
    blocks: tuple[Block, ...] = (Prose(text=_cuts_words(facts, rubric.cuts)), *_histogram(facts, rubric.cuts))
    return Section(title="Where the line runs", anchor="cuts", blocks=blocks)


def _cuts_words(facts: LearnFacts, cuts: tuple[Cuts, ...]) -> str:
    lines = "\n".join(f"- {_cut_line(one)}" for one in cuts)
    how = f" How: {literal(facts.found.cuts)}." if facts.found.cuts else ""
    seen = (
        "**These are optimistic**: the rubric had been learned from the same conversations."
        if facts.found.optimistic
        else "The rubric that scored a conversation had not been learned from it, so they are not flattered by that."
    )
    return (
        "**R** is the sum of the scores of all signs of satisfaction, less that of dissatisfaction. Where it turns "
        f"into a label was fitted to the training conversations:\n\n{lines}\n\n{how} {seen} Another judge needs others."
    )


def _cut_line(cuts: Cuts) -> str:
    low, high = signed(cuts.dissatisfied_below), signed(cuts.satisfied_above)
    neutral = f"exactly {low} neutral" if cuts.dissatisfied_below == cuts.satisfied_above else "between them neutral"
    judge = literal(cuts.judge or "any")
    return f"R above {high} reads satisfied, below {low} dissatisfied, {neutral}; for the judge {judge}"


def _histogram(facts: LearnFacts, cuts: tuple[Cuts, ...]) -> tuple[Figure, ...]:
    known = [(case.said, facts.inputs.totals[case.id]) for case in facts.cases if case.id in facts.inputs.totals]
    edges = round_edges([total for _, total in known], most=BINS)
    if not edges:
        return ()
    groups = tuple(
        HistogramGroup(label=f"{label.value.capitalize()} users", tone=TONES[label], counts=counts)
        for label in ORDER
        if any(counts := histogram([total for said, total in known if said is label], edges=edges))
    )
    low, high = cuts[0].dissatisfied_below, cuts[0].satisfied_above
    marks = ((low, "cut"),) if low == high else ((low, "dissatisfied below"), (high, "satisfied above"))
    return (
        Figure(
            plot=Histogram(
                groups=groups,
                edges=edges,
                axis=Axis(label="R", decimals=0),
                marks=tuple(mark for mark in marks if edges[0] <= mark[0] <= edges[-1]),
            ),
            title="R of the training conversations, by what their users say",
            alt=f"R of {counted(len(known), 'conversation')}.",
        ),
    )


def _method_section(facts: LearnFacts) -> Section:
    run = facts.inputs.run
    rows: list[tuple[Cell, ...]] = [
        ("Command", f"userside {run.plan.command}"),
        ("State", STATES[run.state]),
        ("Begun", run.started_at),
        ("Last written", run.updated_at),
        *((f"Input {name}", f"SHA-256 {digest}") for name, digest in sorted(run.plan.inputs.items())),
        *((role.capitalize(), identity) for role, identity in run.plan.models.items()),
        *((f"Wording {name}", fingerprint) for name, fingerprint in run.plan.prompts.items()),
        *(
            (name.replace("_", " ").capitalize(), str(value))
            for name, value in run.plan.settings.items()
            if value not in {None, False, ""}
        ),
        *spend_rows(run.spend),
    ]
    columns = (Column(name=""), Column(name=""))
    blocks = (Table(caption="The run", columns=columns, rows=tuple(rows)), Prose(text=REFERENCE))
    return Section(title="How this was made", anchor="method", blocks=blocks)
