"""The cuts on R that match labels best."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from userside.conversations import Label

MOST_PLACES = 300
"""Places for a cut that are tried; where there are more distinct scores, evenly spread among them."""
BEYOND = 0.5
"""How far outside the scores a cut lies that has all of them on one side."""
EQUAL = 1e-12

type _Floats = NDArray[np.float64]


def best_cuts(totals: NDArray[np.float64], *, codes: NDArray[np.intp], labels: Sequence[Label]) -> tuple[float, float]:
    """Return the two cuts with the largest macro F1 over the labels, the lower first.

    Cuts lie half way between neighbouring scores. Without neutral among the labels both are the same. Among equally
    good ones it is the one nearest to the centre of them all, so that a cut stands away from where things get worse.

    Args:
        totals: R of each conversation.
        codes: The place of its label in `labels`.
        labels: The labels that occur.
    """
    values, places = np.unique(totals, return_inverse=True)
    tried = np.unique(np.linspace(0, len(values), MOST_PLACES + 1).astype(np.intp))
    # Row c: how many conversations of label c score below each place.
    below = np.array([_below(places[codes == code], size=len(values))[tried] for code in range(len(labels))])
    quality = _macro_f1(below, sizes=np.bincount(codes, minlength=len(labels)), labels=labels)
    low, high = _centre(np.argwhere(quality >= np.nanmax(quality) - EQUAL))
    cuts = _cut_values(values)[tried]
    return float(cuts[low]), float(cuts[high])


def _below(places: NDArray[np.intp], *, size: int) -> NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum(np.bincount(places, minlength=size))])


def _cut_values(values: _Floats) -> _Floats:
    return np.concatenate([[values[0] - BEYOND], (values[:-1] + values[1:]) / 2, [values[-1] + BEYOND]])


def _macro_f1(below: NDArray[np.intp], *, sizes: NDArray[np.intp], labels: Sequence[Label]) -> _Floats:
    """Return the mean F1 for each pair of places (lower, upper); NaN where the lower is above the upper."""
    everyone = below.sum(axis=0)
    satisfied, dissatisfied = labels.index(Label.SATISFIED), labels.index(Label.DISSATISFIED)
    above = 2 * (sizes[satisfied] - below[satisfied]) / (sizes.sum() - everyone + sizes[satisfied])
    under = 2 * below[dissatisfied] / (everyone + sizes[dissatisfied])
    total = under[:, None] + above[None, :]
    if Label.NEUTRAL in labels:
        neutral = labels.index(Label.NEUTRAL)
        hits = below[neutral][None, :] - below[neutral][:, None]
        total = total + 2 * hits / (np.maximum(everyone[None, :] - everyone[:, None], 0) + sizes[neutral])
        allowed = np.triu(np.ones_like(total, dtype=np.bool_))
    else:
        allowed = np.eye(len(everyone), dtype=np.bool_)
    return np.where(allowed, total / len(labels), np.nan)


def _centre(best: NDArray[np.intp]) -> tuple[int, int]:
    distances = ((best - best.mean(axis=0)) ** 2).sum(axis=1)
    low, high = best[int(distances.argmin())].tolist()
    return low, high
