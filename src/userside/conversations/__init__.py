"""What was said: the record, its readers and writers, labels, prompts' rendering and redaction."""

from userside.conversations.record import (
    Completeness,
    Conversation,
    Feedback,
    Label,
    Origin,
    Part,
    PartKind,
    Speaker,
    Thumb,
    Turn,
)

__all__ = [
    "Completeness",
    "Conversation",
    "Feedback",
    "Label",
    "Origin",
    "Part",
    "PartKind",
    "Speaker",
    "Thumb",
    "Turn",
]
