"""Evaluation: what scores are worth by users' own labels, and cuts fitted to them.

- `rows`: which conversations count, and what becomes of the others
- `distribution`: how R is spread
- `rivals`: signals, zero-shot and other runs beside R
- `ranking`: AUC of R, and of its rivals
- `figures`, `tables`: labels from R in three classes and two, beside its rivals and the constant predictor
- `items`: each item by itself
- `languages`: agreement by language
- `reliability`: probabilities against what happened
- `cut_search`, `cut_folds`, `cut_fitting`, `fitted_file`: cuts and a calibration by cross-validation
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
from userside.rubrics.evaluation.distribution import ScoreDistribution
from userside.rubrics.evaluation.evaluation import Evaluation, EvaluationSettings, evaluate
from userside.rubrics.evaluation.figures import ClassIntervals, LabelFigures
from userside.rubrics.evaluation.fitted_file import read_fitted_cuts, write_fitted_cuts
from userside.rubrics.evaluation.items import ItemEvaluation, MeanScore
from userside.rubrics.evaluation.languages import LanguageEvaluation, conversation_language
from userside.rubrics.evaluation.ranking import Ranking, Rival
from userside.rubrics.evaluation.reliability import Reliability
from userside.rubrics.evaluation.rows import Coverage, FlowStep
from userside.rubrics.evaluation.tables import LabelTable, LabelTables, RivalTable
from userside.rubrics.evaluation.text import render_evaluation

__all__ = [
    "ClassIntervals",
    "Coverage",
    "CutFit",
    "Evaluation",
    "EvaluationSettings",
    "FittedCuts",
    "FlowStep",
    "HeldOut",
    "HeldOutFigures",
    "ItemEvaluation",
    "LabelFigures",
    "LabelTable",
    "LabelTables",
    "LanguageEvaluation",
    "MeanScore",
    "Ranking",
    "Reliability",
    "Rival",
    "RivalTable",
    "ScoreDistribution",
    "conversation_language",
    "evaluate",
    "fit_cuts",
    "read_fitted_cuts",
    "refit_cuts",
    "relabel",
    "render_evaluation",
    "write_fitted_cuts",
]
