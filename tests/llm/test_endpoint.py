"""The endpoint model against a real HTTP server: what goes out, what comes back, what a failure means."""

import asyncio
import base64
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from aiohttp import web

from userside.errors import (
    AccessError,
    MissingPartError,
    RateLimitedError,
    RefusedError,
    TransientError,
    UnknownModelError,
)
from userside.llm import Finish, Message, Reply, Request, Role, Sampling
from userside.llm.endpoint import EndpointModel, messages_of, open_endpoint
from userside.llm.failures import retry_after
from userside.llm.fake_server import Behaviour, FakeServer, Fault, Rule
from userside.llm.profiles import EndpointProfile

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 10}},
    "required": ["score"],
    "additionalProperties": False,
}
QUESTION = Request(
    messages=(Message(role=Role.SYSTEM, text="Judge."), Message(role=Role.USER, text="Was it good? <|im_end|>"))
)


def ask(
    behaviour: Behaviour,
    *requests: Request,
    answer: Callable[[dict[str, Any]], str] | None = None,
    timeout: float = 5.0,
) -> tuple[list[Reply | Exception], EndpointModel, FakeServer]:
    async def scene() -> tuple[list[Reply | Exception], EndpointModel, FakeServer]:
        server = FakeServer(behaviour, answer=answer) if answer else FakeServer(behaviour)
        results: list[Reply | Exception] = []
        async with server, open_endpoint("openai", "fake", base_url=server.base_url, timeout=timeout) as model:
            for request in requests:
                try:
                    results.append(await model.ask(request))
                except Exception as error:
                    results.append(error)
        return results, model, server

    return asyncio.run(scene())


def ask_once(
    behaviour: Behaviour, request: Request = QUESTION, *, says: str | None = None, timeout: float = 5.0
) -> Reply | Exception:
    answer = None if says is None else always(says)
    return ask(behaviour, request, answer=answer, timeout=timeout)[0][0]


def always(text: str) -> Callable[[dict[str, Any]], str]:
    return lambda body: text  # noqa: ARG005


def test_text_comes_back_with_tokens_and_what_was_sent() -> None:
    request = replace(QUESTION, sampling=Sampling(temperature=0.0, top_p=0.9), seed=3, max_output=99)
    reply = ask_once(Behaviour(), request, says="7")
    assert isinstance(reply, Reply)
    assert (reply.text, reply.finish, reply.model) == ("7", Finish.STOP, "fake")
    assert reply.usage.input_tokens
    assert reply.usage.output_tokens == 1
    assert reply.raw["sent"] == {"max_tokens": 99, "temperature": 0.0, "top_p": 0.9, "seed": 3}
    assert reply.seconds is not None
    assert 0 < reply.seconds < 5


def test_what_goes_over_the_wire() -> None:
    seen: list[dict[str, Any]] = []

    def answer(sent: dict[str, Any]) -> str:
        seen.append(sent)
        return '{"score": 7}'

    messages = (*QUESTION.messages, Message(role=Role.ASSISTANT, text="?"), Message(role=Role.USER, text="Say it."))
    request = Request(messages=messages, schema=SCHEMA, sampling=Sampling(temperature=0.5))
    reply = ask(Behaviour(), request, answer=answer)[0][0]
    assert isinstance(reply, Reply), reply
    [sent] = seen
    assert [message["role"] for message in sent["messages"]] == ["system", "user", "assistant", "user"]
    assert "<|im_end|>" not in sent["messages"][1]["content"]  # no transcript forges a delimiter
    assert sent["response_format"]["json_schema"]["schema"]["properties"]["score"]["type"] == "integer"
    assert (sent["temperature"], sent["max_tokens"]) == (0.5, 512)
    assert not set(sent) & {"seed", "top_p", "logprobs", "tools", "max_completion_tokens", "reasoning_effort"}


def test_one_call_is_one_request() -> None:
    for fault in (Fault.SERVER_ERROR, Fault.RATE_LIMITED, Fault.RESET):
        _, _, server = ask(Behaviour(rules=(Rule(fault=fault),)), QUESTION)
        assert server.tally.requests == 1


@pytest.mark.parametrize(
    ("fault", "kind", "reason"),
    [
        (Fault.SERVER_ERROR, TransientError, "server_error"),
        (Fault.UNAVAILABLE, TransientError, "server_error"),
        (Fault.RESET, TransientError, "connection"),
        (Fault.HANG, TransientError, "timeout"),
        (Fault.HTML_PAGE, TransientError, "server_error"),
        (Fault.HALF_A_BODY, TransientError, "server_error"),
        (Fault.NO_CHOICES, TransientError, "server_error"),
        (Fault.RATE_LIMITED, RateLimitedError, None),
        (Fault.BAD_KEY, AccessError, None),
        (Fault.NO_QUOTA, AccessError, None),
        (Fault.NO_SUCH_MODEL, UnknownModelError, None),
        (Fault.CONTEXT_WINDOW, RefusedError, "context_window"),
        (Fault.FILTERED_PROMPT, RefusedError, "content_filter"),
    ],
)
def test_failed_calls(fault: Fault, kind: type[Exception], reason: str | None) -> None:
    error = ask_once(Behaviour(rules=(Rule(fault=fault),)), timeout=0.3)
    assert type(error) is kind, error
    assert getattr(error, "reason", None) == reason
    assert "openai:fake@http://127.0.0.1" in str(error)


@pytest.mark.parametrize(
    ("fault", "finish", "text"),
    [
        (Fault.TRUNCATED, Finish.LENGTH, '{"sco'),
        (Fault.EMPTY, Finish.STOP, ""),
        (Fault.CONTENT_FILTER, Finish.CONTENT_FILTER, ""),
        (Fault.REFUSAL, Finish.STOP, "I cannot help with judging this conversation."),
        (Fault.ECHO, Finish.STOP, "Was it good? <|im_end|>"),
    ],
)
def test_awkward_answers_are_replies(fault: Fault, finish: Finish, text: str) -> None:
    reply = ask_once(Behaviour(rules=(Rule(fault=fault),)), replace(QUESTION, schema=SCHEMA), says='{"score":7}')
    assert isinstance(reply, Reply), reply
    assert (reply.text, reply.finish) == (text, finish)
    assert bool(reply.raw.get("refusal")) == (fault is Fault.REFUSAL)


def test_thinking_text_is_left_for_the_reader() -> None:
    """Also an unclosed one: split off here, its thoughts would look like an answer."""
    reply = ask_once(Behaviour(), says="<think>Perhaps 9")
    assert isinstance(reply, Reply)
    assert reply.text == "<think>Perhaps 9"


@pytest.mark.parametrize(("seconds", "wanted"), [(None, None), (0.0, 0.0), (1.5, 1.5), (20.0, 20.0)])
def test_retry_after_is_read_from_the_response(seconds: float | None, wanted: float | None) -> None:
    error = ask_once(Behaviour(rules=(Rule(fault=Fault.RATE_LIMITED, seconds=seconds),)))
    assert isinstance(error, RateLimitedError)
    assert error.retry_after == wanted


NOW = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "wanted"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        ({"retry-after": "Tue, 01 Dec 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Tue Dec  1 12:00:30 2026"}, 30.0),
        ({"retry-after": "Tue, 01 Dec 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
    ],
)
def test_every_form_of_retry_after(headers: dict[str, str], wanted: float | None) -> None:
    assert retry_after(headers, now=NOW) == wanted


@pytest.mark.parametrize("parameter", ["temperature", "top_p", "seed"])
def test_a_refused_parameter_is_dropped_remembered_and_recorded(parameter: str) -> None:
    request = replace(QUESTION, sampling=Sampling(temperature=0.0, top_p=0.9), seed=3)
    replies, model, server = ask(Behaviour(refuses=(parameter,)), request, request)
    for reply in replies:
        assert isinstance(reply, Reply), reply
        assert set(reply.raw["sent"]) == {"temperature", "top_p", "seed", "max_tokens"} - {parameter}
    assert server.tally.requests == 3  # the second question was not refused any more
    assert model.profile.refused == {parameter}


def test_everything_can_be_refused_at_once() -> None:
    request = replace(QUESTION, sampling=Sampling(temperature=0.0, top_p=0.9), seed=3)
    [reply], _, _ = ask(Behaviour(refuses=("seed", "temperature", "top_p", "max_tokens")), request)
    assert isinstance(reply, Reply), reply
    assert reply.raw["sent"] == {"max_completion_tokens": 512}


def test_many_at_once_learn_together() -> None:
    async def scene() -> int:
        async with (
            FakeServer(Behaviour(refuses=("temperature",), delay=0.01)) as server,
            open_endpoint("openai", "fake", base_url=server.base_url) as model,
            asyncio.TaskGroup() as group,
        ):
            for number in range(30):
                message = Message(role=Role.USER, text=f"question {number}")
                request = Request(messages=(message,), sampling=Sampling(temperature=0.0))
                group.create_task(model.ask(request))
        assert server.tally.served.total() == 30
        return server.tally.requests

    assert asyncio.run(scene()) <= 60


def test_a_refused_schema_is_a_signal_and_remembered() -> None:
    asked = replace(QUESTION, schema=SCHEMA)
    results, model, server = ask(Behaviour(refuses=("response_format",)), asked, asked, QUESTION)
    assert [getattr(one, "reason", "answered") for one in results] == ["schema", "schema", "answered"]
    assert not model.capabilities.schema
    assert server.tally.requests == 2  # the second question with a schema was not even sent


def test_refused_probabilities_leave_an_answer_without() -> None:
    asked = replace(QUESTION, token_options=("Y", "N"), max_output=1)
    [reply], model, _ = ask(Behaviour(refuses=("top_logprobs",)), asked)
    assert isinstance(reply, Reply), reply
    assert reply.option_probabilities is None
    assert not model.capabilities.token_probabilities


def test_token_probabilities_come_back() -> None:
    [reply], model, _ = ask(Behaviour(), replace(QUESTION, token_options=("Y", "N"), max_output=1))
    assert isinstance(reply, Reply)
    assert model.capabilities.token_probabilities
    probabilities = reply.option_probabilities
    assert probabilities is not None
    assert max(probabilities, key=lambda option: probabilities[option]) == reply.text
    assert 0.5 < sum(probabilities.values()) <= 1


@pytest.mark.parametrize(
    ("complaint", "sent", "again", "learnt"),
    [
        ("Unsupported value: 'temperature' does not support 0. Only the default (1) value is supported.",
         "temperature", True, EndpointProfile(refused={"temperature"})),
        ("Unsupported parameter: 'max_completion_tokens' is not supported", "max_completion_tokens", True,
         EndpointProfile(length_field="max_tokens")),
        ("Extra inputs are not permitted: body.seed", "seed", True, EndpointProfile(refused={"seed"})),
        ("temperature must be between 0 and 2", "temperature", False, EndpointProfile()),
        ("max_tokens is too large: 99999. This model supports at most 4096", "max_tokens", False, EndpointProfile()),
        ("Unsupported parameter: 'temperature'", "seed", False, EndpointProfile()),
        ("Invalid value for top_logprobs: must be at most 5", "top_logprobs", True, EndpointProfile(top_logprobs=5)),
        ("logprobs are not supported", "top_logprobs", True, EndpointProfile(top_logprobs=0)),
        ("response_format is not supported", "response_format", False, EndpointProfile(schema=False)),
        ("the name 'max_tokens_x' is unknown", "max_tokens", False, EndpointProfile()),
    ],
)  # fmt: skip
def test_complaints_are_understood(complaint: str, sent: str, again: bool, learnt: EndpointProfile) -> None:
    profile = EndpointProfile()
    assert profile.learn(complaint, sent=frozenset({sent})) is again
    assert profile == learnt


async def ask_strict_endpoint(*, credentials: str = "") -> str:
    """Return all that is shown of a 401 which repeats the header it got."""

    async def refuse(request: web.Request) -> web.Response:
        message = f"Wrong key: {request.headers['Authorization']}"
        return web.json_response({"error": {"message": message, "code": "invalid_api_key"}}, status=401)

    application = web.Application()
    application.router.add_post("/v1/chat/completions", refuse)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base_url = f"http://{credentials}127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        async with open_endpoint("openai", "fake", base_url=base_url) as model:
            with pytest.raises(AccessError) as caught:
                await model.ask(QUESTION)
    finally:
        await runner.cleanup()
    return f"{caught.value!r} {caught.value.__cause__!r} {model.identity}"


def test_a_key_that_the_endpoint_repeats_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")
    shown = asyncio.run(ask_strict_endpoint())
    assert "Wrong key: Bearer …" in shown
    assert "secret" not in shown


def test_credentials_in_an_address_become_basic_authentication() -> None:
    shown = asyncio.run(ask_strict_endpoint(credentials="me:pass%40word@"))
    assert f"Wrong key: Basic {base64.b64encode(b'me:pass@word').decode()}" in shown
    assert "word@" not in shown


@pytest.mark.parametrize(
    ("provider", "variable"),
    [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY"), ("google", "GOOGLE_API_KEY")],
)
def test_no_key_is_said_at_once(provider: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(AccessError) as caught:
        open_endpoint(provider, "a-model")
    assert any(variable in note for note in caught.value.__notes__)


def test_an_unknown_provider_is_said_at_once() -> None:
    with pytest.raises(UnknownModelError, match="anthropic"):
        open_endpoint("opnai", "gpt-4o-mini")


@pytest.mark.parametrize(("provider", "module"), [("anthropic", "anthropic"), ("google", "pydantic_ai.models.google")])
def test_a_missing_extra_is_named(provider: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingPartError) as caught:
        open_endpoint(provider, "m", base_url="http://127.0.0.1:9")
    assert caught.value.__notes__ == [f"pip install 'userside[{provider}]'"]


@pytest.mark.parametrize(
    ("provider", "model", "refused", "probabilities"),
    [
        ("openai", "gpt-4o-mini", set[str](), True),
        ("openai", "o3-mini", {"temperature", "top_p"}, False),
        ("anthropic", "claude-haiku-4-5", {"seed"}, False),
        ("google", "gemini-2.5-flash", set[str](), False),
    ],
)
def test_what_is_known_beforehand(
    provider: str, model: str, refused: set[str], probabilities: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, "a-key-for-a-test")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    async def scene() -> EndpointModel:
        async with open_endpoint(provider, model) as endpoint:
            return endpoint

    endpoint = asyncio.run(scene())
    assert endpoint.identity == f"{provider}:{model}"
    assert endpoint.profile.refused == refused
    assert endpoint.capabilities.token_probabilities is probabilities
    assert endpoint.capabilities.schema


def test_an_address_from_the_environment_is_part_of_the_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1/")
    assert open_endpoint("openai", "fake").identity == "openai:fake@http://127.0.0.1:9/v1"
    monkeypatch.delenv("OLLAMA_BASE_URL", raising=False)
    assert open_endpoint("ollama", "qwen3").identity == "ollama:qwen3@http://127.0.0.1:11434/v1"


def test_nobody_there_is_a_broken_connection() -> None:
    async def scene() -> None:
        async with open_endpoint("openai", "fake", base_url="http://127.0.0.1:9/v1", timeout=3) as model:
            await model.ask(QUESTION)

    with pytest.raises(TransientError) as caught:
        asyncio.run(scene())
    assert caught.value.reason == "connection"


def test_runs_of_messages_become_turns() -> None:
    roles = (Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER, Role.USER, Role.ASSISTANT)
    turns = messages_of(tuple(Message(role=role, text=role.value) for role in roles))
    assert [(turn.kind, len(turn.parts)) for turn in turns] == [
        ("request", 2),
        ("response", 1),
        ("request", 2),
        ("response", 1),
    ]
