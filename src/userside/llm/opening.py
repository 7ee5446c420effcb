"""Opening a model by its name, `provider:model`. Only the command line and the server do this."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from userside.errors import UnknownModelError
from userside.llm.model import Capabilities, Model
from userside.llm.scripted import ScriptedModel, read_script

PROVIDERS = ("openai", "anthropic", "google", "ollama", "local", "scripted")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """Which model a user named.

    Attributes:
        provider: One of `PROVIDERS`.
        model: The provider's name for it, a catalogue entry, or the path of a script.
        base_url: An address that speaks OpenAI's language, other than the provider's own.
        timeout: Seconds one call may take.
        concurrency: Most calls under way at one time.
    """

    provider: str
    model: str
    base_url: str | None = None
    timeout: float = 120.0
    concurrency: int = 64

    @property
    def runs_here(self) -> bool:
        """Tell whether it answers on this machine and in this process: nothing is sent, waited for or paid."""
        return self.provider in {"local", "hub", "scripted"}


def read_model_name(
    name: str, *, base_url: str | None = None, timeout: float = 120.0, concurrency: int = 64
) -> ModelChoice:
    """Return which model a name means. A base URL alone makes a bare name an `openai:` one.

    >>> read_model_name("ollama:qwen3:4b").model
    'qwen3:4b'

    Raises:
        UnknownModelError: The name is not `provider:model`, or the provider is unknown.
    """
    choice = choose(name, base_url=base_url, known=PROVIDERS, flag="--model")
    return replace(choice, timeout=timeout, concurrency=concurrency)


def choose(name: str, *, base_url: str | None, known: Sequence[str], flag: str) -> ModelChoice:
    """Return what a name means, given the providers that are known; `flag` is where it was given.

    Raises:
        UnknownModelError: The name is not `provider:model`, or the provider is unknown.
    """
    provider, colon, model = name.partition(":")
    if base_url and (not colon or provider not in known):
        provider, model = "openai", name
    if provider not in known or not model:
        example = "local:all-minilm-l6-v2" if "hub" in known else "local:qwen2.5-coder-1.5b"
        raise UnknownModelError(f"{flag}: wanted PROVIDER:MODEL, not {name!r}").with_note(
            f"Providers: {', '.join(known)}. For example `{example}`, or `openai:NAME --base-url URL`."
        )
    return ModelChoice(provider=provider, model=model, base_url=base_url)


def describe_model(choice: ModelChoice) -> tuple[str, Capabilities]:
    """Return a model's identity and what it can be asked for, without opening it: no key, no weights needed."""
    match choice.provider:
        case "scripted":
            return f"scripted:{Path(choice.model).name}", Capabilities()
        case "local":
            from userside.llm.embedded import describe_embedded

            return describe_embedded(choice.model)
        case _:
            from userside.llm.providers import Address, resolve_base_url

            base_url = resolve_base_url(choice.provider, choice.base_url)
            address = Address(provider=choice.provider, model=choice.model, base_url=base_url)
            return address.identity, Capabilities()


def open_model(choice: ModelChoice) -> AbstractAsyncContextManager[Model]:
    """Return the model, to be closed after use; nothing is asked yet.

    Raises:
        AccessError: There is no key for the provider.
        MissingPartError: The provider's client, or the embedded model's, is not installed.
        UnknownModelError: The catalogue has no such entry.
        WeightsError: The embedded model's weights are not here and may not be fetched.
        FormatError: The script cannot be read.
    """
    match choice.provider:
        case "scripted":
            path = Path(choice.model)
            return as_context(ScriptedModel(read_script(path), name=path.name))
        case "local":
            from userside.llm.embedded import open_embedded

            return open_embedded(choice.model)
        case _:
            from userside.llm.endpoint import open_endpoint

            return open_endpoint(
                choice.provider,
                choice.model,
                base_url=choice.base_url,
                timeout=choice.timeout,
                concurrency=choice.concurrency,
            )


@asynccontextmanager
async def as_context[T](model: T) -> AsyncGenerator[T]:
    """Return a context for what needs no closing."""
    yield model
