"""Which turns say anything: empty ones, and answers that were never finished, are left out and counted."""

from collections.abc import Iterable, Iterator
from itertools import accumulate

import regex

from userside.conversations.tally import Note, Notes
from userside.conversations.wire import Fields

_CALL = regex.compile(r"(?:ModelResponse|ModelResponseStream|ChatCompletion|ChatCompletionChunk)\(")
_NO_TEXT = regex.compile(r"<(?:async_)?(?:generator|coroutine) object [^<>\n]*>|\[object \w+\]")


def said(turns: Iterable[Fields], *, notes: Notes) -> Iterator[Fields]:
    """Yield the turns that hold text or a part.

    An answer that is the name of a program's object, such as `ModelResponseStream(…)`, was lost where it was logged:
    it is no answer. Users may type what they like.
    """
    for turn in turns:
        text = turn["text"].strip()
        if turn["speaker"] == "assistant" and _is_object(text):
            notes[Note.LOST_ANSWER] += 1
        elif text or turn.get("parts"):
            yield turn
        else:
            notes[Note.EMPTY_TURN] += 1


def _is_object(text: str) -> bool:
    """Tell whether all of a text is a program's object, whole or broken off; text behind it makes it an answer."""
    if _CALL.match(text) is None:
        return _NO_TEXT.fullmatch(text) is not None
    depths = accumulate({"(": 1, ")": -1}.get(mark, 0) for mark in text[text.index("(") :])
    closed = next((place for place, depth in enumerate(depths) if depth == 0), None)
    return closed is None or text.index("(") + closed == len(text) - 1
