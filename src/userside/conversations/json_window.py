"""JSON values decoded one after another from a file of any size: only what is not decoded yet is held.

The standard decoder is used and no event parser, because what cannot be stored elsewhere must get through to be mended:
lone surrogates, which ijson's C back end (yajl) turns into `?` or stops at, and numbers of any length.
"""

import json
from typing import IO, Any, cast

import regex

from userside.errors import FormatError

LONGEST_VALUE = 1 << 26
"""Characters; a longer value is taken for damage, so that no file can fill the memory."""

_CHUNK = 1 << 18
_LONGEST_TOKEN = 12  # an escaped surrogate pair: a break inside one looks like a mistake
_BETWEEN = regex.compile(r"[\s,\ufeff]*")
_TOKEN = regex.compile(r'\\.|["\[\]{}]', regex.DOTALL)
_DEPTH = {"{": 1, "[": 1, "}": -1, "]": -1}


class EndOfJsonError(Exception):
    """No whole value is left."""


class JsonWindow:
    """A place in a file, moved on value by value.

    Attributes:
        file: What is read.
        longest: How many characters a value may have.
        text: What was read of it and is still needed.
        position: Where in `text` the next value begins.
    """

    def __init__(self, file: IO[str], *, longest: int = LONGEST_VALUE) -> None:
        self.file = file
        self.longest = longest
        self.text = ""
        self.position = 0
        self._wanted = _CHUNK

    def pass_bracket(self) -> None:
        """Move behind the bracket that opens an array, if there is one."""
        if self._at_value() and self.text[self.position] == "[":
            self.position += 1

    def take(self) -> Any:
        """Return the next value and move behind it.

        Raises:
            EndOfJsonError: The file ends before a value does, or what follows is the end of an array.
            FormatError: No value is here, whatever may follow; `pass_over` may find where the next one begins.
        """
        if not self._at_value() or self.text[self.position] == "]":
            raise EndOfJsonError
        while True:
            try:
                value, self.position = json.JSONDecoder().raw_decode(self.text, self.position)
            except json.JSONDecodeError as error:
                if not self._may_go_on(error):
                    raise FormatError(f"not JSON: {error.msg}") from None
                self._grow()
            except (RecursionError, ValueError):
                raise FormatError("not usable JSON: nested too deeply, or a number of too many digits") from None
            else:
                self._wanted = _CHUNK
                return value

    def pass_over(self) -> bool:
        """Move behind the object or array that begins here, judging by its brackets; False where it has no end."""
        if self.text[self.position] not in "{[":
            return False
        while (end := _end(self.text, start=self.position)) is None:
            try:
                self._grow()
            except (EndOfJsonError, FormatError):
                return False
        self.position, self._wanted = end, _CHUNK
        between = cast("regex.Match[str]", _BETWEEN.match(self.text, self.position))
        return "," in between[0] or self.text[between.end() : between.end() + 1] == "]"

    def rest(self) -> str:
        """Return what is left of the text that was read, without white space around it."""
        return self.text[self.position :].strip()

    def _at_value(self) -> bool:
        """Move behind white space and commas; False where the file ends there."""
        while True:
            self.position = cast("regex.Match[str]", _BETWEEN.match(self.text, self.position)).end()
            if self.position < len(self.text):
                return True
            try:
                self._grow()
            except EndOfJsonError:
                return False

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        return error.msg.startswith("Unterminated string") or error.pos >= len(self.text) - _LONGEST_TOKEN

    def _grow(self) -> None:
        """Read on. What is asked for doubles, so that a long value is tried a few times only."""
        held = len(self.text) - self.position
        if held > self.longest:
            raise FormatError(f"longer than {self.longest:,} characters")
        more = self.file.read(self._wanted)
        if not more:
            raise EndOfJsonError
        self.text, self.position = self.text[self.position :] + more, 0
        self._wanted = min(self._wanted * 2, self.longest)


def _end(text: str, *, start: int) -> int | None:
    """Return where the object or array that starts there ends, None where it goes on beyond the text."""
    depth, is_inside_text = 0, False
    for token in _TOKEN.finditer(text, start):
        if token[0] == '"':
            is_inside_text = not is_inside_text
        elif not is_inside_text:
            depth += _DEPTH.get(token[0], 0)
            if depth == 0:
                return token.end()
    return None
