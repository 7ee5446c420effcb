"""Zero-shot: the judge is asked outright whether the user is satisfied (SPUR, appendix B, baseline 4).

The paper's baseline scores from words; ours reads P(Yes) of the first token where the model gives it, so that it can be
ranked and compared with R on equal terms. Where a model gives no probabilities, Yes is 1 and No is 0.
"""

from collections.abc import Sequence
from dataclasses import replace

from userside.conversations import Conversation
from userside.llm import Elicited, Message, Model, Reason, Request, Role, Unscored, ask_question, yes_no
from userside.rubrics.at_once import do_at_once
from userside.rubrics.judging import JUDGE, Exhibit, Judging
from userside.rubrics.scoring import ScoringPlan, fit


def zero_shot_request(exhibit: Exhibit, *, judging: Judging) -> Request:
    """Return the question, with the same beginning as the items' so that a kept prefix serves it too."""
    prompts = judging.prompts
    return Request(
        messages=(
            Message(role=Role.SYSTEM, text=prompts["judge_item_system"].fill()),
            Message(role=Role.USER, text=prompts["zero_shot"].fill(conversation=exhibit.text)),
        ),
        sampling=JUDGE,
        max_output=1,
        token_options=("Yes", "No"),
        subjects=exhibit.subjects,
    )


async def ask_zero_shot(exhibit: Exhibit, model: Model, *, judging: Judging) -> float | Unscored:
    """Return P(satisfied) in 0..1, or why there is none."""
    request = zero_shot_request(exhibit, judging=judging)
    language = exhibit.conversation.language
    question = yes_no(*((language,) if language else ()))
    verdict = await ask_question(model, question, replace(request, retry=judging.retry), how=Elicited.TOKENS)
    if isinstance(verdict, Unscored):
        return verdict
    sure = 1.0 if verdict.probability is None else verdict.probability
    return sure if verdict.value == "Yes" else 1 - sure


async def ask_zero_shots(
    conversations: Sequence[Conversation], model: Model, *, plan: ScoringPlan
) -> dict[str, float | Unscored]:
    """Return P(satisfied), or why there is none, by conversation id; the judge sees what it sees for scoring."""

    async def ask(conversation: Conversation) -> float | Unscored:
        until = plan.ends[conversation.id].until if plan.ends and conversation.id in plan.ends else None
        if not any(until is None or turn.index < until for turn in conversation.user_turns):
            return Unscored(reason=Reason.NOTHING_TO_JUDGE, detail="the conversation has no text of its user")
        exhibit = Exhibit(conversation=conversation, text=fit(conversation, model, until=until).text)
        return await ask_zero_shot(exhibit, model, judging=plan.judging)

    answers = await do_at_once(conversations, ask, at_once=plan.at_once)
    return {one.id: answer for one, answer in zip(conversations, answers, strict=True)}
