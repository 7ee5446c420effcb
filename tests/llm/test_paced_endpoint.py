"""Endpoint and pacing together: passing faults heal, lasting ones are named, and the counts add up."""

import asyncio
from collections import Counter

import pytest

from userside.errors import ModelError
from userside.llm import Message, Request, Role
from userside.llm.endpoint import open_endpoint
from userside.llm.fake_server import Behaviour, FakeServer, Fault, Lasting, Rule, ServerTally
from userside.llm.pacing import Pace, PacedModel, Tally

CALLS = 60
PACE = Pace(limit=16, retries=2, first_wait=0.01, patience=0.3)


def run(rule: Rule) -> tuple[Counter[str], Tally, ServerTally]:
    """Return what became of the calls (by reason), the client's tally and the server's."""

    # Short where the server hangs on purpose; elsewhere a busy machine must not look like one.
    timeout = 1.0 if rule.fault is Fault.HANG else 30.0

    async def scene() -> tuple[Counter[str], Tally, ServerTally]:
        ends: Counter[str] = Counter()
        async with (
            FakeServer(Behaviour(rules=(rule,), seed=4)) as server,
            open_endpoint("openai", "fake", base_url=server.base_url, timeout=timeout, concurrency=16) as model,
        ):
            paced = PacedModel(model, pace=PACE)

            async def ask(number: int) -> None:
                try:
                    await paced.ask(Request(messages=(Message(role=Role.USER, text=f"question {number}"),)))
                except ModelError as error:
                    ends[getattr(error, "reason", type(error).__name__)] += 1
                else:
                    ends["answered"] += 1

            async with asyncio.TaskGroup() as group:
                for number in range(CALLS):
                    group.create_task(ask(number))
            return ends, paced.tally, server.tally

    return asyncio.run(scene())


FAULTS = [
    (Fault.RATE_LIMITED, "RateLimitedError"),
    (Fault.SERVER_ERROR, "server_error"),
    (Fault.HALF_A_BODY, "server_error"),
    (Fault.RESET, "connection"),
    (Fault.HANG, "timeout"),
]


@pytest.mark.parametrize(("fault", "reason"), FAULTS)
def test_a_passing_fault_heals(fault: Fault, reason: str) -> None:  # noqa: ARG001
    seconds = 0.05 if fault is Fault.RATE_LIMITED else None
    ends, tally, served = run(Rule(fault=fault, share=0.2, lasting=Lasting.FIRST, seconds=seconds))
    struck = served.faults[fault.value]
    assert 4 < struck < 25
    assert ends == {"answered": CALLS}
    assert (tally.attempts, tally.retries + tally.rate_limited) == (CALLS + struck, struck)
    assert served.requests == tally.attempts
    assert sorted(served.served.values()) == [1] * CALLS


@pytest.mark.parametrize(("fault", "reason"), FAULTS)
def test_a_lasting_fault_is_named(fault: Fault, reason: str) -> None:
    ends, tally, served = run(Rule(fault=fault, share=0.1))
    assert set(ends) == {"answered", reason}
    assert ends.total() == CALLS
    assert (tally.answered, tally.failed) == (ends["answered"], ends[reason])
    assert served.served.total() == ends["answered"]
    assert served.requests == tally.attempts
