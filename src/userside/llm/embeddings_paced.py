"""Embedding as fast as an endpoint bears."""

from collections.abc import Sequence

from userside.llm.embeddings import EmbeddingModel, Encoded, Passage
from userside.llm.pacing import Pacer


class PacedEmbeddingModel:
    """An embedding model that asks another one, as fast as that one bears.

    Args:
        inner: Who answers.
        pacer: How hard to press; one for all that ask the same endpoint.
    """

    def __init__(self, inner: EmbeddingModel, pacer: Pacer | None = None) -> None:
        self._inner = inner
        self.pacer = pacer or Pacer()

    @property
    def identity(self) -> str:
        """Return the inner model's: pacing changes no vector."""
        return self._inner.identity

    @property
    def dimensions(self) -> int | None:
        """Return the inner model's."""
        return self._inner.dimensions

    async def encode(self, passages: Sequence[Passage]) -> Encoded:
        """Return the vectors, after as many attempts as the pace allows.

        Raises:
            RateLimitedError: The endpoint went on answering 429 for longer than the patience.
            TransientError: The last retry failed too.
            ModelError: What no retry would change.
        """
        return await self.pacer.send(lambda: self._inner.encode(passages))
