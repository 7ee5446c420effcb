"""Which provider's client to open, and with what: the one place where providers differ."""

import base64
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import unquote, urlsplit, urlunsplit

import httpx2
import openai
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from userside.errors import AccessError, MissingPartError, UnknownModelError
from userside.llm.profiles import TOP_LOGPROBS, EndpointProfile

KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "ollama": ("OLLAMA_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
"""Environment variables that hold a provider's key; the first that is set counts."""
ADDRESSES = {"openai": "OPENAI_BASE_URL", "ollama": "OLLAMA_BASE_URL"}
"""Environment variables that hold an address."""
OLLAMA = "http://127.0.0.1:11434/v1"
NO_KEY = "none"
"""What is sent where no key is needed, because the clients insist on one."""
KEEP_WARM = 60.0
"""Seconds an idle connection is kept."""
NO_TAGS = ("\0thinking", "\0/thinking")
"""Thinking tags that no text has: `<think>` stays in the reply, where an unclosed one can be told from an answer."""

type Schema = Mapping[str, Any]
type Terms = tuple[ModelSettings, ModelRequestParameters]
"""A request's parameters and the form of its answer, in the terms of the provider's client."""

_TEXT = ModelRequestParameters(output_mode="text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """What is to be reached.

    Attributes:
        provider: One of `KEYS`.
        model: The provider's name for it.
        base_url: An address other than the provider's own.
        timeout: Seconds one call may take.
        concurrency: Most calls at one time.
    """

    provider: str
    model: str
    base_url: str | None = None
    timeout: float = 120.0
    concurrency: int = 64

    @property
    def identity(self) -> str:
        """Return provider, model and, where it is not the provider's own, the address without credentials."""
        name = f"{self.provider}:{self.model}"
        return f"{name}@{self.location}" if self.location else name

    @property
    def location(self) -> str | None:
        """Return the address without the credentials it may carry."""
        if self.base_url is None:
            return None
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), parts.query, ""))

    @property
    def headers(self) -> dict[str, str]:
        """Return what the credentials in an address (`https://user:password@host`) become: basic authentication."""
        credentials = urlsplit(self.base_url or "").netloc.rpartition("@")[0]
        if not credentials:
            return {}
        return {"Authorization": f"Basic {base64.b64encode(unquote(credentials).encode()).decode()}"}

    @property
    def key(self) -> str:
        """Return the key from the environment; an address of one's own needs none.

        Raises:
            AccessError: There is none.
        """
        variables = KEYS[self.provider]
        for variable in variables:
            if key := os.environ.get(variable, "").strip():
                return key
        if self.base_url:
            return NO_KEY
        raise AccessError(f"{self.provider}:{self.model}: no key in the environment").with_note(
            f"Set {variables[0]}, name an address with --base-url, or use a local: model, which needs no key."
        )

    def http_client(self) -> httpx2.AsyncClient:
        """Return a pool with a connection for each call under way; its transport is aiohttp's, the cheapest."""
        limits = httpx2.Limits(
            max_connections=self.concurrency, max_keepalive_connections=self.concurrency, keepalive_expiry=KEEP_WARM
        )
        return openai.DefaultAioHttpClient(limits=limits, timeout=httpx2.Timeout(self.timeout, pool=None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """An open client of one provider for one model.

    Attributes:
        address: What it reaches.
        profile: What the endpoint takes, as far as is known by now.
        model: The client's model.
        terms: Puts parameters (under the endpoint's names) and a schema into the client's terms.
        close: Closes every connection.
    """

    address: Address
    profile: EndpointProfile
    model: Model[Any]
    terms: Callable[[Mapping[str, Any], Schema | None], Terms]
    close: Callable[[], Awaitable[None]]


def connect(address: Address) -> Connection:
    """Return an open client; nothing is sent yet.

    Raises:
        AccessError: The environment has no key for the provider.
        MissingPartError: The provider's client is not installed.
        UnknownModelError: There is no such provider.
    """
    match address.provider:
        case "openai" | "ollama":
            return _connect_openai(address)
        case "anthropic":
            return _connect_anthropic(address)
        case "google":
            return _connect_google(address)
        case other:
            known = ", ".join(KEYS)
            raise UnknownModelError(f"model: wanted PROVIDER:NAME with a provider of {known}; not {other!r}")


def resolve_base_url(provider: str, base_url: str | None) -> str | None:
    """Return the address to use: what was given, else the environment's, else None for the provider's own."""
    found = base_url or os.environ.get(ADDRESSES.get(provider, ""), "").strip() or None
    return found or (OLLAMA if provider == "ollama" else None)


def body_terms(sent: Mapping[str, Any], schema: Schema | None) -> Terms:
    """Return terms that put the parameters into the body just as they are.

    So nothing is renamed or dropped unseen on the way, and the client does not walk the schema at every call, which
    costs it a fifth of its time. The schema must be one that strict modes take.
    """
    body = dict(sent)
    if schema is not None:
        named = {"name": "answer", "strict": True, "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    return {"extra_body": body}, _TEXT


def client_terms(sent: Mapping[str, Any], schema: Schema | None) -> Terms:
    """Return terms for the client to put into its provider's words."""
    settings = {name: value for name, value in sent.items() if name != "response_format"}
    return cast("ModelSettings", settings), _TEXT if schema is None else _native(schema)


def _native(schema: Schema) -> ModelRequestParameters:
    form = OutputObjectDefinition(json_schema=cast("dict[str, Any]", schema), name="answer", strict=True)
    return ModelRequestParameters(output_mode="native", output_object=form)


def openai_client(address: Address) -> openai.AsyncOpenAI:
    """Return the client of OpenAI and of whatever speaks its language.

    Raises:
        AccessError: The environment has no key for the provider.
    """
    return openai.AsyncOpenAI(
        api_key=address.key,
        base_url=address.location,
        default_headers=address.headers,
        max_retries=0,  # by default one call becomes three requests unseen
        timeout=address.timeout,
        http_client=address.http_client(),
    )


def _connect_openai(address: Address) -> Connection:
    client = openai_client(address)
    provider = openai_provider(address, client)
    model = OpenAIChatModel(address.model, provider=provider, profile=OpenAIModelProfile(thinking_tags=NO_TAGS))
    known = model.profile
    thinks = bool(known.get("openai_supports_reasoning")) and bool(known.get("thinking_enabled_by_default"))
    profile = EndpointProfile(
        length_field="max_tokens" if address.base_url else "max_completion_tokens",
        refused={"temperature", "top_p"} if thinks else set(),
        schema=bool(known.get("supports_json_schema_output")),
        top_logprobs=0 if thinks else TOP_LOGPROBS[0],
    )
    return Connection(address=address, profile=profile, model=model, terms=body_terms, close=client.close)


def openai_provider(address: Address, client: openai.AsyncOpenAI) -> Provider[openai.AsyncOpenAI]:
    """Return which provider the client is to take its endpoint for."""
    if address.provider == "ollama":
        return OllamaProvider(openai_client=client)
    if address.base_url:
        return OpenAICompatibleProvider("openai-compatible", openai_client=client)
    return OpenAIProvider(openai_client=client)


def _connect_anthropic(address: Address) -> Connection:
    key = address.key
    try:
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider
    except ImportError as error:
        raise missing_client("anthropic") from error
    client = AsyncAnthropic(
        api_key=key,
        base_url=address.location,
        default_headers=address.headers,
        max_retries=0,
        timeout=address.timeout,
        http_client=address.http_client(),
    )
    model = AnthropicModel(address.model, provider=AnthropicProvider(anthropic_client=client))
    draws_itself = bool(model.profile.get("anthropic_disallows_sampling_settings"))
    refused = {"seed", "temperature", "top_p"} if draws_itself else {"seed"}
    return _without_probabilities(address, model, close=client.close, refused=refused)


def _connect_google(address: Address) -> Connection:
    key = address.key
    try:
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider
    except ImportError as error:
        raise missing_client("google") from error
    http_client = address.http_client()
    provider = GoogleProvider(api_key=key, base_url=address.location, http_client=http_client)
    return _without_probabilities(
        address, GoogleModel(address.model, provider=provider), close=http_client.aclose, refused=set()
    )


def _without_probabilities(
    address: Address, model: Model[Any], *, close: Callable[[], Awaitable[None]], refused: set[str]
) -> Connection:
    profile = EndpointProfile(
        length_field="max_tokens",
        refused=refused,
        schema=bool(model.profile.get("supports_json_schema_output")),
        top_logprobs=0,
    )
    return Connection(address=address, profile=profile, model=model, terms=client_terms, close=close)


def missing_client(provider: str) -> MissingPartError:
    """Return the error that says how to install a provider's client."""
    error = MissingPartError(f"{provider}: the client is not installed")
    return error.with_note(f"pip install 'userside[{provider}]'")
