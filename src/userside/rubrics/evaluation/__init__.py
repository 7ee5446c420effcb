"""Evaluation: what scores are worth by users' own labels, and cuts fitted to them.

- `rows`: which conversations count, and what becomes of the others
- `ranking`: AUC of R, beside signals and zero-shot
- `tables`: labels from R in three classes and two, beside the constant predictor
- `items`: each item by itself
- `cut_search`, `cut_fitting`, `fitted_file`: cuts and a calibration by cross-validation
- `evaluation`: all of it
- `text`: for a terminal
"""

from userside.rubrics.evaluation.cut_fitting import (
    CutFit,
    FittedCuts,
    HeldOut,
    HeldOutFigures,
    fit_cuts,
    refit_cuts,
    relabel,
)
from userside.rubrics.evaluation.evaluation import Evaluation, EvaluationSettings, Reliability, evaluate
from userside.rubrics.evaluation.fitted_file import read_fitted_cuts, write_fitted_cuts
from userside.rubrics.evaluation.items import ItemEvaluation, MeanScore
from userside.rubrics.evaluation.ranking import Ranking, Rival
from userside.rubrics.evaluation.rows import Coverage
from userside.rubrics.evaluation.tables import LabelTable, LabelTables
from userside.rubrics.evaluation.text import render_evaluation

__all__ = [
    "Coverage",
    "CutFit",
    "Evaluation",
    "EvaluationSettings",
    "FittedCuts",
    "HeldOut",
    "HeldOutFigures",
    "ItemEvaluation",
    "LabelTable",
    "LabelTables",
    "MeanScore",
    "Ranking",
    "Reliability",
    "Rival",
    "evaluate",
    "fit_cuts",
    "read_fitted_cuts",
    "refit_cuts",
    "relabel",
    "render_evaluation",
    "write_fitted_cuts",
]
