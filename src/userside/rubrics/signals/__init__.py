"""Signals: what can be counted in user turns without a model. Much of it is politeness and length: a hint, no verdict.

- `lexicon`, `tables/`: how users thank, praise, complain and correct, a file a language
- `language`: which table fits a conversation
- `words`, `repetition`: counting in any script
- `lexical`, `form`: the signals, each with a line that explains it
- `extraction`: all signals of a conversation
- `prediction`: logistic regression on them, out of fold
"""

from userside.rubrics.signals.definition import Signal, SignalKind
from userside.rubrics.signals.extraction import SIGNALS, Signals, extract_signals
from userside.rubrics.signals.language import lexicon_language
from userside.rubrics.signals.lexicon import lexicon_languages
from userside.rubrics.signals.prediction import out_of_fold_signals

__all__ = [
    "SIGNALS",
    "Signal",
    "SignalKind",
    "Signals",
    "extract_signals",
    "lexicon_language",
    "lexicon_languages",
    "out_of_fold_signals",
]
