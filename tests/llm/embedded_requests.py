"""Questions to put to the embedded model."""

from typing import Any

from userside.llm import Message, Request, Role, Sampling
from userside.llm.catalogue import catalogue_entry

SMALLEST = catalogue_entry("smollm2-135m")
TALK = "USER: I need a cab to the station.\nASSISTANT: Booked, for nine o'clock.\nUSER: Lovely, thanks a lot!\n" * 4


def request(text: str = "Hello", **fields: Any) -> Request:
    """Return a short plain question."""
    defaults: dict[str, Any] = {"sampling": Sampling(temperature=0.0), "max_output": 8}
    return Request(messages=(Message(role=Role.USER, text=text),), **defaults | fields)


def item(text: str) -> Request:
    """Return a question about one item of a rubric, answered by token probabilities."""
    return request(f"{TALK}\nIs it true? {text} Answer Yes or No.", token_options=("Yes", "No"), max_output=1)
