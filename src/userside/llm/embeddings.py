"""Texts as vectors: what is embedded, what comes back, and how two vectors are compared."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from userside.llm.exchange import Usage

type Vectors = npt.NDArray[np.float32]
"""One row a text. A row has length 1, or it is all zeros: then there was nothing to embed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One text to embed.

    Attributes:
        text: The text; may be of any length, and hostile.
        subjects: Whom it is about (conversation or contributor ids); decides what `forget` deletes, and is not sent.
    """

    text: str
    subjects: frozenset[str] = frozenset()

    def key(self, identity: str) -> str:
        """Return 64 hex digits that name this text put to the embedding model `identity`; subjects do not count."""
        named = f"embedding\0{identity}\0{self.text}"
        return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """What an embedding model returned for some passages: one row each, in their order, and what it used."""

    vectors: Vectors
    usage: Usage = Usage()


class EmbeddingModel(Protocol):
    """Anything that turns passages into vectors. It forgets nothing and keeps nothing: see `StoredEmbedder`."""

    @property
    def identity(self) -> str:
        """Return what distinguishes this model's vectors from another's."""
        ...

    @property
    def dimensions(self) -> int | None:
        """Return the length of a vector, or None while nothing has told it."""
        ...

    async def encode(self, passages: Sequence[Passage]) -> Encoded:
        """Return the vectors of passages that each have something visible in them.

        Raises:
            userside.errors.ModelError: There are none; the subclass says what to make of it.
            userside.errors.AnswerPendingError: They are awaited from elsewhere.
        """
        ...


class Embedder(Protocol):
    """What work that compares texts is given."""

    @property
    def identity(self) -> str:
        """Return what distinguishes these vectors from another model's."""
        ...

    async def embed(self, texts: Sequence[str], *, subjects: Sequence[frozenset[str]] = ()) -> Vectors:
        """Return a row for each text, in their order: float32, shape (texts, dimensions).

        A text without anything visible in it (empty, blank) has a row of zeros: its cosine with anything is 0. Where
        no text has anything in it and nothing told the dimensions yet, they are 0.

        Args:
            texts: What is embedded.
            subjects: Whom each text is about, one set a text; or nothing, for texts about nobody.
        """
        ...


def unit_rows(vectors: npt.ArrayLike) -> Vectors:
    """Return rows of length 1; a row of zeros stays one, so that nothing becomes NaN.

    >>> unit_rows([[3.0, 4.0], [0.0, 0.0]]).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    rows = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0).astype(np.float32)


def cosine(left: Vectors, right: Vectors) -> Vectors:
    """Return the cosine of each row of `left` with each of `right`, shape (left, right); with a row of zeros it is 0.

    >>> cosine(unit_rows([[1, 0], [0, 0]]), unit_rows([[1, 1]])).round(2).tolist()
    [[0.7099999785423279], [0.0]]
    """
    if not left.shape[1] or not right.shape[1]:
        return np.zeros((len(left), len(right)), np.float32)
    return np.clip(unit_rows(left) @ unit_rows(right).T, -1, 1)


def is_visible(text: str) -> bool:
    """Tell whether there is anything in a text to embed.

    >>> is_visible(" ?"), is_visible("  "), is_visible(chr(0x200B))
    (True, False, False)
    """
    return any(character.isprintable() and not character.isspace() for character in text)
