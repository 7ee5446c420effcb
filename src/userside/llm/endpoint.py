"""Models behind an address: OpenAI and whatever speaks its language, Anthropic, Google, Ollama."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart

from userside.errors import ModelError, RefusedError
from userside.llm.exchange import Message, Reply, Request, Role
from userside.llm.failures import EXPECTED, complaint_of, failure_of, is_rejection
from userside.llm.model import Capabilities
from userside.llm.profiles import EndpointProfile
from userside.llm.providers import Address, Connection, Terms, connect, resolve_base_url
from userside.llm.responses import reply_of

MOST_ADAPTATIONS = 8
"""How often one request may be put in another way: once for each thing that an endpoint can refuse."""


class EndpointModel(AbstractAsyncContextManager["EndpointModel"]):
    """A model behind an address, asked once a call: no retry happens here (see `PacedModel`).

    What the endpoint refuses is learnt and left out from then on, and `Reply.raw["sent"]` says what really went out.
    An endpoint that refuses the JSON Schema raises `RefusedError(reason="schema")` once per question under way, and
    `capabilities.schema` is False from then on: the question has to be put in words.

    Use it as an async context manager, or call `aclose`, so that connections do not stay open.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._identity = connection.address.identity
        self._timeout = connection.address.timeout

    @property
    def identity(self) -> str:
        """Return provider, model and, where it is not the provider's own, the address (without credentials)."""
        return self._identity

    @property
    def profile(self) -> EndpointProfile:
        """Return what is known of the endpoint by now."""
        return self._connection.profile

    @property
    def capabilities(self) -> Capabilities:
        """Return what the endpoint can be asked for, as far as is known by now."""
        profile = self.profile
        return Capabilities(schema=profile.schema, token_probabilities=profile.top_logprobs > 0)

    async def ask(self, request: Request) -> Reply:
        """Return the answer to one call.

        Raises:
            RefusedError: This request will not be answered; with reason `schema`, not in this form.
            AccessError: No call will be answered.
            UnknownModelError: The endpoint has no such model, or the address is wrong.
            RateLimitedError: Asked too fast.
            TransientError: Worth another attempt.
        """
        for _ in range(MOST_ADAPTATIONS):
            outgoing = self._prepare(request)
            try:
                return await self._send(outgoing, options=request.token_options)
            except EXPECTED as error:
                if not is_rejection(error):
                    raise self._failure(error) from None
                if not self.profile.learn(complaint_of(error), sent=frozenset(outgoing.sent)):
                    raise self._rejection(error, outgoing) from None
        raise RefusedError(f"{self.identity}: refused in {MOST_ADAPTATIONS} forms", reason="bad_request")

    async def aclose(self) -> None:
        """Close every connection."""
        await self._connection.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _prepare(self, request: Request) -> "_Outgoing":
        if request.schema is not None and not self.profile.schema:
            raise RefusedError(f"{self.identity}: takes no JSON Schema", reason="schema")
        sent = parameters_of(request, profile=self.profile)
        terms = self._connection.terms(sent, request.schema)
        return _Outgoing(messages=messages_of(request.messages), terms=terms, sent=sent)

    async def _send(self, outgoing: "_Outgoing", *, options: tuple[str, ...]) -> Reply:
        started = time.perf_counter()
        settings, parameters = outgoing.terms
        async with asyncio.timeout(self._timeout):
            response: ModelResponse = await model_request(
                self._connection.model,
                outgoing.messages,
                model_settings=settings,
                model_request_parameters=parameters,
                instrument=False,
            )
        return reply_of(response, options=options, sent=outgoing.sent, seconds=time.perf_counter() - started)

    def _failure(self, error: Exception) -> ModelError:
        return failure_of(error, where=self.identity, hidden=self._connection.address.key)

    def _rejection(self, error: Exception, outgoing: "_Outgoing") -> ModelError:
        failure = self._failure(error)
        if "response_format" in outgoing.sent and not self.profile.schema:
            return RefusedError(str(failure), reason="schema")
        return failure


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outgoing:
    """One request in the terms of the provider's client."""

    messages: list[ModelMessage]
    terms: Terms
    sent: Mapping[str, Any]


def open_endpoint(
    provider: str, model: str, *, base_url: str | None = None, timeout: float = 120.0, concurrency: int = 64
) -> EndpointModel:
    """Return the model of that name.

    Args:
        provider: `openai` (also for whatever speaks its language, by `base_url`), `ollama`, `anthropic` or `google`.
        model: The provider's name for it.
        base_url: An address other than the provider's own; then no key is needed.
        timeout: Seconds one call may take, all in all.
        concurrency: Most calls at one time: so many connections are kept warm.

    Raises:
        AccessError: The environment has no key for the provider.
        MissingPartError: The provider's client is not installed.
        UnknownModelError: There is no such provider.
    """
    address = Address(
        provider=provider,
        model=model,
        base_url=resolve_base_url(provider, base_url),
        timeout=timeout,
        concurrency=concurrency,
    )
    return EndpointModel(connect(address))


def messages_of(messages: tuple[Message, ...]) -> list[ModelMessage]:
    """Return a prompt in the terms of the provider's client: runs of system and user text, and answers between."""
    turned: list[ModelMessage] = []
    parts: list[SystemPromptPart | UserPromptPart] = []
    for message in messages:
        if message.role is Role.ASSISTANT:
            if parts:
                turned.append(ModelRequest(parts=parts))
            turned.append(ModelResponse(parts=[TextPart(message.text)]))
            parts = []
        else:
            kind = SystemPromptPart if message.role is Role.SYSTEM else UserPromptPart
            parts.append(kind(message.text))
    if parts:
        turned.append(ModelRequest(parts=parts))
    return turned


def parameters_of(request: Request, *, profile: EndpointProfile) -> dict[str, Any]:
    """Return the parameters that go out beside the messages, under the names the endpoint gives them."""
    optional = {
        "temperature": request.sampling.temperature,
        "top_p": request.sampling.top_p,
        "seed": request.seed,
    }
    sent: dict[str, Any] = {profile.length_field: request.max_output}
    sent |= {name: value for name, value in optional.items() if value is not None and name not in profile.refused}
    if request.token_options and profile.top_logprobs:
        sent |= {"logprobs": True, "top_logprobs": profile.top_logprobs}
    if request.schema is not None:
        sent["response_format"] = "json_schema"
    return sent
