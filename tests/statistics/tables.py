"""Random labellings and scores for the tests of statistics, the same ones on every run."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TWO = ("satisfied", "dissatisfied")
THREE = (*TWO, "neutral")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Two labellings of the same rows, and the class list they were drawn from."""

    first: list[str]
    second: list[str]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Scores, many of them tied, and outcomes of both kinds."""

    scores: NDArray[np.float64]
    positive: NDArray[np.bool_]


def random_labellings(count: int, *, seed: int) -> Iterator[Labelled]:
    """Yield tables of 1 to 80 rows; some miss a class, some are all agreement."""
    generator = np.random.default_rng(seed)
    for _ in range(count):
        labels = TWO if generator.random() < 0.4 else THREE
        shares = generator.dirichlet(np.full(len(labels), 0.7))
        n = int(generator.integers(1, 81))
        first = generator.choice(labels, size=n, p=shares)
        agrees = generator.random(n) < generator.random()
        second = np.where(agrees, first, generator.choice(labels, size=n))
        yield Labelled(first=first.tolist(), second=second.tolist(), labels=labels)


def random_rankings(count: int, *, seed: int) -> Iterator[Ranked]:
    """Yield 2 to 80 scores on a grid of 1 to 40 values; both outcomes occur."""
    generator = np.random.default_rng(seed)
    for _ in range(count):
        n = int(generator.integers(2, 81))
        scores = generator.integers(0, int(generator.integers(1, 41)), size=n) / 7 - 2
        positive = generator.random(n) < generator.uniform(0.1, 0.9)
        positive[:2] = [True, False]
        yield Ranked(scores=scores, positive=positive)
