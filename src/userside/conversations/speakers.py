"""Who a speaker's name means, and transcripts that are text with a speaker's name before each turn."""

from collections.abc import Iterator

import regex

from userside.conversations.record import Speaker
from userside.conversations.tally import Note, Notes
from userside.errors import FormatError

_USER = (
    "user human customer client visitor caller guest member patient student participant interviewee respondent "
    "consumer traveller traveler end-user enduser me you"
)
_ASSISTANT = (
    "assistant bot chatbot agent ai model gpt chatgpt claude gemini copilot bing bard llm machine support operator "
    "advisor adviser representative rep staff interviewer virtual-assistant"
)
_TOOL = "tool function observation tool-call tool-response function-call function-response"
_NAMES = {
    **dict.fromkeys(_USER.split(), Speaker.USER),
    **dict.fromkeys(_ASSISTANT.split(), Speaker.ASSISTANT),
    **dict.fromkeys(("system", "developer"), Speaker.SYSTEM),
    **dict.fromkeys(_TOOL.split(), Speaker.TOOL),
}
_CAPTION = regex.compile(
    r"""
    \s* (?:[\[(] [^\])\n]{1,40} [\])] \s*)?   # a time in brackets
    [*_]{0,2} (?P<name>\p{L}[\p{L}\ _-]{0,24}?) [*_]{0,2} \s* [:\uFF1A] [*_]{0,2}
    \s* (?P<text>.*)
    """,
    regex.VERBOSE,
)


def read_speaker(name: str) -> Speaker | None:
    """Return the speaker that a name means, or None for a name that is not known.

    Example:
        >>> [str(read_speaker(name)) for name in ("Customer", " BOT ", "Virtual Assistant", "Rosa")]
        ['user', 'assistant', 'assistant', 'None']
    """
    return _NAMES.get(regex.sub(r"[\s_-]+", "-", name.strip().casefold()))


def read_transcript(text: str, *, notes: Notes) -> list[dict[str, str]]:
    r"""Return the turns of a transcript whose lines begin with a speaker's name and a colon.

    A line without a known name goes on with the turn before it.

    Raises:
        FormatError: No line begins with a name that is known.

    Example:
        >>> from collections import Counter
        >>> read_transcript("User: hi\nthere\n[10:02] Bot: hello", notes=Counter())
        [{'speaker': 'user', 'text': 'hi\nthere'}, {'speaker': 'assistant', 'text': 'hello'}]
    """
    turns: list[dict[str, str]] = []
    lost = 0
    for speaker, said in _captioned(text.splitlines()):
        if speaker is not None:
            turns.append({"speaker": str(speaker), "text": said})
        elif turns:
            turns[-1]["text"] += "\n" + said
        else:
            lost += bool(said.strip())
    if not turns:
        raise FormatError("wanted lines such as `User: …` and `Assistant: …`, and none begins so")
    if lost:
        notes[Note.SPEAKERLESS] += lost
    return [{**turn, "text": turn["text"].strip()} for turn in turns]


def _captioned(lines: list[str]) -> Iterator[tuple[Speaker | None, str]]:
    for line in lines:
        caption = _CAPTION.fullmatch(line)
        speaker = read_speaker(caption["name"]) if caption else None
        yield (speaker, caption["text"]) if caption and speaker else (None, line)
