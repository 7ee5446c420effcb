"""What `userside models` does: list the embedded models, and fetch the weights of one."""

from typing import Any

from userside.cli.console import say, show, show_json
from userside.errors import WeightsError
from userside.llm import (
    CatalogueEntry,
    EncoderEntry,
    PinnedFile,
    catalogue_entry,
    find_weights,
    provide_weights,
    read_catalogue,
    read_encoders,
)


def print_catalogue(*, json: bool) -> None:
    """Print every embedded model: its name, size, licence, whether its weights are here, what it is good for."""
    rows = [*map(_row, read_catalogue()), *map(_encoder_row, read_encoders())]
    if json:
        show_json(rows)
        return
    widths = [max(len(row["name"]) for row in rows), max(len(_size(row)) for row in rows)]
    for row in rows:
        here = "here" if row["here"] else "not here"
        show(f"{row['name']:{widths[0]}}  {_size(row):>{widths[1]}}  {row['licence']}  {here:8}  {row['good_for']}")
    say()
    say("Fetch one: userside models fetch NAME")
    say("Other models: openai:NAME, anthropic:NAME, google:NAME, ollama:NAME; --base-url for any other server.")


def fetch_weights(name: str) -> None:
    """Fetch and verify the weights of an embedded model, unless they are here, and print where they are.

    Raises:
        UnknownModelError: The catalogue has no such model.
        WeightsError: No source that is allowed has the weights.
        InputError: USERSIDE_WEIGHTS names a source that does not exist.
    """
    bare = name.removeprefix("local:")
    encoder = next((entry for entry in read_encoders() if entry.name == bare), None)
    for file in (encoder.weights, encoder.tokenizer) if encoder else (catalogue_entry(bare),):
        show(str(provide_weights(file, say=say)))


def _row(entry: CatalogueEntry) -> dict[str, Any]:
    return {
        "name": f"local:{entry.name}",
        "model": entry.model,
        "bytes": entry.bytes,
        "sha256": entry.sha256,
        "licence": entry.licence,
        "publisher": entry.publisher,
        "here": _is_here(entry),
        "good_for": entry.good_for,
    }


def _encoder_row(entry: EncoderEntry) -> dict[str, Any]:
    return {
        "name": f"local:{entry.name}",
        "model": entry.model,
        "bytes": entry.weights.bytes + entry.tokenizer.bytes,
        "sha256": entry.weights.sha256,
        "licence": entry.licence,
        "publisher": entry.publisher,
        "here": _is_here(entry.weights) and _is_here(entry.tokenizer),
        "good_for": f"{entry.good_for} (--embedder)",
    }


def _is_here(entry: PinnedFile) -> bool:
    try:
        return find_weights(entry) is not None
    except WeightsError:  # a file was named, and it is another model's
        return False


def _size(row: dict[str, Any]) -> str:
    return f"{round(row['bytes'] / 1e6):,} MB"
