"""One file a format: each turns a file into conversations and says what it could not read.

A new format is a class with the five members of `Reader`, and a line in `READERS`.
"""

from userside.conversations.readers.chatgpt import ChatgptReader
from userside.conversations.readers.claude import ClaudeReader
from userside.conversations.readers.csv import CsvReader
from userside.conversations.readers.gemini import GeminiReader
from userside.conversations.readers.interview import InterviewReader
from userside.conversations.readers.jsonl import JsonlReader
from userside.conversations.readers.lmsys import LmsysReader
from userside.conversations.readers.openai import OpenaiReader
from userside.conversations.readers.parquet import ParquetReader
from userside.conversations.readers.protocol import Entries, Reader, ReadOptions
from userside.conversations.readers.sharegpt import SharegptReader
from userside.conversations.readers.uss import UssReader
from userside.conversations.readers.wildchat import WildchatReader

READERS: dict[str, Reader] = {
    reader.name: reader
    for reader in (
        ChatgptReader(),
        ClaudeReader(),
        CsvReader(),
        GeminiReader(),
        InterviewReader(),
        JsonlReader(),
        LmsysReader(),
        OpenaiReader(),
        ParquetReader(),
        SharegptReader(),
        UssReader(),
        WildchatReader(),
    )
}
"""The formats there are, by name."""

EXPORTS = ("chatgpt", "claude", "gemini")
"""Those that come as a folder or a zip too."""

__all__ = ["EXPORTS", "READERS", "Entries", "ReadOptions", "Reader"]
