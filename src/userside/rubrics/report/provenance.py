"""How the report was made: everything a reader needs to repeat it, or to doubt it."""

from collections.abc import Iterator, Mapping
from typing import Any

from userside.llm import RunState
from userside.render import Block, Callout, CalloutKind, Cell, Column, Prose, Section, Table
from userside.rubrics.report.cases import Facts
from userside.rubrics.report.inputs import SEED
from userside.rubrics.report.wording import ELICITED, counted, literal
from userside.rubrics.rubric import Cuts

STATES = {
    RunState.RUNNING: "stopped in the middle, or still under way",
    RunState.COMPLETE: "complete",
    RunState.PARTIAL: "ended with something missing",
    RunState.PENDING: "waits for answers from elsewhere",
}
MINUS = "\N{MINUS SIGN}"
SMALL = 100
"""Conversations below which the report says that they are few."""
REFERENCE = (
    "The method is SPUR: Lin, Y.-C. et al. (2024), “Interpretable User Satisfaction Estimation for Conversational "
    "Systems with Large Language Models”, ACL 2024. The paper leaves open where R turns into a label, and what a "
    "missing answer means; here both are stated."
)


def provenance_section(facts: Facts) -> Section:
    """Return the section on how the report was made."""
    columns = (Column(name=""), Column(name=""))
    blocks: tuple[Block, ...] = (
        Prose(text=_method(facts)),
        _not_validated(facts),
        Table(caption="The run", columns=columns, rows=tuple(_run_rows(facts))),
        Table(caption="The judge", columns=columns, rows=tuple(_judge_rows(facts))),
        Prose(text=_cautions(facts)),
        Prose(text=REFERENCE),
    )
    return Section(title="How this was made", anchor="method", blocks=blocks)


def _method(facts: Facts) -> str:
    cuts = "\n".join(f"- {_cut_words(cuts, facts)}" for cuts in facts.cuts)
    labels = cuts or "- No cuts hold for this judge, so no label follows from R."
    return (
        "**R** is the sum of the scores of all patterns of satisfaction, less the sum of those of dissatisfaction. "
        "Each pattern scores from 0 (not there) to 10 (as clear as can be). From R follows a label:\n\n"
        f"{labels}\n\n"
        "**Intervals.** A share has Wilson's 95 % interval. AUC and other figures of agreement have 95 % percentile "
        f"intervals from resampling conversations, those of one person together where that is known (seed {SEED}). "
        "Intervals say how far chance may have moved a figure; they say nothing of a judge that errs in one direction."
    )


def _cut_words(cuts: Cuts, facts: Facts) -> str:
    low, high = (f"{cut:.3g}".replace("-", MINUS) for cut in (cuts.dissatisfied_below, cuts.satisfied_above))
    rule = f"R above {high} reads satisfied, below {low} dissatisfied" + (
        f", exactly {low} neutral" if low == high else ", between them neutral"
    )
    if not cuts.calibrated:
        return f"{rule}: a stated default, *uncalibrated*."
    fitted = facts.inputs.fitted
    if fitted is None:
        return f"{rule}: fitted to labels when the rubric was learned."
    return f"{rule}: fitted to {counted(sum(fitted.fitted_to.values()), 'label')} of this run, seed {fitted.seed}."


def _not_validated(facts: Facts) -> Callout:
    prompts = facts.inputs.prompts
    return Callout(
        title="The judge's instructions",
        text=f"Their wording ({_code(prompts.name)}, fingerprint {_code(prompts.fingerprint)}) is "
        f"{literal(prompts.validated)}. It lies in the run's folder under `prompts/`.",
        kind=CalloutKind.WARNING,
    )


def _code(text: str) -> str:
    return f"`{text.replace('`', '')}`"


def _run_rows(facts: Facts) -> Iterator[tuple[Cell, ...]]:
    run = facts.inputs.run
    yield "Command", f"userside {run.plan.command}"
    yield "State", STATES[run.state]
    yield "Begun", run.started_at
    yield "Last written", run.updated_at
    yield "Userside", run.userside or "version not recorded"
    for name, digest in sorted(run.plan.inputs.items()):
        yield f"Input {name}", f"SHA-256 {digest}"
    if facts.inputs.labels_by:
        yield "Users' labels", facts.inputs.labels_by
    yield "Rubric", facts.inputs.rubric.name
    for name, value in run.plan.settings.items():
        if value not in {None, False} and name != "rubric":
            yield name.replace("_", " ").capitalize(), str(value)
    if run.retries:
        yield "Unscored asked again", counted(run.retries, "time")


def _judge_rows(facts: Facts) -> Iterator[tuple[Cell, ...]]:
    run = facts.inputs.run
    judges = dict.fromkeys(score.judge for score in facts.inputs.scores)
    for role, identity in run.plan.models.items():
        yield role.capitalize(), identity
    yield from (("Judge of some scores", judge) for judge in judges if judge not in run.plan.models.values())
    for way in dict.fromkeys(score.elicited for score in facts.inputs.scores):
        yield "How it was asked", ELICITED[way].replace("*", "")
    yield "Sampling", "temperature 0; the same question to the same model can still be answered differently"
    yield from spend_rows(run.spend)
    longer = facts.count(lambda case: case.score is not None and bool(case.score.cut))
    if longer:
        yield (
            "Shortened",
            f"{counted(longer, 'conversation')} did not fit the judge's context; each says what was left out",
        )
    if facts.inputs.cut_by:
        yield "Shown", f"each conversation up to the end of its label “{facts.inputs.cut_by}”"


def spend_rows(spend: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    """Yield what a run has cost so far."""
    if not spend:
        yield "Spend", "not recorded"
        return
    calls, unpriced, uncounted = (int(spend.get(name, 0)) for name in ("calls", "unpriced", "uncounted"))
    yield "Calls", f"{calls:,}"
    tokens = f"{int(spend.get('input_tokens', 0)):,} in, {int(spend.get('output_tokens', 0)):,} out"
    yield "Tokens", tokens + (f"; {uncounted:,} calls did not say" if uncounted else "")
    cost = float(spend.get("cost", 0.0))
    if not unpriced:
        yield "Cost", f"${cost:.4f}"
    elif unpriced >= calls:
        yield "Cost", "price unknown"
    else:
        yield "Cost", f"${cost:.4f} and {counted(unpriced, 'call')} of unknown price"


def _cautions(facts: Facts) -> str:
    n = len(facts.cases)
    size = f"\n- {counted(n, 'conversation')} is not many: read the intervals, not the figures." if n < SMALL else ""
    return (
        "**What to keep in mind**\n\n"
        "- Much of what a transcript shows is politeness and length. Some thank whatever happens; some never do.\n"
        "- Silence is not satisfaction: who leaves without a word shows no pattern.\n"
        "- What happened after the conversation is not in it. Only the user knows; ask.\n"
        "- A judge reads some languages, dialects and manners better than others; compare groups with care."
        f"{size}"
    )
