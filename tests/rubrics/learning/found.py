"""Patterns in a line, for tables of cases."""

from userside.llm import Capabilities, read_prompts
from userside.rubrics import Evidence, Pattern, Side

PROMPTS = read_prompts("userside.rubrics")
IN_WORDS = Capabilities(schema=False)
"""A model that is asked for its answer in words."""


def pattern(
    text: str,
    id: str = "a",  # noqa: A002
    *,
    side: Side = Side.SATISFIED,
    quote: str = "thanks",
) -> Pattern:
    """Return a pattern of a conversation's first turn."""
    return Pattern(side=side, text=text, evidence=Evidence(id=id, turn=0, quote=quote))


def patterns(count: int, *, side: Side = Side.SATISFIED) -> list[Pattern]:
    """Return patterns that all differ, each of a conversation of its own."""
    return [pattern(f"The user says word {number:03}.", f"c{number:03}", side=side) for number in range(count)]
