"""The `userside` command: which commands there are, and what a failure looks like."""

import sys
from typing import NoReturn

import typer

from userside import __version__
from userside.cli.commands import register
from userside.cli.console import complain
from userside.errors import UsersideError

INTERRUPTED = 130
WRONG_INPUT = 2

app = typer.Typer(
    name="userside",
    help="Tells whether conversational AI works for the people who use it, and why.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"userside {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version.", callback=_print_version, is_eager=True),
) -> None:
    pass


def main() -> NoReturn:
    """Run the command line and exit: 0 all done, 1 done in part, 2 wrong input."""
    register(app)
    try:
        app()
    except UsersideError as error:
        complain(error)
        sys.exit(WRONG_INPUT)
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. Nothing received is lost: the same command goes on from here.\n")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away, as `head` does; there is nobody left to tell.
        sys.stderr.close()
        sys.exit(1)
    sys.exit(0)
