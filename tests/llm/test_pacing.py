"""How fast to ask, in virtual time: hours of backing off pass in milliseconds."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from userside.errors import AccessError, BudgetSpentError, ModelError, RateLimitedError, RefusedError, TransientError
from userside.llm import Capabilities, Message, Reply, Request, Role
from userside.llm.pacing import Pace, PacedModel, Pacer, VirtualClock

type Outcome = Reply | Exception


def question(number: int = 0) -> Request:
    return Request(messages=(Message(role=Role.USER, text=f"question {number}"),))


@dataclass
class Endpoint:
    """An endpoint in virtual time: takes `seconds` for a call, then does what `behave` says of (call, crowd)."""

    clock: VirtualClock
    behave: Callable[[int, int], Outcome]
    seconds: float = 1.0
    identity: str = "test:endpoint"
    capabilities: Capabilities = field(default_factory=Capabilities)
    under_way: int = 0
    most_under_way: int = 0
    started: list[float] = field(default_factory=list[float])

    async def ask(self, request: Request) -> Reply:  # noqa: ARG002
        number = len(self.started)
        self.started.append(self.clock.now())
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        crowd = self.under_way
        try:
            await self.clock.sleep(self.seconds)
            outcome = self.behave(number, crowd)
        finally:
            self.under_way -= 1
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def always(outcome: Outcome) -> Callable[[int, int], Outcome]:
    return lambda number, crowd: outcome  # noqa: ARG005


answers = always(Reply(text="7"))


def rehearse(
    behave: Callable[[int, int], Outcome], *, calls: int = 1, pace: Pace | None = None
) -> tuple[PacedModel, Endpoint, list[Reply | BaseException]]:
    clock = VirtualClock()
    endpoint = Endpoint(clock, behave)
    paced = PacedModel(endpoint, pace=pace, clock=clock, chance=random.Random(1))

    async def ask(number: int) -> Reply | BaseException:
        try:
            return await paced.ask(question(number))
        except Exception as error:
            return error

    async def everybody() -> list[Reply | BaseException]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(number)) for number in range(calls)]
        return [task.result() for task in tasks]

    return paced, endpoint, asyncio.run(everybody())


def test_starts_at_its_limit_and_never_exceeds_it() -> None:
    paced, endpoint, results = rehearse(answers, calls=100, pace=Pace(limit=8))
    assert endpoint.most_under_way == 8
    assert endpoint.started[:8] == [0.0] * 8
    assert endpoint.clock.now() == pytest.approx(13.0)  # 100 calls of 1 s, 8 at a time
    assert [type(one) for one in results] == [Reply] * 100
    assert (paced.tally.attempts, paced.tally.answered, paced.tally.failed) == (100, 100, 0)
    assert paced.tally.under_way == 0


def test_a_burst_of_429_shrinks_once() -> None:
    paced, _, _ = rehearse(lambda number, _: RateLimitedError("slow") if number < 16 else Reply(text="7"), calls=16)
    assert paced.tally.rate_limited == 16
    assert paced.tally.limit == pytest.approx(64 * Pacer.SHRINK, abs=1)  # and has grown a little since


def test_finds_what_the_endpoint_bears_and_loses_nobody() -> None:
    bears = 10
    paced, _, results = rehearse(
        lambda _, crowd: RateLimitedError("slow") if crowd > bears else Reply(text="7"), calls=400
    )
    assert all(isinstance(one, Reply) for one in results)
    assert 4 <= paced.tally.limit <= 2 * bears


def test_grows_back_additively() -> None:
    paced, _, _ = rehearse(
        lambda number, _: RateLimitedError("slow") if number == 0 else Reply(text="7"), calls=200, pace=Pace(limit=16)
    )
    assert paced.tally.limit == 16


def test_retry_after_stops_everybody() -> None:
    def once(number: int, crowd: int) -> Outcome:  # noqa: ARG001
        return RateLimitedError("slow", retry_after=30.0) if number == 0 else Reply(text="7")

    _, endpoint, results = rehearse(once, calls=10, pace=Pace(limit=2))
    assert all(isinstance(one, Reply) for one in results)
    assert [at for at in endpoint.started if 1.0 < at < 31.0] == []
    assert min(at for at in endpoint.started if at > 1.0) == pytest.approx(31.0)


def test_429s_do_not_use_up_the_retries() -> None:
    paced, _, results = rehearse(
        lambda number, _: RateLimitedError("slow") if number < 12 else Reply(text="7"), pace=Pace(retries=0)
    )
    assert isinstance(results[0], Reply)
    assert (paced.tally.rate_limited, paced.tally.retries) == (12, 0)


@pytest.mark.parametrize("retry_after", [None, 0.0, 1.0, 7.5])
def test_patience_ends(retry_after: float | None) -> None:
    _, endpoint, results = rehearse(always(RateLimitedError("slow", retry_after=retry_after)), pace=Pace(patience=120))
    assert isinstance(results[0], RateLimitedError)
    assert any("concurrency" in note for note in results[0].__notes__)
    assert 60 <= endpoint.clock.now() <= 122
    assert len(endpoint.started) < 200  # not hammered, whatever the header said


def test_a_wait_longer_than_the_patience_is_not_begun() -> None:
    _, endpoint, results = rehearse(always(RateLimitedError("tomorrow", retry_after=86_400)))
    assert isinstance(results[0], RateLimitedError)
    assert endpoint.clock.now() == 1.0


@pytest.mark.parametrize(("fails", "answered"), [(0, True), (1, True), (4, True), (5, False)])
def test_transient_failures_are_retried_four_times(fails: int, answered: bool) -> None:
    def behave(number: int, crowd: int) -> Outcome:  # noqa: ARG001
        return TransientError("gone", reason="connection") if number < fails else Reply(text="7")

    paced, endpoint, results = rehearse(behave)
    assert isinstance(results[0], Reply if answered else TransientError)
    assert paced.tally.retries == min(fails, 4)
    assert len(endpoint.started) == min(fails + 1, 5)


def test_waits_double_with_jitter() -> None:
    pace = Pace(retries=6, first_wait=1.0, longest_wait=8.0)
    _, endpoint, _ = rehearse(always(TransientError("gone", reason="timeout")), pace=pace)
    waits = [later - earlier - 1.0 for earlier, later in zip(endpoint.started, endpoint.started[1:], strict=False)]
    for wait, longest in zip(waits, [1, 2, 4, 8, 8, 8], strict=True):
        assert longest / 2 <= wait <= longest
    assert len({round(wait / longest, 6) for wait, longest in zip(waits, [1, 2, 4, 8, 8, 8], strict=True)}) == 6


@pytest.mark.parametrize(
    "error",
    [
        AccessError("no key"),
        RefusedError("too long", reason="context_window"),
        BudgetSpentError("spent"),
    ],
)
def test_what_repeats_itself_is_not_retried(error: ModelError) -> None:
    paced, endpoint, results = rehearse(always(error))
    assert results == [error]
    assert len(endpoint.started) == 1
    assert (paced.tally.failed, paced.tally.retries) == (1, 0)


@pytest.mark.parametrize("moment", [0.5, 1.5, 2.5])
def test_cancelling_gives_every_place_back(moment: float) -> None:
    """Cancelled while being answered, while pausing and while queueing, in one crowd."""

    async def scene() -> tuple[PacedModel, int]:
        clock = VirtualClock()
        endpoint = Endpoint(clock, lambda n, _: RateLimitedError("slow", retry_after=3) if n == 1 else Reply(text="7"))
        paced = PacedModel(endpoint, pace=Pace(limit=3), clock=clock, chance=random.Random(0))
        tasks = [asyncio.create_task(paced.ask(question(number))) for number in range(12)]
        await clock.sleep(moment)
        for task in tasks[::2]:
            task.cancel()
        await asyncio.wait(tasks)
        await paced.ask(question(99))
        return paced, sum(not task.cancelled() for task in tasks)

    paced, done = asyncio.run(scene())
    assert done >= 6
    assert paced.tally.under_way == 0
    assert paced.tally.answered == done + 1


def test_pacing_is_no_part_of_the_identity() -> None:
    paced = PacedModel(Endpoint(VirtualClock(), answers))
    assert (paced.identity, paced.capabilities) == ("test:endpoint", Capabilities())


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="limit"):
        Pace(limit=0)


def test_virtual_time_wakes_in_order() -> None:
    async def scene() -> list[tuple[str, float]]:
        clock, woken = VirtualClock(), list[tuple[str, float]]()

        async def sleeper(name: str, *naps: float) -> None:
            for nap in naps:
                await clock.sleep(nap)
                woken.append((name, clock.now()))

        async with asyncio.TaskGroup() as group:
            group.create_task(sleeper("a", 3, 3))
            group.create_task(sleeper("b", 2, 2, 2))
        return woken

    assert asyncio.run(scene()) == [("b", 2), ("a", 3), ("b", 4), ("a", 6), ("b", 6)]
