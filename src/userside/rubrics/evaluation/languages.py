"""Agreement language by language: a judge that reads one well may read another badly."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from userside.conversations import Conversation, Label
from userside.rubrics.evaluation.figures import Resampling
from userside.rubrics.evaluation.rows import EvaluatedRow
from userside.rubrics.evaluation.tables import THREE, CutRow
from userside.rubrics.signals import lexicon_language
from userside.statistics import Bootstrap, auc_statistic, bootstrap, cohen_kappa, statistic_of_confusion

LEAST_OF_EACH = 10
"""Satisfied and dissatisfied conversations of a language below which no agreement is given."""
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageEvaluation:
    """How well R agrees with the users of one language.

    Attributes:
        language: Its code; `unknown` where none is declared and it does not plainly read as English.
        evaluated: Conversations with R and a label, by label.
        auc: Of R, satisfied against dissatisfied; None where there are too few.
        kappa: Of the labels from R in three classes; None where there are too few, or no cuts.
        too_few: Why there are no figures; None where there are.
    """

    language: str
    evaluated: Mapping[Label, int]
    auc: Bootstrap | None
    kappa: Bootstrap | None
    too_few: str | None

    @property
    def n(self) -> int:
        """The number of conversations that count."""
        return sum(self.evaluated.values())


def conversation_language(conversation: Conversation) -> str:
    """Return the code of a conversation's language, regions and scripts put together; `unknown` where it is not known.

    What is declared is believed. Undeclared text is English or unknown: nothing else is guessed.
    """
    recognised = lexicon_language(conversation)
    declared = (conversation.language or "").strip().lower().replace("_", "-").split("-")[0]
    return recognised or declared or UNKNOWN


def evaluate_languages(
    rows: Sequence[EvaluatedRow], *, cut: Sequence[CutRow], languages: Mapping[str, str], resampling: Resampling
) -> tuple[LanguageEvaluation, ...]:
    """Return the agreement by language, the commonest language first.

    Args:
        rows: Conversations with R and a label.
        cut: Those that a cut holds for.
        languages: The language of each, by id; others are `unknown`.
        resampling: Draws resamples for the intervals.
    """
    counts = Counter(languages.get(row.id, UNKNOWN) for row in rows)
    return tuple(
        _evaluate(
            language,
            [row for row in rows if languages.get(row.id, UNKNOWN) == language],
            cut=[one for one in cut if languages.get(one.row.id, UNKNOWN) == language],
            resampling=resampling,
        )
        for language, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    )


def _evaluate(
    language: str, rows: Sequence[EvaluatedRow], *, cut: Sequence[CutRow], resampling: Resampling
) -> LanguageEvaluation:
    counts = {label: sum(row.truth is label for row in rows) for label in Label}
    satisfied, dissatisfied = counts[Label.SATISFIED], counts[Label.DISSATISFIED]
    is_enough = min(satisfied, dissatisfied) >= LEAST_OF_EACH
    return LanguageEvaluation(
        language=language,
        evaluated=counts,
        auc=_auc([row for row in rows if row.is_clear], resampling=resampling) if is_enough else None,
        kappa=_kappa(cut, resampling=resampling) if is_enough and cut else None,
        too_few=None
        if is_enough
        else f"wanted {LEAST_OF_EACH} satisfied and {LEAST_OF_EACH} dissatisfied, not {satisfied} and {dissatisfied}",
    )


def _auc(clear: Sequence[EvaluatedRow], *, resampling: Resampling) -> Bootstrap:
    statistic = auc_statistic([row.R for row in clear], positive=[row.is_satisfied for row in clear])
    return bootstrap(statistic, resamples=resampling(clear))


def _kappa(cut: Sequence[CutRow], *, resampling: Resampling) -> Bootstrap:
    statistic = statistic_of_confusion(
        cohen_kappa,
        first=[str(one.row.truth) for one in cut],
        second=[str(one.label) for one in cut],
        labels=[str(label) for label in THREE],
    )
    return bootstrap(statistic, resamples=resampling([one.row for one in cut]))
