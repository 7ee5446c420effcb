"""What importing a big ChatGPT export takes: peak memory, seconds, megabytes a second.

    .venv/bin/python -m benchmarks.big_export [--gigabytes 1] [--zip] [--json]

The export is made up: one line of JSON, as OpenAI writes it, with branches, tools and hidden messages. It is read and
written as Userside's record by a process of its own. Target (issue 3): 1 GB in less than 300 MB of memory.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

TARGET = 300
KINDS = 40
MESSAGES = 60
WORDS = (
    "the",
    "a",
    "parcel",
    "late",
    "and",
    "I",
    "wait",
    "über",
    "two",
    "weeks",
    "you",
    "check",
    "你好",
    "please",
    "🙂",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one import used. Sizes are in millions of bytes, `start` being the memory before the import."""

    conversations: int
    skipped: int
    size: float
    start: float
    peak: float
    seconds: float
    cpu: float  # seconds


def main() -> None:
    flags = read_flags()
    if flags.read:
        print(json.dumps(asdict(read_export(flags.read))))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("export.zip" if flags.zip else "conversations.json")
        write_export(path, size=int(flags.gigabytes * 1e9))
        cost = run_import(path)
    print(json.dumps(asdict(cost)) if flags.json else as_text(cost))


def read_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--zip", action="store_true", help="read the export from a zip")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def run_import(path: Path) -> Cost:
    """Return what another process used to import an export."""
    command = [sys.executable, "-m", "benchmarks.big_export", "--read", str(path)]
    return Cost(**json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout))


def read_export(path: Path) -> Cost:
    from userside.conversations import conversation_from_dict, read_conversations, write_jsonl

    conversation_from_dict({"id": "a"})  # what is built once is no cost of a big file
    started, start = time.perf_counter(), peak_memory()
    result = read_conversations(path)
    written = write_jsonl(result, path.with_name("out.jsonl"))
    return Cost(
        conversations=written,
        skipped=len(result.tally.skipped),
        size=export_size(path) / 1e6,
        start=start,
        peak=peak_memory(),
        seconds=time.perf_counter() - started,
        cpu=time.process_time(),
    )


def peak_memory() -> float:
    """Return the most memory that this process held; on Linux without what its parent held when it began."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e6


def export_size(path: Path) -> int:
    if path.suffix != ".zip":
        return path.stat().st_size
    with zipfile.ZipFile(path) as archive:
        return sum(member.file_size for member in archive.infolist())


def write_export(path: Path, *, size: int) -> None:
    """Write a made-up export of about that many bytes."""
    chance = random.Random(0)
    kinds = [json.dumps(conversation(chance)) for _ in range(KINDS)]
    written = number = 0
    with opened(path) as file:
        file.write(b"[")
        while written < size:
            text = kinds[number % KINDS].replace("@id@", f"{number:08d}")
            file.write((", " if number else "").encode() + text.encode())
            written, number = written + len(text), number + 1
        file.write(b"]")


@contextmanager
def opened(path: Path) -> Generator[IO[bytes]]:
    if path.suffix != ".zip":
        with path.open("wb") as file:
            yield file
        return
    with (
        zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as archive,
        archive.open("conversations.json", "w", force_zip64=True) as file,
    ):
        yield file


def conversation(chance: random.Random) -> dict[str, Any]:
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": ["0"], "message": None}}
    for number in range(MESSAGES):
        parent = "root" if number == 0 else str(number - 1 - (number > 2 and chance.random() < 0.05))
        role = "user" if number % 2 == 0 else "tool" if chance.random() < 0.1 else "assistant"
        mapping[str(number)] = {"id": str(number), "parent": parent, "children": [], "message": message(role, chance)}
    return {
        "title": " ".join(chance.choices(WORDS, k=4)),
        "create_time": 1.7e9 + chance.random(),
        "mapping": mapping,
        "current_node": str(MESSAGES - 1),
        "conversation_id": "@id@",
        "default_model_slug": "gpt-5",
    }


def message(role: str, chance: random.Random) -> dict[str, Any]:
    text = " ".join(chance.choices(WORDS, k=chance.randint(5, 40) if role == "user" else chance.randint(50, 300)))
    return {
        "id": f"{chance.random()}",
        "author": {"role": role, "name": "web.run" if role == "tool" else None, "metadata": {}},
        "create_time": 1.7e9 + chance.random(),
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": {"is_visually_hidden_from_conversation": True} if chance.random() < 0.05 else {},
        "recipient": "all",
    }


def as_text(cost: Cost) -> str:
    rate, cpu_rate = cost.size / cost.seconds, cost.size / cost.cpu
    return (
        f"{cost.conversations} conversations, {cost.size:.0f} MB: {cost.seconds:.0f} s, {rate:.1f} MB/s; "
        f"{cost.cpu:.0f} s of CPU, {cpu_rate:.1f} MB/s. Memory: at most {cost.peak:.0f} MB, "
        f"{cost.start:.0f} MB of it before the import (target: less than {TARGET} MB for 1 GB)."
    )


if __name__ == "__main__":
    main()
