"""Interviews: the participant is the user, and self-reports are answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.talk import read_text
from userside.conversations import Feedback, Note, Speaker, scoreable

TRAITS = dict.fromkeys(("knowledge", "verbosity", "memory", "reflexivity", "disclosure", "understanding"), "Medium")
MEMORIES = [{"content": "A dog.", "insight_indices": [0], "reflexive": True, "sensitive": False}]
TRANSCRIPT = [
    {"role": "interviewer", "content": "How are you?"},
    {"role": "participant", "content": "Fine."},
    {"role": "interviewer", "content": "Why?"},
]


def participant(**fields: Any) -> dict[str, Any]:
    made = {"persona": "A baker.", "name": "Ana", **TRAITS, "transcript": TRANSCRIPT}
    return {**made, "retrieval_top_k": 5, "memories": MEMORIES, **fields}


def study(*participants: Any, **fields: Any) -> dict[str, Any]:
    guide = {"insights": ["dogs"], "research_questions": ["Why?"], "interview_guide": []}
    return {**guide, "participants": participants, **fields}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("value", "ids"),
    [
        (participant(), ["file-1"]),
        (study(participant(), participant(name="")), ["file-1", "file-2"]),
        ([participant(), participant()], ["file-1", "file-2"]),
        (study(participant(), target_information=["dogs"]), ["file-1"]),
    ],
)
def test_the_shapes_of_a_file(tmp_path: Path, value: Any, ids: list[str], indent: int | None) -> None:
    result = read_text(tmp_path, json.dumps(value, indent=indent))
    assert [conversation.id for conversation in result] == ids
    assert set(result.tally.formats.values()) == {"interview"}
    assert result.tally.skipped == []


def test_a_participant_of_a_study(tmp_path: Path) -> None:
    survey = {"comfort": 4, "experience": "Good", "knowledge": "High"}
    (conversation,) = read_text(tmp_path, json.dumps(study(participant(post_survey_data=survey)))).conversations()
    assert (conversation.source, conversation.contributor) == ("interview", "Ana")
    assert [(turn.speaker, turn.text) for turn in conversation.turns] == [
        (Speaker.ASSISTANT, "How are you?"),
        (Speaker.USER, "Fine."),
        (Speaker.ASSISTANT, "Why?"),
    ]
    assert conversation.feedback == (Feedback(by="Ana", answers=survey),)
    assert conversation.metadata == {
        "persona": "A baker.",
        "traits": TRAITS,
        "study": {"insights": ["dogs"], "research_questions": ["Why?"], "interview_guide": []},
        "extra": {"retrieval_top_k": 5, "memories": MEMORIES},
    }


def test_traits_that_were_assigned_are_no_self_reports(tmp_path: Path) -> None:
    (conversation,) = read_text(tmp_path, json.dumps(participant())).conversations()
    assert conversation.feedback == ()


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (participant(transcript=[]), "transcript: wanted a list with at least one message, not []"),
        (
            participant(transcript=[{"role": "user", "content": "x"}]),
            "transcript[0].role: wanted interviewer or participant, not 'user'",
        ),
        (
            participant(transcript=[{"role": "participant", "content": 5}]),
            "transcript[0].content: wanted text or null, not 5",
        ),
        ("Ana", "transcript: wanted a list with at least one message, not None"),
    ],
)
def test_participants_that_are_refused(tmp_path: Path, odd: Any, reason: str) -> None:
    result = read_text(tmp_path, json.dumps(study(participant(), odd, participant())))
    assert [conversation.id for conversation in result] == ["file-1", "file-3"]
    assert [(skipped.row, skipped.reason) for skipped in result.tally.skipped] == [(2, reason)]


def test_an_interview_without_an_answer(tmp_path: Path) -> None:
    silent = [TRANSCRIPT[0], {"role": "participant", "content": " "}]
    result = read_text(tmp_path, json.dumps(participant(transcript=silent)))
    (conversation,) = result.conversations()
    assert result.tally.notes == {Note.EMPTY_TURN: 1}
    assert scoreable(conversation).value == "no_user_text"


def test_a_study_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    memories = [{"content": "x" * 500}] * 300
    long = study(participant(memories=memories), participant(memories=memories))
    for indent in (None, 2):
        assert len(read_text(tmp_path, json.dumps(long, indent=indent)).conversations()) == 2
