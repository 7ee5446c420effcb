"""A baseline judge: logistic regression on the signals, always asked about conversations it was not fitted to."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from userside.errors import LabelError
from userside.rubrics.signals.extraction import Signals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FOLDS = 5
STRENGTH = 0.03
"""scikit-learn's C. Fixed: on MWOZ, SGD and ReDial every value from 0.003 to 0.1 gives the same AUC within 0.01."""


def out_of_fold_signals(
    signals: Mapping[str, Signals], *, satisfied: Mapping[str, bool], neither: Collection[str] = (), seed: int = 0
) -> dict[str, float]:
    """Return the probability that each labelled user is satisfied, from a model that has not seen that conversation.

    Five folds, stratified by label, shuffled by the seed. Everything is fitted inside the folds: a missing signal takes
    the median and raises a flag of its own, values (as log(1 + x), since counts have long tails) are standardised, and
    the logistic regression is penalised with a fixed strength.

    Args:
        signals: The signals of each conversation, by id.
        satisfied: True or False for each id that is clearly labelled; ids without signals are an error.
        neither: Further ids, of neutral users: nothing is fitted to them, so all the others are used for theirs.
        seed: Decides the folds.

    Raises:
        LabelError: One of the two classes has fewer conversations than there are folds.
    """
    ids = sorted(satisfied)
    outcomes = [satisfied[id_] for id_ in ids]
    smaller = min(sum(outcomes), len(outcomes) - sum(outcomes))
    if smaller < FOLDS:
        raise LabelError(f"signals: wanted {FOLDS} or more conversations of each label, not {smaller}")
    values = _matrix(signals[id_] for id_ in ids)
    found = dict(zip(ids, _cross_validate(values, outcomes=outcomes, seed=seed), strict=True))
    others = sorted(neither)
    if others:
        fitted = _model().fit(values, outcomes)
        probabilities = fitted.predict_proba(_matrix(signals[id_] for id_ in others))[:, 1].tolist()
        found.update(zip(others, probabilities, strict=True))
    return found


def _matrix(rows: "Iterable[Signals]") -> "NDArray[np.float64]":
    import numpy as np

    values = [[np.nan if value is None else value for value in row.values()] for row in rows]
    return np.log1p(np.array(values, dtype=np.float64))


def _model() -> Any:
    from sklearn import impute, linear_model, pipeline, preprocessing

    pipelines: Any = pipeline  # scikit-learn has no types to speak of
    return pipelines.make_pipeline(
        impute.SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        preprocessing.StandardScaler(),
        linear_model.LogisticRegression(C=STRENGTH, max_iter=1000),
    )


def _cross_validate(values: "NDArray[np.float64]", *, outcomes: list[bool], seed: int) -> list[float]:
    from sklearn import model_selection

    selection: Any = model_selection
    folds = selection.StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    predicted = selection.cross_val_predict(_model(), values, outcomes, cv=folds, method="predict_proba")
    return cast("list[float]", predicted[:, 1].tolist())
