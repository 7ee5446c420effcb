"""Conversations in a line, for tables of cases."""

from collections.abc import Sequence

from userside.conversations import Conversation, Feedback, Label, Speaker, Turn


def said(*texts: str, language: str | None = None, id: str = "a", feedback: Sequence[Feedback] = ()) -> Conversation:  # noqa: A002
    """Return a conversation of these user turns, an assistant's answer after each."""
    speakers = (Speaker.USER, Speaker.ASSISTANT)
    pairs = [
        (speaker, text) for user in texts for speaker, text in zip(speakers, (user, "I see!! Thanks."), strict=True)
    ]
    turns = tuple(Turn(index=index, speaker=speaker, text=text) for index, (speaker, text) in enumerate(pairs))
    return Conversation(id=id, source="test", turns=turns, language=language, feedback=tuple(feedback))


def labelled(label: Label, *texts: str, id: str, until: int | None = None) -> Conversation:  # noqa: A002
    """Return such a conversation with a label of its user."""
    return said(*texts, id=id, language="en", feedback=[Feedback(by="user-1", label=label, until=until)])
