"""What is counted before anything is asked."""

import asyncio

import pytest

from userside.errors import AnswerPendingError
from userside.llm import Capabilities, CountingModel, Message, Request, Role, approximate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("   \n", 0),
        ("a", 1),
        ("word", 2),
        ("你好世界", 4),
        ("สวัสดี", 6),
        ("a b c", 3),
        ("internationalization", 6),
    ],
)
def test_tokens_are_rather_too_many_than_too_few(text: str, tokens: int) -> None:
    assert approximate_tokens(text) == tokens


def test_a_request_is_counted_and_not_answered() -> None:
    model = CountingModel("openai:x", Capabilities())
    request = Request(messages=(Message(role=Role.USER, text="one two"),), max_output=100)
    for _ in range(3):
        with pytest.raises(AnswerPendingError):
            asyncio.run(model.ask(request))
    estimate = model.estimate(lambda reply: (reply.usage.input_tokens or 0) * 0.5)
    assert (estimate.calls, estimate.input_tokens, estimate.output_tokens, estimate.cost) == (3, 6, 300, 3.0)
