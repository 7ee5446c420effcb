"""A judge for the fake endpoint whose rows never contradict themselves: Yes has a score from 1, No has 0."""

import hashlib
import json
from typing import Any


def judge(body: dict[str, Any]) -> str:
    """Return a filled table, each row decided by a hash of the conversation and the item."""
    schema = body["response_format"]["json_schema"]["schema"]
    said = body["messages"][1]["content"]
    return json.dumps({name: _row(said, name) for name in schema["properties"]})


def _row(said: str, item: str) -> dict[str, Any]:
    draw = int.from_bytes(hashlib.sha256(f"{item}\0{said}".encode()).digest()[:2])
    if draw % 3:
        return {"quote": "", "answer": "No", "score": 0}
    return {"quote": said.splitlines()[-2][:40], "answer": "Yes", "score": 1 + draw % 10}
