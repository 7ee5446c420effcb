"""Anthropic and Google through their own clients, against small servers that speak their languages."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from userside.errors import AccessError, ModelError, RateLimitedError, RefusedError, TransientError
from userside.llm import Finish, Message, Reply, Request, Role, Sampling
from userside.llm.endpoint import open_endpoint

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer"}},
    "required": ["score"],
    "additionalProperties": False,
}
REQUEST = Request(
    messages=(Message(role=Role.SYSTEM, text="Judge."), Message(role=Role.USER, text="Was it good?")),
    schema=SCHEMA,
    sampling=Sampling(temperature=0.0),
    seed=5,
)
MODELS = {"anthropic": "claude-haiku-4-5", "google": "gemini-2.5-flash"}
ROUTES = {"anthropic": "/v1/messages", "google": "/v1beta/models/{call}"}
ANSWERS: dict[str, dict[str, Any]] = {
    "anthropic": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-4-5",
        "content": [
            {"type": "thinking", "thinking": "Perhaps 9.", "signature": "x"},
            {"type": "text", "text": '{"score": 7}'},
        ],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 30, "output_tokens": 6},
    },
    "google": {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": '{"score": 7}'}]}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 30, "candidatesTokenCount": 6, "totalTokenCount": 36},
        "modelVersion": "gemini-2.5-flash",
        "responseId": "r1",
    },
}
GOOGLE_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    529: "UNAVAILABLE",
}
ERRORS: dict[str, Callable[[int, str], dict[str, Any]]] = {
    "anthropic": lambda status, message: {"type": "error", "error": {"type": f"error_{status}", "message": message}},
    "google": lambda status, message: {
        "error": {"code": status, "message": message, "status": GOOGLE_STATUSES[status]}
    },
}


def ask(provider: str, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> Reply | ModelError:
    async def scene() -> Reply | ModelError:
        application = web.Application()
        application.router.add_post(ROUTES[provider], handler)
        runner = web.AppRunner(application)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            async with open_endpoint(provider, MODELS[provider], base_url=base_url, timeout=5) as model:
                return await model.ask(REQUEST)
        except ModelError as error:
            return error
        finally:
            await runner.cleanup()

    return asyncio.run(scene())


@pytest.mark.parametrize("provider", ["anthropic", "google"])
def test_answers(provider: str) -> None:
    seen: list[dict[str, Any]] = []

    async def answer(request: web.Request) -> web.Response:
        seen.append(await request.json())
        return web.json_response(ANSWERS[provider])

    reply = ask(provider, answer)
    assert isinstance(reply, Reply), reply
    assert (reply.text, reply.finish) == ('{"score": 7}', Finish.STOP)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (30, 6)
    assert reply.raw.get("reasoning", "") == ("Perhaps 9." if provider == "anthropic" else "")
    assert "score" in str(seen[0])  # the schema went out
    assert ("seed" in reply.raw["sent"]) == ("seed" in str(seen[0])) == (provider == "google")


@pytest.mark.parametrize("provider", ["anthropic", "google"])
@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (401, "bad key", AccessError),
        (429, "slow down", RateLimitedError),
        (500, "broken", TransientError),
        (529, "overloaded", TransientError),
        (400, "messages: bad", RefusedError),
    ],
)
def test_failures(provider: str, status: int, message: str, kind: type[ModelError]) -> None:
    calls: list[str] = []

    async def fail(request: web.Request) -> web.Response:
        calls.append(request.path)
        return web.json_response(ERRORS[provider](status, message), status=status, headers={"Retry-After": "3"})

    error = ask(provider, fail)
    assert type(error) is kind, error
    assert len(calls) == 1
    if isinstance(error, RateLimitedError):
        assert error.retry_after == 3.0
