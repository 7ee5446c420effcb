"""What was learned, for a terminal."""

from collections.abc import Sequence

from userside.rubrics.learning.learning import Learned
from userside.rubrics.learning.patterns import ExtractionTally, tally_extractions
from userside.rubrics.learning.training import TrainingSample
from userside.rubrics.rubric import Evidence, RubricItem, Side

_LONGEST_QUOTE = 80


def render_learned(learned: Learned, sample: TrainingSample) -> str:
    """Return what was learned from and what came of it, as lines of text."""
    lines = [_sample_line(sample), ""]
    lines += [_extraction_line(tally_extractions(learned.extractions, side=side), side=side) for side in Side]
    for side in Side:
        items = learned.rubric.side(side) if learned.rubric else ()
        if items:
            lines += ["", f"What shows that a user is {side.value}:"]
            lines += [line for number, item in enumerate(items, 1) for line in _item_lines(item, number=number)]
    lines += ["", *_cut_lines(learned)] if learned.rubric else []
    lines += [f"Note: {note}." for note in learned.notes]
    return "\n".join(lines)


def _sample_line(sample: TrainingSample) -> str:
    taken = ", ".join(f"{count} {label}" for label, count in sample.counts.items() if count)
    available = sum(sample.available.values())
    raised = f"; more than the {sample.share:.0%} asked for, so that both classes are there" if sample.raised else ""
    rest = "" if not sample.is_all else ". None is left to evaluate the rubric on"
    return f"Learned from {len(sample.ids)} of {available} labelled conversations ({taken}){raised}{rest}."


def _extraction_line(tally: ExtractionTally, *, side: Side) -> str:
    left_out = f", {tally.unfounded} left out whose words are not the user's" if tally.unfounded else ""
    unanswered = sum(tally.unanswered.values())
    missing = f"; {unanswered} without an answer" if unanswered else ""
    return (
        f"{side.value.capitalize()}: {tally.patterns} reasons in {tally.with_patterns} of {tally.asked} conversations"
        f"{left_out}; {tally.without} give none{missing}."
    )


def _item_lines(item: RubricItem, *, number: int) -> list[str]:
    people = len({one.id for one in item.evidence})
    return [f"{number:3}. {item.title}: {item.description}", f"     {_support(people, item.evidence)}"]


def _support(people: int, evidence: Sequence[Evidence]) -> str:
    if not evidence:
        return "No words stand behind it."
    quote = " ".join(evidence[0].quote.split())
    shown = quote if len(quote) <= _LONGEST_QUOTE else f"{quote[:_LONGEST_QUOTE].rstrip()} …"
    where = "1 conversation" if people == 1 else f"{people} conversations"
    return f"{where}, such as “{shown}”"


def _cut_lines(learned: Learned) -> list[str]:
    if learned.fitted is None:
        return ["No cuts: R will be written without a label. `userside evaluate RUN --fit-cuts` finds some."]
    cuts, held_out = learned.fitted.cuts, learned.fitted.held_out
    macro = f"{held_out.macro_f1:.2f}" if held_out.macro_f1 is not None else "not defined"
    where = f"satisfied above R = {cuts.satisfied_above:.1f}, dissatisfied below {cuts.dissatisfied_below:.1f}"
    return [f"Cuts for {cuts.judge}: {where}; macro F1 on held-out training conversations {macro} (n = {held_out.n})."]
