"""About thirty deterministic signals of a conversation's user turns: no model, no chance, milliseconds."""

from collections.abc import Mapping

from userside.conversations import Conversation
from userside.rubrics.signals.form import FORM_SIGNALS
from userside.rubrics.signals.lexical import LEXICAL_SIGNALS
from userside.rubrics.signals.reading import read_user_text

type Signals = Mapping[str, float | None]
"""The value of each signal by name, in the order of `SIGNALS`; None where it cannot be known."""

SIGNALS = (*LEXICAL_SIGNALS, *FORM_SIGNALS)
"""Every signal that is measured."""


def extract_signals(conversation: Conversation, *, until: int | None = None) -> Signals:
    """Return every signal of what the user wrote.

    Only user turns are read: never the assistant's, never feedback.

    Args:
        conversation: Any conversation, also one without turns.
        until: Read the turns before this index only, as a label with a cut asks.
    """
    text = read_user_text(conversation, until=until)
    return {signal.name: signal.measure(text) for signal in SIGNALS}
