"""Run the fake endpoint as a process: `python -m userside.llm.fake_server --delay 0.05 --rule 429:0.2:first`."""

import argparse
import asyncio
import signal
import sys

from userside.llm.fake_server.faults import Fault, Rule, read_rule
from userside.llm.fake_server.server import Behaviour, FakeServer


def read_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the flags of the command line."""
    parser = argparse.ArgumentParser(prog="python -m userside.llm.fake_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes any free port")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before every answer")
    parser.add_argument("--seed", type=int, default=0, help="chooses which questions the rules meet")
    parser.add_argument("--key", help="the only API key that is let in")
    parser.add_argument("--refuse", action="append", default=[], metavar="FIELD", help="answer 400 to this field")
    faults = ", ".join(fault.value for fault in Fault)
    shape = "FAULT[:SHARE[:first|always[:SECONDS]]]"
    parser.add_argument(
        "--rule", action="append", default=[], type=_rule, metavar=shape, help=f"FAULT is one of {faults}"
    )
    return parser.parse_args(arguments)


def _rule(text: str) -> Rule:
    try:
        return read_rule(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


async def serve(flags: argparse.Namespace) -> None:
    """Print the base URL on one line and serve until SIGINT or SIGTERM."""
    behaviour = Behaviour(
        delay=flags.delay, rules=tuple(flags.rule), seed=flags.seed, refuses=tuple(flags.refuse), key=flags.key
    )
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with FakeServer(behaviour, port=flags.port) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        await stopped.wait()


if __name__ == "__main__":
    asyncio.run(serve(read_arguments()))
