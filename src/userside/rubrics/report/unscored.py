"""What could not be scored and why, and how many conversations are left at each step: numbers that add up."""

from collections import Counter
from collections.abc import Iterator

from userside.llm import Reason, Unscored
from userside.render import Block, Cell, Column, ColumnKind, Prose, Section, Table
from userside.rubrics.report.cases import Facts
from userside.rubrics.report.wording import REASONS, counted

OTHER = "not summed"


def unscored_section(facts: Facts) -> Section:
    """Return the section on what is missing; there is one also when nothing is."""
    missing = facts.count(lambda case: case.R is None)
    blocks: list[Block] = [Prose(text=_opening(facts, missing)), _flow(facts)]
    if _item_reasons(facts):
        blocks.append(_reasons(facts))
    return Section(title="Not scored", anchor="unscored", blocks=tuple(blocks))


def _opening(facts: Facts, missing: int) -> str:
    answered_only = facts.inputs.run.plan.settings.get("answered_only")
    rule = (
        "R is summed over the patterns that were answered, as this run was told to."
        if answered_only
        else "A conversation with a pattern unanswered has no R: a missing answer is not a No."
    )
    if not missing and not _item_reasons(facts):
        return f"Every conversation was scored, and every pattern answered. {rule}"
    return f"{counted(missing, 'conversation')} of {len(facts.cases):,} could not be scored. {rule}"


def _flow(facts: Facts) -> Table:
    note = "Each conversation that drops out is counted once, under the commonest reason among its patterns."
    columns = (Column(name="Step"), Column(name="Conversations", kind=ColumnKind.NUMBER, decimals=0))
    rows = tuple(_to_estimate(facts))
    return Table(caption="From reading to estimates", columns=columns, rows=rows, notes=(note,))


def _to_estimate(facts: Facts) -> Iterator[tuple[Cell, ...]]:
    cases = facts.cases
    yield "Read", len(cases)
    if unasked := facts.count(lambda case: case.score is None):
        yield "less: no row of scores (not reached, or withdrawn)", -unasked
    reasons = Counter(case.unscored_reason for case in cases if case.score and case.R is None)
    for reason, count in sorted(reasons.items(), key=lambda pair: (-pair[1], str(pair[0]))):
        yield f"less: {reason.value.replace('_', ' ') if reason else OTHER}", -count
    scored = facts.count(lambda case: case.R is not None)
    yield "Scored: they have R", scored
    if partly := facts.count(lambda case: case.R is not None and case.score is not None and case.score.missing > 0):
        yield "of these, with a pattern unanswered", partly
    estimated = facts.count(lambda case: case.estimate is not None)
    if estimated < scored:
        yield "less: no cuts hold for the judge", estimated - scored
    yield "With an estimated label", estimated


def _item_reasons(facts: Facts) -> Counter[Reason]:
    scores = [case.score for case in facts.cases if case.score]
    return Counter(
        verdict.reason for score in scores for verdict in score.items.values() if isinstance(verdict, Unscored)
    )


def _reasons(facts: Facts) -> Table:
    answers = _item_reasons(facts)
    touched = Counter(reason for case in facts.cases if case.score for reason in set(case.score.reasons))
    columns = (
        Column(name="Reason, what it means, and what to do"),
        Column(name="Answers missing", kind=ColumnKind.NUMBER, decimals=0),
        Column(name="Conversations touched", kind=ColumnKind.NUMBER, decimals=0),
    )
    rows = tuple(
        (_explained(reason), count, touched[reason])
        for reason, count in sorted(answers.items(), key=lambda pair: (-pair[1], pair[0]))
    )
    total = sum(answers.values())
    asked = sum(len(case.score.items) for case in facts.cases if case.score)
    note = f"{total:,} of {asked:,} answers are missing. A conversation can be touched by several reasons."
    return Table(caption="Missing answers by reason", columns=columns, rows=rows, notes=(note,))


def _explained(reason: Reason) -> str:
    told = REASONS[reason]
    return f"{reason.value.replace('_', ' ').capitalize()}. {told.meaning} {told.remedy}"
