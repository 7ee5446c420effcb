"""What work will cost before it is done: the pipeline runs against a model that only counts."""

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from userside.errors import AnswerPendingError
from userside.llm.embeddings import Encoded, Passage
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
        usage = Usage(input_tokens=self.input_tokens, output_tokens=self.output_tokens)
        return _estimate(self.calls, usage, price)


@dataclass(slots=True)
class CountingEmbeddingModel:
    """An embedding model that embeds nothing and counts: put a `StoredEmbedder` around it for `--dry-run`."""

    identity: str
    dimensions: int | None = None
    calls: int = 0
    input_tokens: int = 0

    async def encode(self, passages: Sequence[Passage]) -> Encoded:
        """Count the passages.

        Raises:
            AnswerPendingError: Always.
        """
        self.calls += 1
        self.input_tokens += sum(approximate_tokens(one.text) for one in passages)
        raise AnswerPendingError("this is an estimate; nothing is embedded")

    def estimate(self, price: Price) -> Estimate:
        """Return what was counted, at what it would cost; vectors have no tokens."""
        return _estimate(self.calls, Usage(input_tokens=self.input_tokens, output_tokens=0), price)


def _estimate(calls: int, usage: Usage, price: Price) -> Estimate:
    return Estimate(
        calls=calls,
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cost=price(Reply(text="", usage=usage)),
    )
