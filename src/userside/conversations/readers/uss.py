"""The User Satisfaction Simulation data: tab-separated turns with the ratings of several people.

A line is `role, text, action, ratings` and, in one part, explanations. Blank lines separate dialogues. The row
`USER, OVERALL` carries ratings of the whole dialogue and is never a turn (Sun et al., SIGIR 2021).
"""

from collections.abc import Iterable, Iterator
from typing import Any

import regex

from userside.conversations.readers.protocol import Entries, ReadOptions
from userside.conversations.sources import Head, Source
from userside.conversations.tally import Note, Notes, Skipped
from userside.conversations.wire import conversation_from_dict
from userside.errors import FormatError

_SCALE = (1, 5)
_SPEAKERS = {"USER": "user", "SYSTEM": "assistant"}
_COLUMNS = 4
_OVERALL = "OVERALL"
_LINE = regex.compile(r"(?:USER|SYSTEM)\t[^\t\n]*\t[^\t\n]*\t[\d, ]*(?:\t[^\n]*)?")
_SHOWN = 60

type Line = tuple[int, str]


class UssReader:
    """Reads a part of USS; ids are the file's stem in lower case and a number that counts from 1."""

    name = "uss"
    about = "the User Satisfaction Simulation data (SIGIR 2021), tab-separated"
    labels = "uss"

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:  # noqa: ARG002
        """Tell whether one of the first five lines with anything in them is a USS turn."""
        lines = [line for line in head.text.split("\n") if line.strip()][:5]
        return any(_LINE.fullmatch(line) for line in lines)

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:  # noqa: ARG002
        """Yield one conversation a dialogue, and a `Skipped` for every line that is no turn."""
        with source.text() as file:
            for number, lines in enumerate(_dialogues(enumerate(file, start=1)), start=1):
                dialogue = _Dialogue(path=str(source.path), notes=notes)
                yield from dialogue.take(lines)
                yield from dialogue.finish(id=f"{source.stem.lower()}-{number}", row=lines[0][0])


def _dialogues(lines: Iterable[Line]) -> Iterator[list[Line]]:
    block: list[Line] = []
    for number, line in lines:
        if line.strip():
            block.append((number, line.rstrip("\n")))
        elif block:
            yield block
            block = []
    if block:
        yield block


class _Dialogue:
    """One dialogue as it is gathered, line by line."""

    def __init__(self, *, path: str, notes: Notes) -> None:
        self._path = path
        self._notes = notes
        self._turns: list[dict[str, Any]] = []
        self._feedback: list[dict[str, Any]] = []
        self._lost: list[str] = []

    def take(self, lines: Iterable[Line]) -> Iterator[Skipped]:
        """Take every line that is a turn or a rating, and yield the others."""
        for number, line in lines:
            try:
                self._take_line(line)
            except FormatError as error:
                self._lost.append(f"line {number} could not be read")
                yield Skipped(path=self._path, row=number, reason=str(error))

    def finish(self, *, id: str, row: int) -> Entries:  # noqa: A002
        """Yield the conversation, or that there is none."""
        if not self._turns:
            yield Skipped(path=self._path, row=row, reason=f"dialogue {id} has no turns")
            return
        record = {"id": id, "source": "uss", "turns": self._turns, "feedback": self._feedback}
        if self._lost:
            record |= {"completeness": "partial", "completeness_reasons": self._lost}
        yield conversation_from_dict(record, notes=self._notes)

    def _take_line(self, line: str) -> None:
        cells = line.split("\t")
        if len(cells) < _COLUMNS or cells[0].strip() not in _SPEAKERS:
            raise FormatError(f"wanted USER or SYSTEM, text, action and ratings between tabs, not {line[:_SHOWN]!r}")
        role, text, action, ratings, *explanations = (cell.strip() for cell in cells)
        if text == _OVERALL:
            self._rate(ratings, turn=None)
        elif text:
            self._rate(ratings, turn=len(self._turns))
            self._turns.append(_turn(_SPEAKERS[role], text=text, action=action, explanations=explanations))
        else:
            self._notes[Note.EMPTY_TURN] += 1

    def _rate(self, ratings: str, *, turn: int | None) -> None:
        for rater, rating in enumerate(ratings.split(","), start=1):
            entry: dict[str, Any] = {"by": f"rater-{rater}", "scale": _SCALE}
            if rating.strip() in {"1", "2", "3", "4", "5"}:
                self._feedback.append(entry | {"rating": int(rating), "turn": turn})
            elif rating.strip():
                self._notes[Note.RATING_LEFT_OUT] += 1


def _turn(speaker: str, *, text: str, action: str, explanations: list[str]) -> dict[str, Any]:
    said = {"action": action, "explanations": "\t".join(explanations)}
    return {"speaker": speaker, "text": text, "metadata": {name: value for name, value in said.items() if value}}
