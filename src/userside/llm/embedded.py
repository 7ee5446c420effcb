"""The embedded model: weights from the catalogue, run in this process, with no key and no service."""

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from userside.llm.catalogue import CatalogueEntry, catalogue_entry
from userside.llm.embedded_server import Server, ServerSettings, import_engine, put, start_server, thread_count
from userside.llm.exchange import Message, Reply, Request
from userside.llm.model import Capabilities, Model
from userside.llm.weights import provide_weights


class EmbeddedModel:
    """A model in this process that answers one request after the other, in the order they came.

    One at a time, because requests that follow one another share what their prompts have in common: the second item
    asked about a conversation costs only its own words. `Usage.cached_tokens` tells how much was shared.

    At temperature 0, or with a seed, the answer depends on the request alone, bit for bit on one kind of processor:
    not on what was asked before, nor on the number of threads. So a run that was interrupted ends with the figures of
    one that was not. One exception is known: where the engine's batches of 256 tokens leave a rest of one to seven, a
    question that is the first about its conversation (one such in forty) can differ in the second decimal.
    """

    def __init__(self, entry: CatalogueEntry, *, load: Callable[[], Server]) -> None:
        self._entry = entry
        self._load = load
        self._server: Server | None = None
        self._before: tuple[Message, ...] = ()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedded-model")

    @property
    def identity(self) -> str:
        """Return `local:` and the catalogue's name, which pins the weights."""
        return _identity(self._entry)

    @property
    def capabilities(self) -> Capabilities:
        """Return what the engine can do."""
        return _capabilities(self._entry)

    async def start(self) -> None:
        """Load the weights, so that the first question need not wait for them."""
        await self._in_turn(self._loaded)

    async def ask(self, request: Request) -> Reply:
        """Return the answer, after all that were asked before have theirs.

        Cancelled while it waits, the request is never computed. Cancelled while it is computed, the computation ends
        by itself and its answer is dropped; the next request waits for that.

        Raises:
            RefusedError: This request will not be answered (too long, malformed, a schema that cannot be followed).
            TransientError: The engine failed.
        """
        return await self._in_turn(lambda: self._put(request))

    async def aclose(self) -> None:
        """Free the engine, once the request that is being computed has ended; those that wait are cancelled."""
        await asyncio.to_thread(self._worker.shutdown, wait=True, cancel_futures=True)
        self._server = None

    async def _in_turn[T](self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def _put(self, request: Request) -> Reply:
        before, self._before = self._before, request.messages
        # What goes on from the very end of the prompt before would start in the middle of a computation that was made
        # token by token, and token by token the engine adds numbers up in another order than many at a time.
        goes_on = bool(before) and request.messages[: len(before)] == before
        return put(self._loaded(), request, identity=self.identity, reuse=not goes_on)

    def _loaded(self) -> Server:
        self._server = self._server or self._load()
        return self._server


def describe_embedded(name: str) -> tuple[str, Capabilities]:
    """Return an embedded model's identity and what it can be asked for; needs neither weights nor engine.

    >>> describe_embedded("smollm2-135m")[0]
    'local:smollm2-135m'

    Raises:
        UnknownModelError: The catalogue has no such model.
    """
    entry = catalogue_entry(name)
    return _identity(entry), _capabilities(entry)


def open_embedded(name: str) -> AbstractAsyncContextManager[Model]:
    """Return the embedded model, to be closed after use; weights that are not here are fetched on entering.

    Raises:
        UnknownModelError: The catalogue has no such model.
        WeightsError: On entering: the weights are not here and no source that is allowed has them.
        MissingPartError: On entering: the engine is not installed.
    """
    return _opened(catalogue_entry(name))


@asynccontextmanager
async def _opened(entry: CatalogueEntry) -> AsyncGenerator[Model]:
    stop = threading.Event()

    def load() -> Server:
        import_engine()  # before a gigabyte is fetched for it
        settings = ServerSettings(
            weights=provide_weights(entry, stop=stop),
            context_window=entry.context_window,
            threads=thread_count(cores=_cores(), load=os.getloadavg()[0]),
        )
        return start_server(settings)

    model = EmbeddedModel(entry, load=load)
    try:
        await model.start()
        yield model
    finally:
        stop.set()  # a download under way: Ctrl-C must not wait for a gigabyte
        await model.aclose()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _identity(entry: CatalogueEntry) -> str:
    return f"local:{entry.name}"


def _capabilities(entry: CatalogueEntry) -> Capabilities:
    return Capabilities(
        schema=True,
        token_probabilities=True,
        shares_prefix=True,
        context_window=entry.context_window,
        concurrency=1,
    )
