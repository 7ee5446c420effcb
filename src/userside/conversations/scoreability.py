"""Whether a conversation has anything of its user to go by."""

from enum import StrEnum

import regex

from userside.conversations.record import Conversation, Speaker

_PLACEHOLDER = regex.compile(r"[\s\p{Cf}\p{Cc}\p{Pd}._…\N{REPLACEMENT CHARACTER}]*")


class Scoreability(StrEnum):
    """Whether satisfaction can be read from a conversation, and if not, why."""

    SCOREABLE = "scoreable"
    NO_TURNS = "no_turns"
    """A report without its transcript."""
    NO_USER_TEXT = "no_user_text"
    """The user's turns are missing, empty, or hold placeholders such as a dash."""

    def __bool__(self) -> bool:
        """Tell whether the conversation can be scored."""
        return self is Scoreability.SCOREABLE


def scoreable(conversation: Conversation, *, until: int | None = None) -> Scoreability:
    """Return whether the conversation can be scored: a status, where a score would have to be made up.

    Args:
        conversation: What was said.
        until: Look at the turns before this index only (a label's cut); None for all.

    Example:
        >>> scoreable(Conversation(id="a", source="doc")).value
        'no_turns'
    """
    turns = conversation.turns[:until] if until is not None else conversation.turns
    if not turns:
        return Scoreability.NO_TURNS
    said = any(turn.speaker is Speaker.USER and not _PLACEHOLDER.fullmatch(turn.text) for turn in turns)
    return Scoreability.SCOREABLE if said else Scoreability.NO_USER_TEXT
