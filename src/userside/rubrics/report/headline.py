"""The first screen: how satisfied users are, by their own word and by the transcript, and how far the two agree."""

from userside.conversations import Label
from userside.llm import RunState
from userside.render import (
    Block,
    Callout,
    CalloutKind,
    Estimate,
    Figure,
    Metric,
    Part,
    Prose,
    Row,
    ShareRow,
    StackedShares,
    Tone,
)
from userside.rubrics.cut_refusal import refuse_cuts
from userside.rubrics.report.cases import Case, Facts
from userside.rubrics.report.wording import (
    ORDER,
    TONES,
    bootstrap_cell,
    counted,
    interval_words,
    literal,
    percent,
    rate_estimate,
    times,
)
from userside.statistics import Rate, rate_of

UNFINISHED = {
    RunState.RUNNING: "It was stopped in the middle, or was still under way, when this report was written.",
    RunState.PARTIAL: "It ended with something missing that running it again can still bring.",
    RunState.PENDING: "It waits for answers from elsewhere.",
}
EVEN = 0.5
"""The AUC of guessing."""


def headline_title(facts: Facts) -> str:
    """Return the finding in one line."""
    said, read = said_rate(facts), estimate_rate(facts)
    if said.denominator:
        whose = "users say they were satisfied" if facts.is_own_word else "conversations are labelled satisfied"
        return f"{said.numerator:,} of {said.denominator:,} {whose}"
    if read.denominator:
        return f"An estimated {percent(read.value)} of users were satisfied"
    scored = facts.count(lambda case: case.R is not None)
    return "Scored, but without labels" if scored else "No conversation could be scored"


def headline_subtitle(facts: Facts) -> str:
    """Return what stands beside the finding, in a sentence or two."""
    said, read = said_rate(facts), estimate_rate(facts)
    if not read.denominator:
        scored = facts.count(_is_scored)
        return (
            "There is R but no estimate." if scored else "Nothing could be scored, so there is no estimate beside it."
        )
    judged = f"{read.numerator:,} of {read.denominator:,} conversations"
    if not said.denominator:
        return (
            f"A language model read {judged} as satisfied. No user was asked, so nothing here is checked against one."
        )
    return f"Read from the transcripts alone, {judged} look satisfied. {_agreement_sentence(facts)}".rstrip()


def said_rate(facts: Facts) -> Rate:
    """Return the share of users who call themselves satisfied, of those whose label is known."""
    return _share([case.said for case in facts.cases], what="no label")


def estimate_rate(facts: Facts) -> Rate:
    """Return the share of conversations that the estimate calls satisfied, of those that have one."""
    return _share([case.estimate for case in facts.cases], what="no estimate")


def _share(labels: list[Label | None], *, what: str) -> Rate:
    known = [label for label in labels if label]
    left_out = len(labels) - len(known)
    satisfied = sum(label is Label.SATISFIED for label in known)
    return rate_of(satisfied, denominator=len(known), excluded={what: left_out} if left_out else {})


def headline(facts: Facts) -> tuple[Block, ...]:
    """Return the blocks between the title and the first section."""
    metrics = [metric for metric in (_said(facts), _read(facts), _agreement(facts)) if metric]
    blocks: list[Block] = [*_state(facts)]
    if metrics:
        blocks.append(Row(blocks=tuple(metrics)))
    if shares := _shares(facts):
        blocks.append(shares)
    return (*blocks, *_cautions(facts), Prose(text=_explained(facts)))


def _said(facts: Facts) -> Metric | None:
    rate = said_rate(facts)
    if not rate.denominator:
        return None
    noun = "user" if facts.is_own_word else "labelled conversation"
    return Metric(
        value=percent(rate.value),
        label="Users say they were satisfied" if facts.is_own_word else "Labelled satisfied",
        interval=interval_words(rate.interval),
        sentence=f"{_breakdown(facts, 'said')} of {counted(rate.denominator, noun)}.{_left_out(rate)}",
        tone=Tone.GOOD,
        estimate=rate_estimate(rate),
    )


def _read(facts: Facts) -> Metric | None:
    rate = estimate_rate(facts)
    if not rate.denominator:
        return None
    kind = "calibrated on users' labels" if facts.is_calibrated else "*uncalibrated*"
    return Metric(
        value=percent(rate.value),
        label="Conversations read as satisfied",
        interval=interval_words(rate.interval),
        sentence=f"The rubric's estimate, {kind}: {_breakdown(facts, 'estimate')} of "
        f"{counted(rate.denominator, 'conversation')}.{_left_out(rate)}",
        tone=Tone.ACCENT,
        estimate=rate_estimate(rate),
    )


def _breakdown(facts: Facts, which: str) -> str:
    def has(label: Label) -> int:
        return facts.count(lambda case: getattr(case, which) is label)

    return ", ".join(f"{has(label):,} {label}" for label in ORDER)


def _left_out(rate: Rate) -> str:
    said = ", ".join(f"{count:,} with {reason}" for reason, count in rate.excluded.items())
    return f" Not counted: {said}." if said else ""


def _agreement(facts: Facts) -> Metric | None:
    ranking = facts.evaluation.ranking if facts.evaluation else None
    if ranking is None or ranking.auc.estimate is None:
        return None
    auc = bootstrap_cell(ranking.auc)
    interval = ranking.auc.interval
    ends = f", 95 % interval {interval.low:.2f} to {interval.high:.2f}" if interval else ""
    return Metric(
        value=times(ranking.auc.estimate, short=True),
        label="How far they agree",
        sentence="So often the estimate puts a satisfied user above a dissatisfied one; guessing, 5 times in 10. "
        f"(AUC {ranking.auc.estimate:.2f}{ends}, from {ranking.satisfied:,} and {ranking.dissatisfied:,} users.)",
        estimate=auc if isinstance(auc, Estimate) else None,
    )


def _agreement_sentence(facts: Facts) -> str:
    ranking = facts.evaluation.ranking if facts.evaluation else None
    auc = ranking.auc if ranking else None
    if auc is None or auc.estimate is None:
        return ""
    if auc.interval and auc.interval.low <= EVEN <= auc.interval.high:
        return "So far it cannot be told whether that is better than guessing."
    if auc.estimate < EVEN:
        return "It points the wrong way: do not use it here."
    return f"Shown a satisfied and a dissatisfied user, it picks the satisfied one **{times(auc.estimate)}**."


def _shares(facts: Facts) -> Figure | None:
    rows = [
        ShareRow(label=label, counts=_counts(facts, which))
        for label, which in ((facts.voice, "said"), ("Transcripts read", "estimate"))
        if any(_counts(facts, which))
    ]
    if len(rows) < 2:  # noqa: PLR2004 - one bar says no more than the number above it
        return None
    parts = tuple(Part(label=label.value.capitalize(), tone=TONES[label]) for label in ORDER)
    said, read = said_rate(facts), estimate_rate(facts)
    return Figure(
        plot=StackedShares(parts=parts, rows=tuple(rows)),
        title=f"What {'users' if facts.is_own_word else 'labels'} say, and how the conversations read",
        alt=f"{facts.voice} {percent(said.value)} were satisfied; {percent(read.value)} of conversations read so.",
    )


def _counts(facts: Facts, which: str) -> tuple[int, ...]:
    return tuple(facts.count(lambda case, label=label: getattr(case, which) is label) for label in ORDER)


def is_complete(facts: Facts) -> bool:
    """Tell whether the run ended, and has a row for every conversation."""
    return facts.inputs.run.state is RunState.COMPLETE and all(case.score for case in facts.cases)


def _state(facts: Facts) -> tuple[Callout, ...]:
    if is_complete(facts):
        return ()
    missing = facts.count(lambda case: case.score is None)
    parts = [
        UNFINISHED.get(facts.inputs.run.state, ""),
        f"{missing:,} of {counted(len(facts.cases), 'conversation')} have no row of scores." if missing else "",
        "What follows holds for what is there; the same command goes on from here.",
    ]
    text = " ".join(filter(None, parts))
    return (Callout(title="This run is not complete", text=text, kind=CalloutKind.BAD),)


def _cautions(facts: Facts) -> tuple[Callout, ...]:
    if not facts.count(_is_scored):
        return ()
    return (*_refused(facts), *_uncalibrated(facts))


def _refused(facts: Facts) -> tuple[Callout, ...]:
    inputs = facts.inputs
    cuts = (inputs.fitted.cuts,) if inputs.fitted else inputs.rubric.cuts
    unlabelled = [score for score in inputs.scores if score.label is None]
    refused = refuse_cuts(unlabelled, cuts, prompts=inputs.prompts.fingerprint)
    if refused is None:
        return ()
    return (Callout(title="R without labels", text=refused.say(literal), kind=CalloutKind.WARNING),)


def _uncalibrated(facts: Facts) -> tuple[Callout, ...]:
    if not facts.cuts or facts.is_calibrated:
        return ()
    text = (
        "Where the line between satisfied and dissatisfied runs is a stated default, not something learned from these "
        "users. Read the estimate as an order (who is likely the happier), not as a share"
    )
    rest = (
        f"; the share to quote is that of the {'users' if facts.is_own_word else 'labels'}."
        if facts.has_labels
        else ". Ask even fifty users whether they were satisfied, and `userside evaluate RUN --fit-cuts` can draw it."
    )
    return (Callout(title="The estimate is uncalibrated", text=text + rest, kind=CalloutKind.WARNING),)


def _is_scored(case: Case) -> bool:
    return case.R is not None


def _explained(facts: Facts) -> str:
    """Return what this is, for someone who has never heard of it."""
    return (
        f"**How the estimate is made.** A *rubric* lists {counted(len(facts.items), 'pattern')} that satisfied or "
        "dissatisfied users show, such as thanking or having to repeat themselves. A *judge*, a language model, reads "
        "each conversation and says how clearly each pattern is there, from 0 to 10. **R** is the sum for satisfaction "
        f"less the sum for dissatisfaction; from R follows whether a conversation reads satisfied. {_whose(facts)}"
    ).rstrip()


def _whose(facts: Facts) -> str:
    if not facts.has_labels:
        return ""
    if facts.is_own_word:
        return "What users say is their own word, given apart from the conversation; the judge never sees it."
    name = literal(facts.inputs.labels_by or "")
    return (
        f"The labels are those called “{name}”, derived by a rule from ratings or other feedback that came with the "
        "conversations; the judge never sees them."
    )
