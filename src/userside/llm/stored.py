"""A model that remembers: what was answered once is read from the store, what was not is asked, paid and kept."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from userside.errors import AnswerPendingError, BudgetSpentError, RefusedError
from userside.llm.exchange import Reply, Request
from userside.llm.model import Capabilities, Model
from userside.llm.store import Answer, AnswerStore, Refusal, reply_or_raise

type Price = Callable[[Reply], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a run may use at most, all its resumptions together; None is no limit.

    `max_cost` is in US dollars. Calls already under way when it is reached are let finish: their answers are paid for.
    """

    max_calls: int | None = None
    max_cost: float | None = None


NO_LIMIT = Budget()


def unpriced(reply: Reply) -> float | None:  # noqa: ARG001 - the signature of a price
    """Return None: the price is unknown, which is not 0."""
    return None


@dataclass(slots=True)
class StoredModel:
    """A model whose every answer is kept before anyone sees it.

    Identical requests under way at one time are asked once. The store's ledger is checked against the budget before
    anything new is asked.
    """

    inner: Model
    store: AnswerStore
    budget: Budget = NO_LIMIT
    price: Price = unpriced
    _under_way: dict[str, asyncio.Future[Answer]] = field(default_factory=dict[str, "asyncio.Future[Answer]"])

    @property
    def identity(self) -> str:
        """Return the inner model's identity."""
        return self.inner.identity

    @property
    def capabilities(self) -> Capabilities:
        """Return the inner model's capabilities."""
        return self.inner.capabilities

    async def ask(self, request: Request) -> Reply:
        """Return the stored answer, or ask for it, keep it, and return it.

        Raises:
            RefusedError: The endpoint's final word, now or earlier; or a subject has withdrawn (`forgotten`).
            BudgetSpentError: The answer is not there and may not be asked for any more.
        """
        if self.store.is_forgotten(request.subjects):
            raise RefusedError("a subject of this request has withdrawn", reason="forgotten")
        key = request.key(self.identity)
        if (known := self.store.find(key, subjects=request.subjects)) is not None:
            return reply_or_raise(known)
        if (twin := self._under_way.get(key)) is not None:
            await asyncio.shield(twin)
            return reply_or_raise(self.store.find(key, subjects=request.subjects) or twin.result())
        return reply_or_raise(await self._ask_anew(key, request))

    async def _ask_anew(self, key: str, request: Request) -> Answer:
        check_budget(self.budget, self.store, waiting=len(self._under_way))
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._under_way[key] = future
        try:
            answer = await self._answer(request)
            cost = self.price(answer) if isinstance(answer, Reply) else 0.0
            self.store.keep(key, answer, identity=self.identity, subjects=request.subjects, cost=cost)
        except BaseException as error:
            _fail(future, error)
            raise
        else:
            future.set_result(answer)
            return answer
        finally:
            del self._under_way[key]

    async def _answer(self, request: Request) -> Answer:
        try:
            return await self.inner.ask(request)
        except RefusedError as refusal:
            if refusal.reason == "schema":
                raise  # a property of the endpoint, not an answer to this question
            return Refusal(reason=refusal.reason, message=str(refusal))


def check_budget(allowed: Budget, store: AnswerStore, *, waiting: int) -> None:
    """Return if one more call may be made while `waiting` others are under way.

    Raises:
        BudgetSpentError: It may not.
    """
    if allowed == NO_LIMIT:
        return
    spend = store.spend()
    if allowed.max_calls is not None and spend.calls + waiting >= allowed.max_calls:
        raise BudgetSpentError(f"{spend.calls} calls are made and {waiting} under way of {allowed.max_calls} allowed")
    if allowed.max_cost is None:
        return
    expected = spend.cost + waiting * (spend.cost / spend.calls if spend.calls else 0.0)
    if expected >= allowed.max_cost:
        raise BudgetSpentError(f"${expected:.4f} is spent or under way of ${allowed.max_cost:.4f} allowed")


def _fail(future: "asyncio.Future[Answer]", error: BaseException) -> None:
    if isinstance(error, Exception):
        future.set_exception(error)
        future.exception()  # seen: without a twin waiting, asyncio would complain of an unread error
    else:
        future.cancel()


@dataclass(frozen=True, slots=True)
class DeferredModel:
    """A model that is answered elsewhere: it records what would be asked, and asks nothing.

    Put a `StoredModel` around it. `identity` is that of the model which will answer, so that answers from a batch and
    from a live run are the same answers.
    """

    identity: str
    capabilities: Capabilities
    store: AnswerStore

    async def ask(self, request: Request) -> Reply:
        """Record the request as pending.

        Raises:
            AnswerPendingError: Always.
        """
        self.store.wait_for(request.key(self.identity), request, identity=self.identity)
        raise AnswerPendingError("the answer is awaited from elsewhere")
