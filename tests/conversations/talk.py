"""Small conversations for tests."""

from importlib import import_module
from pathlib import Path
from typing import Any

from userside.conversations import Conversation, Feedback, ImportResult, Speaker, Turn, read_conversations

USER, ASSISTANT, SYSTEM, TOOL = Speaker.USER, Speaker.ASSISTANT, Speaker.SYSTEM, Speaker.TOOL


def talk(*said: tuple[Speaker, str], feedback: tuple[Feedback, ...] = (), id: str = "c") -> Conversation:  # noqa: A002
    """Return a conversation of the given speakers and texts."""
    turns = tuple(Turn(index=index, speaker=speaker, text=text) for index, (speaker, text) in enumerate(said))
    return Conversation(id=id, source="test", turns=turns, feedback=feedback)


def exchange(*texts: str, feedback: tuple[Feedback, ...] = (), id: str = "c") -> Conversation:  # noqa: A002
    """Return a conversation in which user and assistant take turns, the user first."""
    speakers = [USER if index % 2 == 0 else ASSISTANT for index in range(len(texts))]
    return talk(*zip(speakers, texts, strict=True), feedback=feedback, id=id)


def read_text(folder: Path, text: str, *, name: str = "file.txt", **options: Any) -> ImportResult:
    """Return what is read from a file with that text."""
    path = folder / name
    path.write_bytes(text.encode())
    return read_conversations(path, **options)


def write_rows(rows: list[dict[str, Any]], path: Path) -> Path:
    """Write somebody's rows as Parquet, columns as they come, and return the path."""
    table = import_module("pyarrow").Table.from_pylist(rows)
    import_module("pyarrow.parquet").write_table(table, path)
    return path
