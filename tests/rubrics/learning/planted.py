"""A world in which satisfied users say one thing and dissatisfied ones another, and a model that reads only prompts.

The model knows what the phrases mean, as a reader of English would. It finds them in the lines of the user, gathers
patterns that say the same, and judges an item by looking for its phrase. Labels it sees only where the prompt has them.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from userside.conversations import Conversation, Feedback, Label, Speaker, Turn
from userside.llm import Request, Role

SIGNS = {
    "that settles it": "The user says that the matter is settled.",
    "you saved my day": "The user says that the assistant saved the day.",
    "i will tell my sister": "The user wants to tell others about it.",
    "not what i asked": "The user says that it is not what they asked for.",
    "as i said before": "The user repeats an earlier request.",
    "forget it": "The user gives up on the request.",
}
GLAD, CROSS = tuple(SIGNS)[:3], tuple(SIGNS)[3:]
FILLER = (
    "I need a table for two.",
    "Is there parking?",
    "On Tuesday, at noon.",
    "And how much is it?",
    "Near the river.",
)
ANSWERS = ("Of course.", "There is one at the station.", "Let me see.", "It opens at nine.")


def plant(count: int, *, seed: int = 0, strength: float = 0.9, shuffled: bool = False) -> list[Conversation]:
    """Return conversations, half of them satisfied; each says its side's phrase with a chance of `strength`."""
    chance = random.Random(seed)
    labels = [Label.SATISFIED if number % 2 else Label.DISSATISFIED for number in range(count)]
    spoken = [_lines(label, chance, strength=strength) for label in labels]
    if shuffled:
        chance.shuffle(labels)
    return [_conversation(f"c{number:03}", *pair) for number, pair in enumerate(zip(spoken, labels, strict=True))]


def _lines(label: Label, chance: random.Random, *, strength: float) -> list[str]:
    lines = [chance.choice(FILLER) for _ in range(chance.randint(2, 4))]
    if chance.random() < strength:
        said = chance.choice(GLAD if label is Label.SATISFIED else CROSS)
        lines.insert(chance.randint(1, len(lines)), f"Well, {said}, {chance.choice(['really', 'so', 'then'])}.")
    return lines


def _conversation(id_: str, lines: Sequence[str], label: Label) -> Conversation:
    turns: list[Turn] = []
    for line in lines:
        turns.append(Turn(index=len(turns), speaker=Speaker.USER, text=line))
        turns.append(Turn(index=len(turns), speaker=Speaker.ASSISTANT, text=ANSWERS[len(turns) % len(ANSWERS)]))
    return Conversation(id=id_, source="planted", turns=tuple(turns), feedback=(Feedback(by=id_, label=label),))


def reply(request: Request) -> str:
    """Return what the model of this world says."""
    system = "\n".join(message.text for message in request.messages if message.role is Role.SYSTEM)
    text = next(message.text for message in request.messages if message.role is Role.USER)
    return json.dumps(_answer(system, text, cast("Mapping[str, Any]", request.schema)))


def answer(body: Mapping[str, Any]) -> str:
    """Return the same over HTTP."""
    messages = cast("list[Mapping[str, str]]", body["messages"])
    system = "\n".join(one["content"] for one in messages if one["role"] == "system")
    text = next(one["content"] for one in messages if one["role"] == "user")
    return json.dumps(_answer(system, text, body["response_format"]["json_schema"]["schema"]))


def _answer(system: str, text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema["properties"]
    if "entries" not in properties:
        return _judge(system, text, tuple(properties))
    fields = properties["entries"]["items"]["properties"]
    return {"entries": _reasons(text) if "quote" in fields else _rubric(text, most=properties["entries"]["maxItems"])}


def _reasons(text: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for line in re.findall(r"^(?:User: |  )(.+)$", text, re.MULTILINE):
        found += [{"quote": line, "reason": told} for sign, told in SIGNS.items() if sign in line.casefold()]
    return found[:3]


def _rubric(text: str, *, most: int) -> list[dict[str, str]]:
    patterns, _, before = text.partition("Rubric so far:")
    counted = Counter(re.findall(r"^- (.+)$", patterns, re.MULTILINE))
    # What was often enough to be in the rubric before is not ousted by one batch.
    counted.update(dict.fromkeys(re.findall(r"^\d+\. [^:]+: (.+)$", before, re.MULTILINE), 1000))
    kept = sorted(counted, key=lambda told: (-counted[told], told))[:most]
    return [{"name": " ".join(told.rstrip(".").split()[2:5]), "description": told} for told in kept]


def _judge(system: str, text: str, names: Sequence[str]) -> dict[str, Any]:
    told = dict(re.findall(r"^\d+\. (\w+): (.+)$", system, re.MULTILINE))
    return {name: _verdict(told[name], text) for name in names}


def _verdict(description: str, text: str) -> dict[str, Any]:
    sign = next((sign for sign, told in SIGNS.items() if told == description), None)
    lines = [line for line in text.splitlines() if sign and sign in line.casefold()]
    words = lines[0].removeprefix("User: ").strip() if lines else ""
    return {"quote": words, "answer": "Yes" if lines else "No", "score": 8 if lines else 0}
