"""Cuts of one judge are not used for another: which scores have no label for that reason, and what to do."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from userside.rubrics.rubric import Cuts
from userside.rubrics.scores import ConversationScore

_SHORT = 8
"""Characters of a fingerprint that people are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutRefusal:
    """Scores that have R and no label, since the cuts at hand were made for another judge, asking or wording.

    Attributes:
        n: How many conversations; so far as they have R.
        asked: How these were judged, as identity and way of asking, the commonest first.
        prompts: Fingerprint of the wording they were judged with.
        cuts: The cuts at hand, none of which hold; empty where there are none at all.
    """

    n: int
    asked: tuple[tuple[str, str], ...]
    prompts: str
    cuts: tuple[Cuts, ...]

    @property
    def text(self) -> str:
        """Return what is wrong and what to do, in two sentences without control characters."""
        return self.say(_plain)

    def say(self, shown: Callable[[str], str]) -> str:
        """Return the same, with judges' names and fingerprints, which are strangers' text, as `shown` makes them."""
        used = "; ".join(f"{shown(judge)}, asked by {elicited}" for judge, elicited in self.asked)
        many = f"{self.n:,} conversation has" if self.n == 1 else f"{self.n:,} conversations have"
        if self.cuts:
            why = f"the cuts at hand are for {' and for '.join(_whose(cuts, shown) for cuts in self.cuts)}"
        else:
            why = "the rubric has no cuts"
        wording = _wording(self.prompts, shown) if any(cuts.prompts for cuts in self.cuts) else ""
        return (
            f"{many} R, and no label follows from it: {why}, and the judge was {used}{wording}. "
            "`userside evaluate RUN --fit-cuts` fits cuts for this judge, where users' labels are known."
        )


def _whose(cuts: Cuts, shown: Callable[[str], str]) -> str:
    asked = f", asked by {cuts.elicited}" if cuts.elicited else ""
    return f"{shown(cuts.judge or 'any judge')}{asked}{_wording(cuts.prompts, shown)}"


def _wording(prompts: str | None, shown: Callable[[str], str]) -> str:
    return f" (wording {shown(prompts[:_SHORT])})" if prompts else ""


def _plain(text: str) -> str:
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def refuse_cuts(scores: Sequence[ConversationScore], cuts: Sequence[Cuts], *, prompts: str) -> CutRefusal | None:
    """Return the scores with R that none of the cuts hold for, or None where every one has its cuts.

    Args:
        scores: What a judge made of conversations.
        cuts: The rubric's, or those fitted to the run's labels.
        prompts: Fingerprint of the wording the scores were made with.
    """
    alone = [
        score
        for score in scores
        if score.R is not None
        and not any(cut.holds_for(judge=score.judge, elicited=score.elicited, prompts=prompts) for cut in cuts)
    ]
    if not alone:
        return None
    asked = Counter((score.judge, str(score.elicited)) for score in alone)
    return CutRefusal(
        n=len(alone), asked=tuple(way for way, _ in asked.most_common()), prompts=prompts, cuts=tuple(cuts)
    )
