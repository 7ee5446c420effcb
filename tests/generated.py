"""Files generated from the code: `python -m tests.generated` writes them, `--check` fails when one is stale."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMANDS = (
    (),
    ("demo",),
    ("look",),
    ("import",),
    ("score",),
    ("evaluate",),
    ("report",),
    ("batch",),
    ("batch", "start", "score"),
    ("batch", "export"),
    ("batch", "import"),
    ("forget",),
    ("models",),
    ("models", "list"),
    ("models", "fetch"),
    ("prompts",),
    ("prompts", "list"),
    ("prompts", "export"),
)


def conversation_schema() -> str:
    """Return the published schema of the record."""
    from userside.conversations import conversation_schema

    return json.dumps(conversation_schema(), indent=2, ensure_ascii=False) + "\n"


def commands_page() -> str:
    """Return the reference page of the command line: what `--help` says, word for word."""
    codes = "Exit codes: 0 all done, 1 done in part (and what is missing is said), 2 wrong input."
    sections = [f"# Commands\n\nWhat `--help` says. {codes}\n"]
    for words in COMMANDS:
        title = " ".join(("userside", *words))
        sections.append(f"## `{title}`\n\n```text\n{_help(words)}\n```\n")
    return "\n".join(sections)


def _help(words: tuple[str, ...]) -> str:
    command = [sys.executable, "-m", "userside", *words, "--help"]
    environment = {**os.environ, "COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}
    printed = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    return "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())


def generated() -> Mapping[Path, str]:
    """Return every generated file's text by its path."""
    return {
        ROOT / "schemas" / "conversation.schema.json": conversation_schema(),
        ROOT / "docs" / "reference" / "commands.md": commands_page(),
    }


def main() -> int:
    """Write, or with `--check` compare; return the number of stale files as exit code."""
    stale = [path for path, text in generated().items() if not path.exists() or path.read_text("utf-8") != text]
    if "--check" in sys.argv:
        for path in stale:
            sys.stderr.write(f"{path.relative_to(ROOT)} is stale: run `make docs`\n")
        return len(stale)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(generated()[path], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
