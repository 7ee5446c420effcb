"""Opening an embedding model by its name, `provider:model`. Only the command line and the server do this."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

from userside.llm.catalogue import EncoderEntry, encoder_entry
from userside.llm.embeddings import EmbeddingModel, Encoded, Passage
from userside.llm.embeddings_hashing import HashingEmbeddingModel
from userside.llm.embeddings_hub import check_repository, provide_encoder, revision_of
from userside.llm.embeddings_onnx import TOKENS_AT_ONCE, Encoder, EncoderSettings, import_engine
from userside.llm.embeddings_paced import PacedEmbeddingModel
from userside.llm.embeddings_stored import StoredEmbedder
from userside.llm.exchange import Usage
from userside.llm.opening import ModelChoice, as_context, choose
from userside.llm.store import AnswerStore
from userside.llm.stored import NO_LIMIT, Budget
from userside.llm.weights import provide_weights

EMBEDDING_PROVIDERS = ("openai", "google", "ollama", "local", "hub", "scripted")


def read_embedder_name(
    name: str, *, base_url: str | None = None, timeout: float = 120.0, concurrency: int = 64
) -> ModelChoice:
    """Return which embedding model a name means. A base URL alone makes a bare name an `openai:` one.

    >>> read_embedder_name("hub:intfloat/multilingual-e5-small").model
    'intfloat/multilingual-e5-small'

    Raises:
        UnknownModelError: The name is not `provider:model`, or the provider has no embedding models.
    """
    choice = choose(name, base_url=base_url, known=EMBEDDING_PROVIDERS, flag="--embedder")
    return replace(choice, timeout=timeout, concurrency=concurrency)


def open_embedder(choice: ModelChoice) -> AbstractAsyncContextManager[EmbeddingModel]:
    """Return the embedding model, to be closed after use; put a `StoredEmbedder` around it.

    `local:` names an entry of the catalogue and `hub:` any repository of the hub that has an ONNX file; both are
    fetched on entering where they are not here. `scripted:` is the hashing one, whatever follows.

    Raises:
        AccessError: There is no key for the provider.
        MissingPartError: The provider's client is not installed; on entering, the engine is not.
        UnknownModelError: There is no such provider or catalogue entry.
        WeightsError: On entering: the files are not here and no source that is allowed has them.
    """
    match choice.provider:
        case "scripted":
            return as_context(HashingEmbeddingModel(name=choice.model))
        case "local":
            return _open_entry(encoder_entry(choice.model))
        case "hub":
            check_repository(choice.model)
            return _open_repository(choice.model)
        case _:
            from userside.llm.embeddings_endpoint import open_endpoint_embedder

            return open_endpoint_embedder(
                choice.provider,
                choice.model,
                base_url=choice.base_url,
                timeout=choice.timeout,
                concurrency=choice.concurrency,
            )


def store_embedder(
    bare: EmbeddingModel, choice: ModelChoice, store: AnswerStore, *, budget: Budget = NO_LIMIT
) -> StoredEmbedder:
    """Return what `open_embedder` gave for a choice, with its vectors kept; a model that is elsewhere is paced."""
    inner = bare if choice.runs_here else PacedEmbeddingModel(bare)
    return StoredEmbedder(inner, store, budget=budget, runs_here=choice.runs_here)


class EmbeddedEmbeddingModel:
    """An embedding model in this process, on one thread of its own.

    A vector depends on its text alone, bit for bit on one kind of processor: not on what else was embedded with it.
    """

    def __init__(self, identity: str, encoder: Encoder, worker: ThreadPoolExecutor, *, dimensions: int | None) -> None:
        self.identity = identity
        self.dimensions = dimensions
        self._encoder = encoder
        self._worker = worker

    async def encode(self, passages: Sequence[Passage]) -> Encoded:
        """Return the vectors, after all that were asked for before are there."""
        texts = [passage.text for passage in passages]
        vectors, tokens = await _in(self._worker, lambda: self._encoder.encode(texts))
        self.dimensions = vectors.shape[1]
        return Encoded(vectors=vectors, usage=Usage(input_tokens=tokens, output_tokens=0))


@asynccontextmanager
async def _open_entry(entry: EncoderEntry) -> AsyncGenerator[EmbeddingModel]:
    def load(stop: threading.Event) -> tuple[str, Encoder]:
        settings = EncoderSettings(
            weights=provide_weights(entry.weights, stop=stop),
            tokenizer=provide_weights(entry.tokenizer, stop=stop),
            window=entry.window,
            tokens_at_once=TOKENS_AT_ONCE,
        )
        return f"local:{entry.name}", Encoder(settings)

    async with _on_a_thread(load, dimensions=entry.dimensions) as model:
        yield model


@asynccontextmanager
async def _open_repository(repository: str) -> AsyncGenerator[EmbeddingModel]:
    def load(stop: threading.Event) -> tuple[str, Encoder]:
        encoder = provide_encoder(repository, stop=stop)
        return f"hub:{repository}@{revision_of(encoder)}", Encoder(encoder.settings)

    async with _on_a_thread(load, dimensions=None) as model:
        yield model


@asynccontextmanager
async def _on_a_thread(
    load: Callable[[threading.Event], tuple[str, Encoder]], *, dimensions: int | None
) -> AsyncGenerator[EmbeddedEmbeddingModel]:
    import_engine()  # before anything is fetched for it
    stop = threading.Event()
    worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding-model")
    try:
        identity, encoder = await _in(worker, lambda: load(stop))
        yield EmbeddedEmbeddingModel(identity, encoder, worker, dimensions=dimensions)
    finally:
        stop.set()  # a download under way: Ctrl-C must not wait for it
        await asyncio.to_thread(worker.shutdown, wait=True, cancel_futures=True)


async def _in[T](worker: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(worker, work)
