"""What is read off a conversation's user turns before any signal is measured."""

from collections.abc import Mapping
from dataclasses import dataclass

from userside.conversations import Conversation
from userside.rubrics.signals.language import find_lexicon
from userside.rubrics.signals.lexicon import Cue, Lexicon, normalise
from userside.rubrics.signals.repetition import likeness_to_earlier
from userside.rubrics.signals.words import count_words

type Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserText:
    """The user's side of a conversation, turn by turn.

    Attributes:
        turns: The text of each user turn that holds any.
        words: The number of words of each.
        likeness: How alike turns are to earlier ones; see `likeness_to_earlier`.
        cues: For each cue in the language's word table, how often each turn has it; what cannot be known is not there.
    """

    turns: tuple[str, ...]
    words: tuple[float, ...]
    likeness: tuple[float, ...]
    cues: Mapping[Cue, Counts]


def read_user_text(conversation: Conversation, *, until: int | None = None) -> UserText:
    """Return the user's text before turn `until`, or all of it."""
    turns = tuple(turn.text for turn in conversation.user_turns if until is None or turn.index < until)
    lexicon = find_lexicon(turns, declared=conversation.language)
    return UserText(
        turns=turns,
        words=tuple(count_words(text) for text in turns),
        likeness=likeness_to_earlier(turns),
        cues=_count_cues(turns, lexicon=lexicon) if lexicon else {},
    )


def _count_cues(turns: tuple[str, ...], *, lexicon: Lexicon) -> dict[Cue, Counts]:
    plain = [normalise(text) for text in turns]
    counts = {cue: _count(lexicon, cue=cue, texts=plain) for cue in lexicon.patterns if cue is not Cue.PRAISE}
    if Cue.PRAISE in lexicon.patterns:
        # "Not great" is in the table of complaints: what complains cannot praise.
        rest = [lexicon.patterns[Cue.COMPLAINT].sub("|", text) for text in plain]
        counts[Cue.PRAISE] = _count(lexicon, cue=Cue.PRAISE, texts=rest)
    return counts


def _count(lexicon: Lexicon, *, cue: Cue, texts: list[str]) -> Counts:
    pattern = lexicon.patterns[cue]
    return tuple(sum(1 for _ in pattern.finditer(text)) for text in texts)
