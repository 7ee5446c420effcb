"""What asking through Userside costs beside the plain `openai` client: CPU of the client process, and wall time.

    .venv/bin/python -m benchmarks.client_overhead [--calls 2000] [--rounds 3] [--slow] [--json]

One server process; each client in a process of its own; the clients take turns, so that a busy machine slows all of
them. Targets (issue 2): CPU at most 1.5 times the plain client's at 50 ms and 64 at once; with `--slow`, at 1 s, wall
time at most 1.15 times calls / 64 s.
"""

import argparse
import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

CONCURRENCY = 64
WARM_UP = 3
CPU_TARGET, WALL_TARGET = 1.5, 1.15
CLIENTS = {
    "openai": "openai client, own validation",
    "openai-aiohttp": "the same over aiohttp",
    "endpoint": "EndpointModel + PacedModel, own validation",
    "userside": "Userside: endpoint, pacing, store, reading",
}
LABELS = ("satisfied", "neutral", "dissatisfied")
TASK = "Judge whether the user of this conversation got what they wanted. " * 8
TURNS = "User: the table is for four, at eight, and near the window. Assistant: I have booked it for you. " * 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one client process used. CPU is user and system time; `calls_cpu` leaves out imports and warming up."""

    calls: int
    wall: float
    calls_cpu: float
    process_cpu: float


def prompt(number: int) -> str:
    return f"{TASK}\n\nConversation {number}\n{TURNS}"


type Judge = Callable[[int], Coroutine[Any, Any, object]]


def main() -> None:
    flags = read_flags()
    if flags.client:
        cost = asyncio.run(CLIENT_RUNS[flags.client](flags.base_url, flags.calls))
        print(json.dumps(asdict(cost)))
        return
    fast = compare(flags.clients, calls=flags.calls, rounds=flags.rounds, delay=0.05)
    slow = compare(["userside"], calls=flags.calls, rounds=1, delay=1.0) if flags.slow else {}
    print(as_json(fast, slow) if flags.json else as_table(fast, slow))


def read_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3, help="how often each client takes its turn")
    parser.add_argument("--slow", action="store_true", help="also 1 s of latency, for wall time")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--clients", nargs="+", default=list(CLIENTS), choices=CLIENTS)
    parser.add_argument("--client", choices=CLIENTS, help=argparse.SUPPRESS)
    parser.add_argument("--base-url", help=argparse.SUPPRESS)
    return parser.parse_args()


def compare(clients: Sequence[str], *, calls: int, rounds: int, delay: float) -> dict[str, list[Cost]]:
    """Return the costs of every client, round by round, against one server."""
    costs: dict[str, list[Cost]] = {client: [] for client in clients}
    command = [sys.executable, "-m", "userside.llm.fake_server", "--delay", str(delay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        base_url = server.stdout.readline().strip()
        try:
            for number in range(rounds):
                for client in clients if number % 2 == 0 else reversed(clients):
                    costs[client].append(run_client(client, base_url=base_url, calls=calls))
        finally:
            server.terminate()
    return costs


def run_client(client: str, *, base_url: str, calls: int) -> Cost:
    command = [sys.executable, "-m", "benchmarks.client_overhead", "--client", client, "--base-url", base_url]
    ran = subprocess.run([*command, "--calls", str(calls)], check=True, stdout=subprocess.PIPE, text=True)
    return Cost(**json.loads(ran.stdout))


async def measure(judge: Judge, *, calls: int) -> Cost:
    for number in range(WARM_UP):
        await judge(-1 - number)
    cpu, started = cpu_seconds(), time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(calls):
            group.create_task(judge(number))
    wall = time.perf_counter() - started
    return Cost(calls=calls, wall=wall, calls_cpu=cpu_seconds() - cpu, process_cpu=cpu_seconds())


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def plain(base_url: str, calls: int, *, aiohttp: bool = False) -> Cost:
    """Run what a user would write: the client, a semaphore, a Pydantic model."""
    import openai
    import pydantic

    class Judgement(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="forbid")
        quote: str
        label: Literal["satisfied", "neutral", "dissatisfied"]
        score: int = pydantic.Field(ge=1, le=10)

    schema: dict[str, Any] = {"name": "answer", "strict": True, "schema": Judgement.model_json_schema()}
    permits = asyncio.Semaphore(CONCURRENCY)
    http_client = openai.DefaultAioHttpClient() if aiohttp else None
    async with openai.AsyncOpenAI(api_key="none", base_url=base_url, http_client=http_client) as client:

        async def judge(number: int) -> Judgement:
            async with permits:
                answer = await client.chat.completions.create(
                    model="fake",
                    messages=[{"role": "user", "content": prompt(number)}],
                    response_format={"type": "json_schema", "json_schema": schema},  # pyright: ignore[reportArgumentType]
                    max_tokens=512,
                    temperature=0.0,
                )
            return Judgement.model_validate_json(answer.choices[0].message.content or "")

        return await measure(judge, calls=calls)


async def plain_aiohttp(base_url: str, calls: int) -> Cost:
    return await plain(base_url, calls, aiohttp=True)


async def endpoint(base_url: str, calls: int) -> Cost:
    """Run the part of Userside that sends and waits."""
    import pydantic

    from userside.llm import Message, Request, Role, Sampling
    from userside.llm.endpoint import open_endpoint
    from userside.llm.pacing import Pace, PacedModel

    class Judgement(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="forbid")
        quote: str
        label: Literal["satisfied", "neutral", "dissatisfied"]
        score: int = pydantic.Field(ge=1, le=10)

    schema = Judgement.model_json_schema()
    async with open_endpoint("openai", "fake", base_url=base_url, concurrency=CONCURRENCY) as model:
        paced = PacedModel(model, pace=Pace(limit=CONCURRENCY), chance=random.Random(0))

        async def judge(number: int) -> Judgement:
            message = Message(role=Role.USER, text=prompt(number))
            request = Request(messages=(message,), schema=schema, sampling=Sampling(temperature=0.0))
            return Judgement.model_validate_json((await paced.ask(request)).text)

        return await measure(judge, calls=calls)


async def userside(base_url: str, calls: int) -> Cost:
    """Run all of Userside: a question, asked and read, and its answer kept as it lands."""
    from userside.llm import (
        AnswerStore,
        Choice,
        Message,
        Number,
        Record,
        Request,
        Role,
        Sampling,
        Scored,
        StoredModel,
        Text,
        ask_question,
    )
    from userside.llm.endpoint import open_endpoint
    from userside.llm.pacing import Pace, PacedModel

    question = Record(
        fields={"quote": Text(max_chars=200), "label": Choice(options=LABELS), "score": Number(low=1, high=10)}
    )
    with tempfile.TemporaryDirectory() as folder:
        store = AnswerStore(Path(folder) / "answers.db")
        async with open_endpoint("openai", "fake", base_url=base_url, concurrency=CONCURRENCY) as model:
            stored = StoredModel(inner=PacedModel(model, pace=Pace(limit=CONCURRENCY)), store=store)

            async def judge(number: int) -> None:
                message = Message(role=Role.USER, text=prompt(number))
                subject = frozenset({f"conversation-{number}"})
                request = Request(messages=(message,), sampling=Sampling(temperature=0.0), subjects=subject)
                verdict = await ask_question(stored, question, request)
                assert isinstance(verdict, Scored), verdict

            return await measure(judge, calls=calls)


CLIENT_RUNS: dict[str, Callable[[str, int], Coroutine[Any, Any, Cost]]] = {
    "openai": plain,
    "openai-aiohttp": plain_aiohttp,
    "endpoint": endpoint,
    "userside": userside,
}


def summarise(costs: dict[str, list[Cost]]) -> list[dict[str, Any]]:
    """Return one row a client: medians, and the median of the ratios to the plain client round by round."""
    plain_runs = costs.get("openai")
    rows: list[dict[str, Any]] = []
    for client, runs in costs.items():
        row: dict[str, Any] = {
            "client": client,
            "calls": runs[0].calls,
            "wall_s": statistics.median(run.wall for run in runs),
            "calls_per_s": statistics.median(run.calls / run.wall for run in runs),
            "cpu_ms_per_call": statistics.median(1000 * run.calls_cpu / run.calls for run in runs),
            "process_cpu_s": statistics.median(run.process_cpu for run in runs),
        }
        if plain_runs:
            pairs = list(zip(runs, plain_runs, strict=True))
            row["cpu_ratio"] = statistics.median(one.calls_cpu / other.calls_cpu for one, other in pairs)
            row["process_cpu_ratio"] = statistics.median(one.process_cpu / other.process_cpu for one, other in pairs)
        rows.append(row)
    return rows


def as_json(fast: dict[str, list[Cost]], slow: dict[str, list[Cost]]) -> str:
    runs = {client: [asdict(run) for run in costs] for client, costs in fast.items()}
    return json.dumps({"50 ms": summarise(fast), "1 s": summarise(slow), "runs": runs}, indent=1)


def as_table(fast: dict[str, list[Cost]], slow: dict[str, list[Cost]]) -> str:
    """Return the figures as Markdown."""
    lines = [
        f"{CONCURRENCY} calls at once, 50 ms of latency; ratios are medians over rounds.",
        "",
        "| client | CPU ms a call | ratio | CPU s, imports included | ratio | calls/s |",
        "|---|---|---|---|---|---|",
    ]
    for row in summarise(fast):
        ratio, whole = (f"{row[name]:.2f}" if name in row else "–" for name in ("cpu_ratio", "process_cpu_ratio"))
        lines.append(
            f"| {CLIENTS[row['client']]} | {row['cpu_ms_per_call']:.2f} | {ratio} | {row['process_cpu_s']:.2f} | "
            f"{whole} | {row['calls_per_s']:.0f} |"
        )
    lines += ["", f"Target: a ratio of at most {CPU_TARGET} for Userside."]
    for row in summarise(slow):
        ideal = row["calls"] / CONCURRENCY
        ratio = row["wall_s"] / ideal
        figures = f"{row['wall_s']:.1f} s for {row['calls']} calls, {ratio:.2f} times {ideal:.2f} s"
        lines += ["", f"At 1 s of latency: {figures} (target: at most {WALL_TARGET})."]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
