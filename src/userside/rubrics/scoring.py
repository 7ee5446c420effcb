"""Scoring conversations with a rubric: many at a time, in order, each on its own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from userside.conversations import Conversation, LabelledText, Trimmed, language_name, trim
from userside.llm import Elicited, Model, Reason, Unscored, approximate_tokens
from userside.rubrics.at_once import do_at_once
from userside.rubrics.judging import Exhibit, Judging, judge_items
from userside.rubrics.rubric import Rubric
from userside.rubrics.scores import ConversationScore, ItemScore, ItemVerdict, label_of, sum_scores

type OnScored = Callable[[ConversationScore], None]

ANSWER_TOKENS = 2048
"""Room that is kept for instructions, rubric and answer when a conversation is fitted into the context window."""
SMALLEST_BUDGET = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringPlan:
    """What conversations are scored with, and how.

    Attributes:
        rubric: The items.
        judging: How the judge is asked.
        at_once: Most conversations under way at one time.
        ends: Where a label ends a conversation (`LabelledText.until`), by conversation id: the judge sees no more.
    """

    rubric: Rubric
    judging: Judging
    at_once: int = 64
    ends: Mapping[str, LabelledText] | None = None


def _ignore(score: ConversationScore) -> None:
    """Do nothing with a score as it lands."""


async def score_conversations(
    conversations: Iterable[Conversation], model: Model, *, plan: ScoringPlan, on_scored: OnScored = _ignore
) -> tuple[ConversationScore, ...]:
    """Return the score of each conversation, in their order (SPUR, section 3.3).

    `on_scored` is called with each score as it lands, in any order. A conversation that cannot be scored is in the
    result with its reasons; it stops no other.

    Raises:
        AccessError: The model lets nobody in.
        UnknownModelError: There is no such model.
    """

    async def score(conversation: Conversation) -> ConversationScore:
        return await score_conversation(conversation, model, plan=plan)

    return await do_at_once(conversations, score, at_once=plan.at_once, on_done=on_scored)


async def score_conversation(conversation: Conversation, model: Model, *, plan: ScoringPlan) -> ConversationScore:
    """Return the score of one conversation."""
    until = plan.ends[conversation.id].until if plan.ends and conversation.id in plan.ends else None
    if not any(until is None or turn.index < until for turn in conversation.user_turns):
        nothing = Unscored(reason=Reason.NOTHING_TO_JUDGE, detail="the conversation has no text of its user")
        return _summed(conversation, {item.name: nothing for item in plan.rubric.items}, model, plan=plan)
    seen = fit(conversation, model, until=until)
    exhibit = Exhibit(conversation=conversation, text=seen.text)
    items = await judge_items(exhibit, plan.rubric, model, judging=plan.judging)
    return _summed(conversation, items, model, plan=plan, cut=what_was_cut(seen))


def fit(conversation: Conversation, model: Model, *, until: int | None) -> Trimmed:
    """Return the conversation's text, shortened to what the model's context window holds."""
    window = model.capabilities.context_window
    budget = 10**9 if window is None else max(SMALLEST_BUDGET, window - ANSWER_TOKENS)
    trimmed = trim(conversation, budget=budget, count=approximate_tokens, until=until)
    return replace(trimmed, text=declared(trimmed.text, language=conversation.language))


def declared(text: str, *, language: str | None) -> str:
    r"""Return a conversation's text with a first line that names its language, where that is not English.

    Instructions are English throughout: a model that is told the language takes it less often for the one to answer in.

    >>> declared("User: Hola", language="es")
    '[The conversation is in Spanish.]\nUser: Hola'
    """
    name = language_name(language)
    return text if name in {None, "English"} else f"[The conversation is in {name}.]\n{text}"


def what_was_cut(seen: Trimmed) -> str:
    """Return one sentence on what the judge did not see, "" when it saw all."""
    parts = [
        f"the middle of {len(seen.shortened)} turns" if seen.shortened else "",
        f"{len(seen.dropped)} turns ({_span(seen.dropped)})" if seen.dropped else "",
    ]
    named = [part for part in parts if part]
    return f"The judge did not see {' and '.join(named)}: the conversation is longer than its context." if named else ""


def _span(indices: Sequence[int]) -> str:
    return f"{indices[0]} to {indices[-1]}" if len(indices) > 1 else str(indices[0])


def _summed(
    conversation: Conversation, items: dict[str, ItemVerdict], model: Model, *, plan: ScoringPlan, cut: str = ""
) -> ConversationScore:
    judging = plan.judging
    elicited = _elicited(items, at_first=judging.elicitation(model))
    total = sum_scores(items, plan.rubric, answered_only=judging.answered_only)
    cuts = plan.rubric.cuts_for(judge=model.identity, elicited=elicited, prompts=judging.prompts.fingerprint)
    calibration = cuts.calibration if cuts is not None else None
    return ConversationScore(
        id=conversation.id,
        R=total,
        label=label_of(total, cuts),
        probability=float(calibration.probabilities([total])[0]) if calibration and total is not None else None,
        items=items,
        judge=model.identity,
        elicited=elicited,
        cut=cut,
    )


def _elicited(items: Mapping[str, ItemVerdict], *, at_first: Elicited) -> Elicited:
    """Return how the scores were obtained, which is not how they were first asked for where a schema was refused."""
    ways = {verdict.elicited for verdict in items.values() if isinstance(verdict, ItemScore)}
    return ways.pop() if len(ways) == 1 else at_first
