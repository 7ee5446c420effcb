"""How fast to ask: concurrency that adapts to what the endpoint bears, waiting, and retries.

Starts at its limit, because most endpoints bear what their owner says they bear, and falls only on a 429.
Time is an argument, so that hours of backing off are tested in milliseconds.
"""

import asyncio
import heapq
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from userside.errors import RateLimitedError, TransientError
from userside.llm.exchange import Reply, Request
from userside.llm.model import Capabilities, Model


class Clock(Protocol):
    """Something that tells time and lets time pass."""

    def now(self) -> float:
        """Return seconds since a moment that stays the same."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""
        ...


class WallClock:
    """The time that passes."""

    def now(self) -> float:
        """Return monotonic seconds."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""
        await asyncio.sleep(seconds)


@dataclass(slots=True)
class VirtualClock:
    """A clock for rehearsals: when everybody sleeps, it jumps to the first one's waking.

    It fits code that waits for nothing but this clock. `idle_rounds` is how many rounds of the event loop must go by
    without a newcomer before everybody counts as asleep.

    >>> clock = VirtualClock()
    >>> asyncio.run(clock.sleep(3600))
    >>> clock.now()
    3600.0
    """

    seconds: float = 0.0
    idle_rounds: int = 20
    _sleepers: list[tuple[float, int, asyncio.Future[None]]] = field(
        default_factory=list[tuple[float, int, asyncio.Future[None]]]
    )
    _slept: int = 0

    def now(self) -> float:
        """Return virtual seconds."""
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        """Return when virtual time has come so far."""
        loop = asyncio.get_running_loop()
        waking = loop.create_future()
        self._slept += 1
        latest = self._slept
        heapq.heappush(self._sleepers, (self.seconds + max(0.0, seconds), latest, waking))
        loop.call_soon(self._watch, loop, latest, self.idle_rounds)
        await waking

    def _watch(self, loop: asyncio.AbstractEventLoop, newest: int, rounds: int) -> None:
        if newest != self._slept:
            return  # somebody came later, who watches too
        if rounds:
            loop.call_soon(self._watch, loop, newest, rounds - 1)
            return
        while self._sleepers:
            at, _, waking = heapq.heappop(self._sleepers)
            if not waking.done():  # a cancelled sleeper moves no clock
                self.seconds = max(self.seconds, at)
                waking.set_result(None)
                loop.call_soon(self._watch, loop, newest, self.idle_rounds)
                return


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How hard to press.

    Attributes:
        limit: Most requests under way at once, and where it starts.
        patience: Seconds one request keeps trying after its first 429 before it is given up.
        retries: How often one request is sent again after a transient failure; 429s do not count.
        first_wait: Seconds before the first retry, doubled each time.
        longest_wait: Seconds that no doubling exceeds; what an endpoint asks for by Retry-After may.
    """

    limit: int = 64
    patience: float = 600.0
    retries: int = 4
    first_wait: float = 0.5
    longest_wait: float = 30.0

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise ValueError(f"limit: wanted at least 1 request at a time, not {self.limit!r}")


@dataclass(slots=True, kw_only=True)
class Tally:
    """What has happened so far, for progress lines.

    Attributes:
        attempts: Requests sent, retries included.
        answered: Requests that got a reply.
        failed: Requests that were given up, or could never succeed.
        retries: Attempts after a transient failure.
        rate_limited: Times the endpoint answered 429.
        under_way: Requests at the endpoint now.
        limit: Most requests allowed at the endpoint at present.
        paused_until: Clock time before which nothing is sent, because the endpoint said so.
    """

    attempts: int = 0
    answered: int = 0
    failed: int = 0
    retries: int = 0
    rate_limited: int = 0
    under_way: int = 0
    limit: float
    paused_until: float = 0.0


class Pacer:
    """Sends calls to one endpoint as fast as it bears.

    A 429 shrinks the number of calls at the endpoint by `SHRINK`, once per burst: only the answer to a call
    that was sent after the last shrinking shrinks it again. Each window of successes gives one place back (additive
    increase, multiplicative decrease: Chiu and Jain 1989). Retry-After stops everybody. Failures that repeat
    themselves (`AccessError`, `RefusedError`, `UnknownModelError`) pass through at once.

    Args:
        pace: How hard to press.
        clock: Where time comes from.
        chance: Source of jitter, so that waiting calls do not return all at once.
    """

    SHRINK = 0.5

    def __init__(
        self, *, pace: Pace | None = None, clock: Clock | None = None, chance: random.Random | None = None
    ) -> None:
        self._pace = pace or Pace()
        self._clock = clock or WallClock()
        self._chance = chance or random.Random(0)  # noqa: S311 - spreads retries, guards nothing
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._shrinkings = 0
        self.tally = Tally(limit=float(self._pace.limit))

    async def send[T](self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what the call returns, after as many attempts as the pace allows.

        Raises:
            RateLimitedError: The endpoint went on answering 429 for longer than the patience.
            TransientError: The last retry failed too.
            ModelError: What no retry would change.
        """
        try:
            reply = await self._persist(call)
        except Exception:
            self.tally.failed += 1
            raise
        self.tally.answered += 1
        return reply

    async def _persist[T](self, call: Callable[[], Awaitable[T]]) -> T:
        failures, limitings, first_limited = 0, 0, None
        while True:
            try:
                return await self._attempt(call)
            except RateLimitedError as error:
                limitings += 1
                now = self._clock.now()
                first_limited = now if first_limited is None else first_limited
                wait = self._limited_wait(error, limitings)
                if now + wait - first_limited > self._pace.patience:
                    raise error.with_note(
                        f"Gave up after {limitings} answers 429; try a lower --concurrency."
                    ) from None
            except TransientError as error:
                failures += 1
                if failures > self._pace.retries:
                    raise error.with_note(f"Gave up after {failures} attempts.") from None
                self.tally.retries += 1
                wait = self._backoff(failures)
            await self._clock.sleep(wait)

    async def _attempt[T](self, call: Callable[[], Awaitable[T]]) -> T:
        await self._enter()
        shrinkings = self._shrinkings
        self.tally.attempts += 1
        try:
            reply = await call()
        except RateLimitedError as error:
            self._slow_down(error, sent_after=shrinkings)
            raise
        finally:
            self._leave()
        self._speed_up()
        return reply

    async def _enter(self) -> None:
        """Take a place, in the order of coming; nobody starts before a pause is over."""
        if self._waiting or not self._has_room():
            await self._queue()
        else:
            self.tally.under_way += 1
        try:
            while (wait := self.tally.paused_until - self._clock.now()) > 0:
                await self._clock.sleep(wait)
        except BaseException:
            self._leave()
            raise

    async def _queue(self) -> None:
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # the place was given in the moment of cancelling
                self._leave()
            raise

    def _leave(self) -> None:
        self.tally.under_way -= 1
        self._admit()

    def _has_room(self) -> bool:
        return self.tally.under_way < int(self.tally.limit)

    def _admit(self) -> None:
        while self._waiting and self._has_room():
            place = self._waiting.popleft()
            if not place.done():
                self.tally.under_way += 1
                place.set_result(None)

    def _speed_up(self) -> None:
        tally = self.tally
        if tally.limit < self._pace.limit:
            tally.limit = min(self._pace.limit, tally.limit + 1 / tally.limit)
            self._admit()

    def _slow_down(self, error: RateLimitedError, *, sent_after: int) -> None:
        tally = self.tally
        tally.rate_limited += 1
        if sent_after == self._shrinkings:
            self._shrinkings += 1
            tally.limit = max(1.0, tally.limit * self.SHRINK)
        if error.retry_after:
            tally.paused_until = max(tally.paused_until, self._clock.now() + error.retry_after)

    def _limited_wait(self, error: RateLimitedError, limitings: int) -> float:
        """Return what the endpoint asked for, at least; a server that says "0 seconds" is not hammered either."""
        return max(error.retry_after or 0.0, self._backoff(limitings))

    def _backoff(self, attempt: int) -> float:
        longest = min(self._pace.longest_wait, self._pace.first_wait * 2 ** (attempt - 1))
        return longest * self._chance.uniform(0.5, 1.0)


class PacedModel:
    """A model that asks another one, as fast as that one bears: see `Pacer`.

    Args:
        inner: Who answers.
        pace: How hard to press.
        clock: Where time comes from.
        chance: Source of jitter.
    """

    def __init__(
        self,
        inner: Model,
        *,
        pace: Pace | None = None,
        clock: Clock | None = None,
        chance: random.Random | None = None,
    ) -> None:
        self._inner = inner
        self._pacer = Pacer(pace=pace, clock=clock, chance=chance)

    @property
    def tally(self) -> Tally:
        """Return what has happened so far."""
        return self._pacer.tally

    @property
    def identity(self) -> str:
        """Return the inner model's: pacing changes no answer."""
        return self._inner.identity

    @property
    def capabilities(self) -> Capabilities:
        """Return the inner model's."""
        return self._inner.capabilities

    async def ask(self, request: Request) -> Reply:
        """Return the answer, after as many attempts as the pace allows.

        Raises:
            RateLimitedError: The endpoint went on answering 429 for longer than the patience.
            TransientError: The last retry failed too.
            ModelError: What no retry would change.
        """
        return await self._pacer.send(lambda: self._inner.ask(request))
