"""A small model, held to its schema, is offered the user's sentences to choose from."""

import asyncio
import json

from userside.conversations import Conversation, Label, LabelledText, Speaker, Turn
from userside.llm import Capabilities, Request, ScriptedModel, read_prompts
from userside.rubrics import extract_patterns
from userside.rubrics.learning.extraction import Extracting, user_sentences

LONG = "The first machine is dead since nine, as I said on the phone before, and I am turning people away. Nobody came!"
SAID = ("Hello there", "Oh, how nice.", f"{LONG} So I waited. And waited.", "Never mind (really)")
TALK = Conversation(
    id="a",
    source="test",
    turns=tuple(
        Turn(index=index, speaker=Speaker.ASSISTANT if index == 1 else Speaker.USER, text=text)
        for index, text in enumerate(SAID)
    ),
)
SMALL = Capabilities(schema=True, shares_prefix=True, token_probabilities=True)
EXTRACTING = Extracting(prompts=read_prompts("userside.rubrics"))


def test_sentences_are_the_users_and_end_at_the_labels_cut() -> None:
    first, *rest = LONG.split(". ")
    assert user_sentences(TALK, until=None) == (
        "Hello there", f"{first}.", *rest, "So I waited.", "And waited.", "Never mind (really)",
    )  # fmt: skip
    assert user_sentences(TALK, until=2) == ("Hello there",)


def test_a_small_model_chooses_and_a_large_one_copies() -> None:
    def answer(_: Request) -> str:
        quote = {"quote": "Never mind (really)", "reason": "The user gives up."}
        return json.dumps({"entries": [quote, {"quote": "Oh, how nice.", "reason": "The user is glad."}]})

    labelled = LabelledText(label=Label.DISSATISFIED)
    for capabilities in (SMALL, Capabilities()):
        model = ScriptedModel(answer, capabilities=capabilities)
        found = asyncio.run(extract_patterns(TALK, labelled, model, extracting=EXTRACTING))
        assert [one.evidence.turn for one in found.patterns] == [3]
        assert found.unfounded == 1
        schema = json.dumps(model.asked[0].schema)
        assert ("So I waited." in schema) is (capabilities is SMALL)
        assert "how nice" not in schema
