"""Learning runs of the planted world, in this process."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.cli.commands import Printed
from tests.cli.in_process import run_here
from userside.conversations import Conversation, write_jsonl
from userside.llm.fake_server import FakeServerThread

SMALL = ("--train", "0.5", "--items", "3", "--batch-size", "10", "--embedder", "scripted:words")


def written(conversations: Sequence[Conversation], path: Path) -> Path:
    """Return the path that conversations were written to."""
    write_jsonl(conversations, path)
    return path


def words(file: Path, server: FakeServerThread, run: Path, *more: str) -> tuple[str | Path, ...]:
    """Return the words after `learn` or `batch start learn`."""
    return (file, "--model", "fake", "--base-url", server.base_url, "-o", run, *SMALL, *more)


def learn(file: Path, server: FakeServerThread, run: Path, *more: str) -> Printed:
    """Learn a small rubric."""
    return run_here("learn", *words(file, server, run, *more))


def rubric(run: Path) -> dict[str, Any]:
    """Return a rubric without its provenance."""
    return {
        name: value
        for name, value in json.loads((run / "rubric.json").read_text("utf-8")).items()
        if name != "provenance"
    }
