"""Tells whether conversational AI works for the people who use it, and why.

The front page of the library. What needs more than this is in the folders: `userside.conversations` (the record and its
readers), `userside.rubrics` (SPUR), `userside.llm` (asking models), `userside.statistics`, `userside.render`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from userside.conversations import Conversation, Feedback, Turn, read_conversations, write_jsonl
    from userside.facade import learn, score, wait_for
    from userside.llm import ScriptedModel
    from userside.rubrics import Rubric, RubricItem, look_at, open_rubric

__version__ = "0.1.0"

__all__ = [
    "Conversation",
    "Feedback",
    "Rubric",
    "RubricItem",
    "ScriptedModel",
    "Turn",
    "__version__",
    "learn",
    "look_at",
    "open_rubric",
    "read_conversations",
    "score",
    "wait_for",
    "write_jsonl",
]

_HOMES = {
    "conversations": ("Conversation", "Feedback", "Turn", "read_conversations", "write_jsonl"),
    "facade": ("learn", "score", "wait_for"),
    "llm": ("ScriptedModel",),
    "rubrics": ("Rubric", "RubricItem", "look_at", "open_rubric"),
}


if not TYPE_CHECKING:  # else every misspelt name would pass the type checker

    def __getattr__(name: str) -> object:
        """Return a front-page name, importing its folder only now: `userside --help` takes 0.3 s."""
        for folder, names in _HOMES.items():
            if name in names:
                return getattr(import_module(f"userside.{folder}"), name)
        raise AttributeError(f"module 'userside' has no attribute {name!r}")
