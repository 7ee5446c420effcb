"""Embedding models behind an address: OpenAI and whatever speaks its language, Ollama, Google."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Self

import numpy as np
from pydantic_ai.embeddings import EmbeddingModel as Client
from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
from pydantic_ai.usage import RequestUsage

from userside.errors import RefusedError, TransientError, UnknownModelError
from userside.llm.embeddings import Encoded, Passage, Vectors, unit_rows
from userside.llm.exchange import Usage
from userside.llm.failures import EXPECTED, failure_of
from userside.llm.providers import Address, missing_client, openai_client, openai_provider, resolve_base_url

SHORTEST_HALF = 100
"""Characters; a text this short that is still too long for the endpoint is refused for another reason."""

type _Connected = tuple[Client, Callable[[], Awaitable[None]]]


class EndpointEmbeddingModel(AbstractAsyncContextManager["EndpointEmbeddingModel"]):
    """An embedding model behind an address, asked once a call: no retry happens here (see `PacedEmbeddingModel`).

    What the endpoint refuses is split: a refused batch into halves, until the one text that it will not embed is
    found; a text that is too long into halves too, whose vectors are averaged by their lengths. So the end of a long
    conversation counts as much as its beginning.

    Use it as an async context manager, or call `aclose`, so that connections do not stay open.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._client, self._close = _connect(address)
        self._dimensions: int | None = None

    @property
    def identity(self) -> str:
        """Return provider, model and, where it is not the provider's own, the address (without credentials)."""
        return self._address.identity

    @property
    def dimensions(self) -> int | None:
        """Return the length of a vector, None before the first has come."""
        return self._dimensions

    async def encode(self, passages: Sequence[Passage]) -> Encoded:
        """Return the vectors, in one call where the endpoint takes it.

        Raises:
            RefusedError: It will not embed one of the texts.
            AccessError: No call will be answered.
            UnknownModelError: The endpoint has no such model, or the address is wrong.
            RateLimitedError: Asked too fast.
            TransientError: Worth another attempt.
        """
        return await self._encode([passage.text for passage in passages])

    async def _encode(self, texts: Sequence[str]) -> Encoded:
        try:
            return await self._send(texts)
        except RefusedError as error:
            if len(texts) > 1:
                middle = len(texts) // 2
                return _stacked([await self._encode(texts[:middle]), await self._encode(texts[middle:])])
            if error.reason != "context_window" or len(texts[0]) < SHORTEST_HALF:
                raise
            halves = _halves(texts[0])
            both = _stacked([await self._encode([half]) for half in halves])
            weights = np.array([[len(half)] for half in halves])
            return Encoded(vectors=unit_rows((both.vectors * weights).sum(axis=0, keepdims=True)), usage=both.usage)

    async def _send(self, texts: Sequence[str]) -> Encoded:
        try:
            async with asyncio.timeout(self._address.timeout):
                result = await self._client.embed(list(texts), input_type="document")
        except EXPECTED as error:
            raise failure_of(error, where=self.identity, hidden=self._address.key) from None
        vectors = _checked(result.embeddings, count=len(texts), where=self.identity)
        self._dimensions = vectors.shape[1]
        return Encoded(vectors=vectors, usage=_usage(result.usage))

    async def aclose(self) -> None:
        """Close every connection."""
        await self._close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def open_endpoint_embedder(
    provider: str, model: str, *, base_url: str | None = None, timeout: float = 120.0, concurrency: int = 64
) -> EndpointEmbeddingModel:
    """Return the embedding model of that name; nothing is sent yet. The arguments are those of `open_endpoint`.

    Raises:
        AccessError: The environment has no key for the provider.
        MissingPartError: The provider's client is not installed.
        UnknownModelError: The provider is unknown, or embeds nothing.
    """
    address = Address(
        provider=provider,
        model=model,
        base_url=resolve_base_url(provider, base_url),
        timeout=timeout,
        concurrency=concurrency,
    )
    return EndpointEmbeddingModel(address)


def _connect(address: Address) -> _Connected:
    match address.provider:
        case "openai" | "ollama":
            client = openai_client(address)
            return OpenAIEmbeddingModel(address.model, provider=openai_provider(address, client)), client.close
        case "google":
            return _connect_google(address)
        case other:
            raise UnknownModelError(f"embedder: {other}: has no embedding models").with_note(
                "For example `local:all-minilm-l6-v2` (no key, runs here), or `openai:text-embedding-3-small`."
            )


def _connect_google(address: Address) -> _Connected:
    key = address.key
    try:
        from pydantic_ai.embeddings.google import GoogleEmbeddingModel
        from pydantic_ai.providers.google import GoogleProvider
    except ImportError as error:
        raise missing_client("google") from error
    http_client = address.http_client()
    provider = GoogleProvider(api_key=key, base_url=address.location, http_client=http_client)
    return GoogleEmbeddingModel(address.model, provider=provider), http_client.aclose


def _checked(rows: Sequence[Sequence[float]], *, count: int, where: str) -> Vectors:
    """Return rows of length 1, or raise where what came is not one vector a text."""
    try:
        vectors = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        vectors = np.empty(0)
    if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all() or not vectors.any(axis=1).all():  # noqa: PLR2004 - rows and columns
        raise TransientError(
            f"{where}: not an answer: wanted {count} vectors of finite numbers, not {str(rows)[:80]!r}",
            reason="server_error",
        )
    return unit_rows(vectors)


def _usage(used: RequestUsage) -> Usage:
    return Usage(input_tokens=used.input_tokens or None, output_tokens=0 if used.input_tokens else None)


def _stacked(parts: Sequence[Encoded]) -> Encoded:
    used = [part.usage.input_tokens for part in parts]
    total = None if None in used else sum(tokens or 0 for tokens in used)
    usage = Usage(input_tokens=total, output_tokens=None if total is None else 0)
    return Encoded(vectors=np.vstack([part.vectors for part in parts]), usage=usage)


def _halves(text: str) -> tuple[str, str]:
    """Return a text in two, cut at the last space before its middle where there is one near."""
    middle = len(text) // 2
    space = text.rfind(" ", middle // 2, middle)
    cut = space if space > 0 else middle
    return text[:cut], text[cut:]
