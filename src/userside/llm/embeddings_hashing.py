"""An embedding model without a mind: words and pieces of words, hashed. For tests, tutorials and the fake endpoint."""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from userside.llm.embeddings import Encoded, Passage, Vectors, unit_rows


@dataclass(slots=True)
class HashingEmbeddingModel:
    """An embedding model by which texts are alike as far as they share words; what was embedded is kept in `asked`.

    The hashing trick of Weinberger et al. 2009: each word and each three letters of it adds 1 or -1 to one place.
    It knows no meaning: "glad" and "happy" have nothing in common.

    >>> import asyncio
    >>> asyncio.run(HashingEmbeddingModel().encode([Passage(text="So glad!")])).vectors.shape
    (1, 256)
    """

    name: str = "hashing"
    dimensions: int = 256
    asked: list[str] = field(default_factory=list[str])

    @property
    def identity(self) -> str:
        """Return the name, as in `scripted:hashing`."""
        return f"scripted:{self.name}"

    async def encode(self, passages: Sequence[Passage]) -> Encoded:
        """Return the vectors, which depend on the texts alone."""
        texts = [passage.text for passage in passages]
        self.asked += texts
        await asyncio.sleep(0)  # as a real model would, let others go on meanwhile
        return Encoded(vectors=hashed_vectors(texts, dimensions=self.dimensions))


def hashed_vectors(texts: Sequence[str], *, dimensions: int) -> Vectors:
    """Return a row of length 1 for each text that has a letter, a digit or a sign in it."""
    rows = np.zeros((len(texts), dimensions))
    for row, text in zip(rows, texts, strict=True):
        for piece in _pieces(text):
            digest = hashlib.blake2b(piece.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            row[int.from_bytes(digest[:7]) % dimensions] += 1 if digest[7] % 2 else -1
    return unit_rows(rows)


def _pieces(text: str) -> Iterator[str]:
    for word in text.casefold().split():
        yield word
        marked = f"<{word}>"
        yield from (marked[start : start + 3] for start in range(len(marked) - 2))
