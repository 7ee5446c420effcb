"""What work will cost before it is done: the pipeline runs against a model that only counts."""

from dataclasses import dataclass

import regex

from userside.errors import AnswerPendingError
from userside.llm.exchange import Reply, Request, Usage
from userside.llm.model import Capabilities
from userside.llm.stored import Price

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}"
_WORDS = regex.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")


def approximate_tokens(text: str) -> int:
    """Return about how many tokens a text has, for any vocabulary: rather too many than too few.

    A token for each CJK or Thai character, and for every 3.5 characters of other words, rounded up word by word. Real
    vocabularies differ; nothing that must be exact may depend on this.

    >>> approximate_tokens("A table for two, please.")
    8
    """
    return sum(-(-2 * len(word) // 7) for word in _WORDS.findall(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What is still to be asked.

    Attributes:
        calls: Requests without a stored answer; questions asked again because of a poor answer come on top.
        input_tokens: About how many tokens they hold.
        output_tokens: How many the answers have at most.
        cost: In US dollars at most, or None when the price is not known.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(slots=True)
class CountingModel:
    """A model that answers nothing and counts what it is asked: put a `StoredModel` around it for `--dry-run`."""

    identity: str
    capabilities: Capabilities
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    async def ask(self, request: Request) -> Reply:
        """Count the request.

        Raises:
            AnswerPendingError: Always.
        """
        self.calls += 1
        self.input_tokens += sum(approximate_tokens(message.text) for message in request.messages)
        self.output_tokens += request.max_output
        raise AnswerPendingError("this is an estimate; nothing is asked")

    def estimate(self, price: Price) -> Estimate:
        """Return what was counted, at what it would cost."""
        whole = Reply(text="", usage=Usage(input_tokens=self.input_tokens, output_tokens=self.output_tokens))
        return Estimate(
            calls=self.calls,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cost=price(whole),
        )
