"""Asking anew what was answered without a usable value (`--retry-unscored`)."""

from dataclasses import replace
from typing import Any

from userside.llm import Model, Question, Request, Scored, Verdict, ask_question


async def ask_anew(model: Model, question: Question, request: Request, *, retries: int) -> Verdict[Any]:
    """Return the verdict on a question that is put up to 1 + `retries` times, until there is one with a value.

    What waits for an answer, from elsewhere or for a budget, is waited for and not asked anew beside it.
    """
    verdict = await ask_question(model, question, request)
    for retry in range(1, retries + 1):
        if isinstance(verdict, Scored) or verdict.reason.is_open:
            break
        verdict = await ask_question(model, question, replace(request, retry=retry))
    return verdict
