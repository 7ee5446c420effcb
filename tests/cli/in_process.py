"""Running `userside` in this process: for loops of commands, which a process each would make slow."""

import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from tests.cli.commands import Printed
from userside.cli.app import main


def run_here(*words: str | Path) -> Printed:
    """Run a command to its end as `userside` does, and return what it printed and its exit code."""
    out, err, before = StringIO(), StringIO(), sys.argv
    sys.argv = ["userside", *map(str, words)]
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as end:
        return Printed(code=int(end.code or 0), out=out.getvalue(), err=err.getvalue())
    finally:
        sys.argv = before
