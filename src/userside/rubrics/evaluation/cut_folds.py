"""Splits by which nothing is judged by what was fitted to it."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FOLDS = 5
REPEATS = 10
LEAST_OF_EACH = 10
"""Conversations of a label below which nothing is fitted to it."""


class Fold(NamedTuple):
    """One part of one split.

    Attributes:
        repeat: Which split, from 0.
        used: The rows that something is fitted to.
        out: The rows that it is then asked about.
    """

    repeat: int
    used: NDArray[np.bool_]
    out: NDArray[np.bool_]


def deal_folds(codes: NDArray[np.intp], *, generator: np.random.Generator) -> Iterator[Fold]:
    """Yield every fold of every split, each stratified by label.

    Args:
        codes: The label of each row, as a number.
        generator: Where chance comes from.
    """
    for repeat in range(REPEATS):
        dealt = _deal(codes, generator=generator)
        for fold in range(FOLDS):
            yield Fold(repeat=repeat, used=dealt != fold, out=dealt == fold)


def _deal(codes: NDArray[np.intp], *, generator: np.random.Generator) -> NDArray[np.intp]:
    """Return each row's fold; the rows of a label are dealt out like cards, one label after another."""
    order = np.concatenate([generator.permutation(np.flatnonzero(codes == code)) for code in np.unique(codes)])
    folds = np.empty(len(codes), dtype=np.intp)
    folds[order] = np.arange(len(codes)) % FOLDS
    return folds
