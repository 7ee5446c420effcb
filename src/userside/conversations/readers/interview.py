"""Interviews as the public package `interviewplayground` saves them: a study of participants, or one participant.

A participant has a `transcript` of messages whose role is `interviewer` or `participant`. In the record the
participant is the user. What people said of the interview afterwards, where it stands under `post_survey_data`,
becomes the answers of their feedback. A simulated participant has a persona, traits and memories: these are metadata.
"""

from collections.abc import Iterable, Iterator
from typing import Any, cast

from userside.conversations.json_rows import JsonRow, Layout, first_values, json_layout, read_json_rows
from userside.conversations.readers.protocol import Entries, ReadOptions, read_each
from userside.conversations.readers.said import said
from userside.conversations.readers.value_rows import fields_of, first_of, messages_of, text_of
from userside.conversations.record import Conversation
from userside.conversations.sources import Head, Source, read_head
from userside.conversations.tally import Notes, Skipped
from userside.conversations.wire import Fields, conversation_from_dict, shown
from userside.errors import FormatError

_SPEAKERS = {"interviewer": "assistant", "participant": "user"}
_TRAITS = ("knowledge", "understanding", "memory", "reflexivity", "verbosity", "disclosure")
_SURVEY = "post_survey_data"
_READ = frozenset({"transcript", "name", "persona", _SURVEY, *_TRAITS})


class InterviewReader:
    """Reads a study's participants one by one; ids are the file's stem in lower case and a number from 1."""

    name = "interview"
    about = "interviews saved by the package interviewplayground: a study, or a participant with a transcript"
    labels = None

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:  # noqa: ARG002
        """Tell whether one of the first values is a participant with a transcript, or a study that has one."""
        return any(_has_transcript(one) for value in first_values(head) for one in _participants(value))

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:  # noqa: ARG002
        """Yield one conversation a participant; one who was not interviewed is skipped. Rows count participants."""

        def build(value: Any) -> Conversation:
            number, study, participant = value
            record = _record(fields_of(participant), study=study, notes=notes)
            return conversation_from_dict(record | {"id": f"{source.stem.lower()}-{number}"}, notes=notes)

        rows = read_json_rows(source, layout=json_layout(read_head(source).text) or Layout.LINES)
        yield from read_each(_each_participant(rows), path=str(source.path), build=build)


def _has_transcript(participant: object) -> bool:
    return fields_of(first_of(fields_of(participant).get("transcript"))).get("role") in _SPEAKERS


def _participants(value: object) -> list[object]:
    held = fields_of(value).get("participants")
    return cast("list[object]", held) if isinstance(held, list) else [value]


def _each_participant(rows: Iterable[JsonRow | Skipped]) -> Iterator[JsonRow | Skipped]:
    """Yield each participant with its number in the file and what is known of its study."""
    number = 0
    for row in rows:
        if isinstance(row, Skipped):
            yield row
            continue
        record = fields_of(row.value)
        is_study = isinstance(record.get("participants"), list)
        study = {name: held for name, held in record.items() if name != "participants"} if is_study else {}
        for participant in _participants(row.value):
            number += 1
            yield JsonRow(number=number, value=(number, study, participant))


def _record(participant: Fields, *, study: Fields, notes: Notes) -> Fields:
    turns = [_turn(message, place=place) for place, message in enumerate(messages_of(participant, "transcript"))]
    name = participant.get("name") or None
    traits = {trait: participant[trait] for trait in _TRAITS if participant.get(trait) is not None}
    extra = {key: held for key, held in participant.items() if key not in _READ and held is not None}
    metadata = {"persona": participant.get("persona"), "traits": traits, "study": study, "extra": extra}
    answers = fields_of(participant.get(_SURVEY))
    return {
        "source": "interview",
        "contributor": name,
        "turns": list(said(turns, notes=notes)),
        "feedback": [{"by": name or "participant", "answers": answers}] if answers else [],
        "metadata": {key: held for key, held in metadata.items() if held},
    }


def _turn(message: Fields, *, place: int) -> Fields:
    where = f"transcript[{place}]"
    role = message.get("role")
    if not isinstance(role, str) or role not in _SPEAKERS:
        raise FormatError(f"{where}.role: wanted interviewer or participant, not {shown(role)}")
    extra = {name: held for name, held in message.items() if name not in {"role", "content"} and held is not None}
    metadata = {"extra": extra} if extra else {}
    return {"speaker": _SPEAKERS[role], "text": text_of(message, "content", where=where), "metadata": metadata}
