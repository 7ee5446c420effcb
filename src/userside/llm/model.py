"""The seam: anything that answers a request."""

from dataclasses import dataclass
from typing import Protocol

from userside.llm.exchange import Reply, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an endpoint can be asked for.

    Attributes:
        schema: It takes a JSON Schema for its answer. Tried first; a 400 ends it for the run.
        token_probabilities: It returns probabilities of first tokens.
        shares_prefix: It keeps a common prefix between calls, so many short questions about one conversation
            are cheap when the conversation comes first.
        context_window: Tokens that prompt and answer may have together, None where unknown.
        concurrency: Most calls it can have under way, None where the user decides.
    """

    schema: bool = True
    token_probabilities: bool = False
    shares_prefix: bool = False
    context_window: int | None = None
    concurrency: int | None = None


class Model(Protocol):
    """Anything that answers a request.

    `identity` names provider, address and model: it is part of every stored answer's key.
    """

    @property
    def identity(self) -> str:
        """Return what distinguishes this model's answers from another's."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """Return what this model can be asked for."""
        ...

    async def ask(self, request: Request) -> Reply:
        """Return the answer.

        Raises:
            userside.errors.ModelError: There is none; the subclass says what to make of it.
            userside.errors.BudgetSpentError: It may not be asked for any more.
        """
        ...
