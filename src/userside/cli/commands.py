"""The list of commands, in the order of `--help`."""

import typer

from userside.cli.batch import batch
from userside.cli.demo import demo
from userside.cli.evaluate import evaluate
from userside.cli.forget import forget
from userside.cli.import_ import import_
from userside.cli.learn import learn
from userside.cli.look import look
from userside.cli.models import models
from userside.cli.prompts import prompts
from userside.cli.report import report
from userside.cli.score import score


def register(app: typer.Typer) -> None:
    """Add every command to the application."""
    app.command(name="demo")(demo)
    app.command(name="look")(look)
    app.command(name="import")(import_)
    app.command(name="learn")(learn)
    app.command(name="score")(score)
    app.command(name="evaluate")(evaluate)
    app.command(name="report")(report)
    app.add_typer(batch, name="batch")
    app.command(name="forget")(forget)
    app.add_typer(models, name="models")
    app.add_typer(prompts, name="prompts")
