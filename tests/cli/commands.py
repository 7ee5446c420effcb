"""Running `userside` as a stranger would: as a process of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "USERSIDE_JUDGE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


def environment() -> dict[str, str]:
    """Return an environment without keys, so that nothing paid can be asked by mistake."""
    return {name: value for name, value in os.environ.items() if name not in KEYS} | {"NO_COLOR": "1"}


def userside(*words: str | Path, cwd: Path | None = None) -> Printed:
    """Run a command to its end."""
    command = [sys.executable, "-m", "userside", *map(str, words)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment(), cwd=cwd, timeout=240, encoding="utf-8"
    )
    return Printed(code=done.returncode, out=done.stdout, err=done.stderr)


def start_userside(*words: str | Path) -> subprocess.Popen[str]:
    """Start a command and leave it running."""
    command = [sys.executable, "-m", "userside", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), encoding="utf-8"
    )
