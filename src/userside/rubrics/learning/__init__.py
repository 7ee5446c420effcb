"""Learning a rubric from labelled conversations.

- `training`: which conversations are learned from
- `patterns`, `extraction`: why each user was satisfied or not, in that user's own words
- `naming`, `summarizing`: many patterns become a few items
- `evidence`: which words stand behind which item
- `selection`: keeping the items that explain the labels best
- `thresholds`: cuts, from conversations that were held out by turns
- `learning`: all of it, stage by stage
- `files`, `run`: its folder
"""

from userside.rubrics.learning.estimating import estimate_learning
from userside.rubrics.learning.extraction import Extracting, extract_patterns
from userside.rubrics.learning.files import EXTRACTIONS, read_extractions, write_extractions
from userside.rubrics.learning.learning import Learned, Learning, LearningModels, OnStep, Stage, learn_rubric
from userside.rubrics.learning.patterns import Extraction, ExtractionTally, Pattern, tallies_by_side, tally_extractions
from userside.rubrics.learning.run import (
    LEARN,
    RUBRIC,
    TRAINING_SCORES,
    LearnJob,
    LearnSettings,
    learn_run,
    make_job,
    read_learn_job,
    with_learn_retry,
    write_learn_job,
)
from userside.rubrics.learning.summarizing import Summarizing, Summary
from userside.rubrics.learning.text import render_learned
from userside.rubrics.learning.thresholds import FOLDS
from userside.rubrics.learning.training import TrainingSample, draw_training

__all__ = [
    "EXTRACTIONS",
    "FOLDS",
    "LEARN",
    "RUBRIC",
    "TRAINING_SCORES",
    "Extracting",
    "Extraction",
    "ExtractionTally",
    "LearnJob",
    "LearnSettings",
    "Learned",
    "Learning",
    "LearningModels",
    "OnStep",
    "Pattern",
    "Stage",
    "Summarizing",
    "Summary",
    "TrainingSample",
    "draw_training",
    "estimate_learning",
    "extract_patterns",
    "learn_rubric",
    "learn_run",
    "make_job",
    "read_extractions",
    "read_learn_job",
    "render_learned",
    "tallies_by_side",
    "tally_extractions",
    "with_learn_retry",
    "write_extractions",
    "write_learn_job",
]
