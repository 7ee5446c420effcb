"""What the patterns of personal data share."""

import re
from collections.abc import Callable, Iterator

type Span = tuple[int, int]
"""From where to where (exclusive)."""

type Finder = Callable[[str], Iterator[Span]]
"""Yields where something stands in a folded text."""

TOKEN = re.compile(r"\[?[A-Z]{2,12}_\d{1,6}\]?")
"""What stands where something was redacted, by us or by others (`NAME_1`)."""

BRACKETED = re.compile(r"\[[A-Z]{2,12}_\d{1,6}\]")
"""The form of our own."""
