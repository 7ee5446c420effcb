"""Weights of the embedded model (first cut: the cache only)."""

import os
from pathlib import Path

from userside.errors import WeightsError
from userside.llm.catalogue import CatalogueEntry


def weights_path(entry: CatalogueEntry) -> Path:
    """Return where the weights are kept."""
    return Path.home() / ".cache" / "userside" / "weights" / f"{entry.sha256}.gguf"


def provide_weights(entry: CatalogueEntry) -> Path:
    """Return the weights."""
    path = weights_path(entry)
    if not path.exists():
        raise WeightsError("not here")
    return path
