"""Zero-shot: the judge is asked outright whether the user is satisfied (SPUR, appendix B, baseline 4).

The paper's baseline scores from words; ours reads P(Yes) of the first token where the model gives it, so that it can be
ranked and compared with R on equal terms.
"""

from userside.llm import Elicited, Message, Model, Reason, Request, Role, Unscored, ask_question, yes_no
from userside.rubrics.judging import JUDGE, Exhibit, Judging


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
    verdict = await ask_question(model, yes_no(), request, how=Elicited.TOKENS)
    if isinstance(verdict, Unscored):
        return verdict
    if verdict.probability is None:
        return Unscored(reason=Reason.NO_PROBABILITIES, detail="the judge answered without a probability")
    return verdict.probability if verdict.value == "Yes" else 1 - verdict.probability
