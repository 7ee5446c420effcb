"""The sample conversations that ship with Userside."""

from pathlib import Path

from userside.conversations.intake import read_conversations
from userside.conversations.record import Conversation
from userside.errors import InputError

_SAMPLES = Path(__file__).parent / "samples"


def sample_names() -> tuple[str, ...]:
    """Return the names of the samples, sorted."""
    return tuple(sorted(path.stem for path in _SAMPLES.glob("*.jsonl")))


def sample_path(name: str) -> Path:
    """Return the path of a sample's JSON Lines file.

    Raises:
        InputError: No sample has that name.
    """
    if name not in sample_names():
        raise InputError(f"no sample is called {name!r}; there are: {', '.join(sample_names())}")
    return _SAMPLES / f"{name}.jsonl"


def read_sample(name: str) -> tuple[Conversation, ...]:
    """Return the conversations of a sample, in order.

    Example:
        >>> len(read_sample("everyday"))
        48
    """
    return read_conversations(sample_path(name), format="jsonl").conversations()
