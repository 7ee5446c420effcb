"""An embedder that remembers: a text is embedded once and kept, until one of its subjects is forgotten."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import batched

import numpy as np

from userside.errors import AnswerPendingError, BudgetSpentError, ModelError, RefusedError
from userside.llm.embeddings import EmbeddingModel, Encoded, Passage, Vectors, is_visible, unit_rows
from userside.llm.exchange import Reply
from userside.llm.store import AnswerStore, reply_or_raise
from userside.llm.stored import NO_LIMIT, Budget, Price, check_budget, unpriced

AT_ONCE = 64
"""Texts in one call: all that a crash can cost, and fewer than any endpoint's most."""

WORKERS = 16
"""Calls that one `embed` has under way at most; a `PacedEmbeddingModel` inside may allow fewer."""

_STORED = np.dtype("<f4")

type _Failure = ModelError | AnswerPendingError | BudgetSpentError


@dataclass(slots=True)
class StoredEmbedder:
    """An embedder whose every vector is kept before anyone sees it.

    Equal texts are embedded once, whoever says them, also when two calls want them at one time. The store's ledger is
    checked against the budget before anything new is embedded, unless it `runs_here`: that is no call, and costs
    nothing.

    >>> import asyncio
    >>> from pathlib import Path
    >>> from userside.llm import HashingEmbeddingModel
    >>> with AnswerStore(Path(":memory:")) as store:
    ...     vectors = asyncio.run(StoredEmbedder(HashingEmbeddingModel(), store).embed(["Thank you!", " "]))
    >>> vectors.shape, vectors[1].any()
    ((2, 256), np.False_)
    """

    inner: EmbeddingModel
    store: AnswerStore
    budget: Budget = NO_LIMIT
    price: Price = unpriced
    runs_here: bool = False
    _under_way: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])
    _calls: int = 0

    @property
    def identity(self) -> str:
        """Return the inner model's identity."""
        return self.inner.identity

    async def embed(self, texts: Sequence[str], *, subjects: Sequence[frozenset[str]] = ()) -> Vectors:
        """Return a row for each text, from the store or from the model.

        Raises:
            ModelError: The model did not answer; what it had answered before that is kept.
            RefusedError: A subject has withdrawn (`forgotten`), or the endpoint will not embed a text.
            BudgetSpentError: Vectors are missing and may not be asked for any more.
            AnswerPendingError: Vectors are awaited from elsewhere; all that are missing are recorded.
        """
        passages = _passages(texts, subjects)
        keys = [one.key(self.identity) if is_visible(one.text) else None for one in passages]
        wanted = _merged(zip(keys, passages, strict=True))
        self._refuse_forgotten(passages)
        found = self._find(wanted)
        while missing := {key: one for key, one in wanted.items() if key not in found}:
            await self._fetch(missing)
            self._refuse_forgotten(passages)
            found |= self._find(missing)
        return self._rows(keys, found)

    def _refuse_forgotten(self, passages: Iterable[Passage]) -> None:
        if self.store.is_forgotten(name for one in passages for name in one.subjects):
            raise RefusedError("a subject of these texts has withdrawn", reason="forgotten")

    def _find(self, wanted: Mapping[str, Passage]) -> dict[str, bytes]:
        return self.store.find_vectors({key: one.subjects for key, one in wanted.items()})

    def _rows(self, keys: Sequence[str | None], found: Mapping[str, bytes]) -> Vectors:
        known = {key: np.frombuffer(blob, _STORED) for key, blob in found.items()}
        width = len(next(iter(known.values()))) if known else self.inner.dimensions or 0
        rows = np.zeros((len(keys), width), np.float32)
        for row, key in zip(rows, keys, strict=True):
            if key is not None:
                row[:] = known[key]
        return rows

    async def _fetch(self, missing: Mapping[str, Passage]) -> None:
        """Have at least one more of the vectors in the store, or raise."""
        for key in missing:
            if (known := self.store.find(key)) is not None:
                reply_or_raise(known)  # a refusal that came with a batch
        ours = {key: one for key, one in missing.items() if key not in self._under_way}
        if not ours:
            await self._under_way[next(iter(missing))].wait()
            return
        done = asyncio.Event()
        self._under_way |= dict.fromkeys(ours, done)
        failures: list[_Failure] = []
        chunks = (dict(chunk) for chunk in batched(ours.items(), AT_ONCE))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(WORKERS, -(-len(ours) // AT_ONCE))):
                    group.create_task(self._work(chunks, failures))
        finally:
            for key in ours:
                del self._under_way[key]
            done.set()
        if failures:
            raise _worst(failures)

    async def _work(self, chunks: Iterator[dict[str, Passage]], failures: list[_Failure]) -> None:
        """Take chunk after chunk until there are no more, or one failed in earnest."""
        for chunk in chunks:
            if failures and not isinstance(_worst(failures), AnswerPendingError):
                return
            try:
                await self._encode(chunk)
            except (ModelError, AnswerPendingError, BudgetSpentError) as error:
                failures.append(error)

    async def _encode(self, chunk: Mapping[str, Passage]) -> None:
        if not self.runs_here:
            check_budget(self.budget, self.store, waiting=self._calls)
        self._calls += 1
        try:
            encoded = await self.inner.encode(tuple(chunk.values()))
        finally:
            self._calls -= 1
        vectors = dict(zip(chunk, blobs_of(encoded.vectors), strict=True))
        cost = self.price(Reply(text="", usage=encoded.usage))
        subjects = {key: one.subjects for key, one in chunk.items()}
        usage = None if self.runs_here else encoded.usage
        self.store.keep_vectors(vectors, subjects, identity=self.identity, usage=usage, cost=cost)


def blobs_of(vectors: Vectors) -> list[bytes]:
    """Return each row as the store keeps it: float32, little-endian."""
    return [row.tobytes() for row in unit_rows(vectors).astype(_STORED)]


def _worst(failures: Iterable[_Failure]) -> _Failure:
    """Return the failure to raise: vectors that are merely awaited come last."""
    return min(failures, key=lambda one: isinstance(one, AnswerPendingError))


def _passages(texts: Sequence[str], subjects: Sequence[frozenset[str]]) -> list[Passage]:
    """Return the texts with their subjects; half a surrogate pair, which no endpoint can be sent, is replaced."""
    if subjects and len(subjects) != len(texts):
        raise ValueError(f"subjects: wanted one set for each of {len(texts)} texts, not {len(subjects)}")
    about = subjects or [frozenset[str]()] * len(texts)
    pairs = zip(texts, about, strict=True)
    return [Passage(text=text.encode("utf-8", "replace").decode(), subjects=names) for text, names in pairs]


def _merged(passages: Iterable[tuple[str | None, Passage]]) -> dict[str, Passage]:
    """Return each text once, about everybody that any of its passages is about."""
    merged: dict[str, Passage] = {}
    for key, one in passages:
        if key is not None:
            before = merged.get(key, one)
            merged[key] = Passage(text=one.text, subjects=before.subjects | one.subjects)
    return merged


@dataclass(slots=True)
class DeferredEmbeddingModel:
    """An embedding model that is answered elsewhere: it records what would be embedded, and embeds nothing.

    Put a `StoredEmbedder` around it. `identity` is that of the model which will answer.
    """

    identity: str
    store: AnswerStore
    dimensions: int | None = None

    async def encode(self, passages: Sequence[Passage]) -> Encoded:
        """Record the passages as pending.

        Raises:
            AnswerPendingError: Always.
        """
        for one in passages:
            self.store.wait_for(one.key(self.identity), one, identity=self.identity)
        raise AnswerPendingError("the vectors are awaited from elsewhere")
