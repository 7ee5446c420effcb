"""Strings and numbers that JSON readers let through and nobody can store: mended at any depth, and counted."""

import math
from typing import Any, cast

import regex

from userside.conversations.tally import Note, Notes

_SURROGATE = regex.compile(r"[\ud800-\udfff]")


def mend_text(text: str, *, notes: Notes) -> str:
    r"""Return text in which every lone surrogate is U+FFFD.

    Example:
        >>> from collections import Counter
        >>> mend_text("ok \udeaa", notes=Counter())
        'ok �'
    """
    if text.isascii():
        return text
    mended = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    if mended != text:
        notes[Note.SURROGATE] += 1
    return mended


def mend(value: Any, *, notes: Notes) -> Any:
    """Return a parsed JSON value that can be stored: no lone surrogates, and None for NaN and infinities."""
    if isinstance(value, str):
        return mend_text(value, notes=notes)
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value)
        return {mend_text(str(key), notes=notes): mend(held, notes=notes) for key, held in entries.items()}
    if isinstance(value, list | tuple):
        return [mend(held, notes=notes) for held in cast("list[Any]", value)]
    if isinstance(value, float) and not math.isfinite(value):
        notes[Note.NOT_FINITE] += 1
        return None
    return value
