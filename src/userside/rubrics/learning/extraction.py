"""Supervised extraction: why was this user satisfied, or not (SPUR, section 3.1)?

Each labelled conversation is asked about by itself, with its label. The paper takes the model's reasons as they come;
here each comes with the user's own words, and a reason whose words are in no turn of the user is left out and counted.
"""

import re
from dataclasses import dataclass

from userside.conversations import Conversation, LabelledText, Speaker, locate_quote
from userside.llm import (
    Entry,
    Listing,
    Message,
    Model,
    PromptSet,
    Request,
    Role,
    Sampling,
    Scored,
    Unscored,
)
from userside.rubrics.judging import Exhibit
from userside.rubrics.learning.patterns import Extraction, Pattern
from userside.rubrics.learning.retrying import ask_anew
from userside.rubrics.rubric import Evidence, Side
from userside.rubrics.scoring import fit

QUOTE, REASON = "quote", "reason"
MOST_REASONS = 3
"""Reasons a conversation gives at most (SPUR, section 3.1)."""
LONGEST = 300
SHORT = 120
"""Characters of a turn up to which it is offered whole."""
MOST_SENTENCES = 100
_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟])\s*(?=\S)")
EXTRACTOR = Sampling(temperature=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracting:
    """How reasons are asked for.

    Attributes:
        prompts: The wording.
        most: Reasons a conversation gives at most.
        language: The language that they are to be written in, by its English name.
        retry: How often `--retry-unscored` was said.
    """

    prompts: PromptSet
    most: int = MOST_REASONS
    language: str = "English"
    retry: int = 0


async def extract_patterns(
    conversation: Conversation, labelled: LabelledText, model: Model, *, extracting: Extracting
) -> Extraction:
    """Return at most `most` patterns of one conversation, each with words of its user, or why there are none."""
    side = Side(labelled.label.value)
    seen = fit(conversation, model, until=labelled.until)
    exhibit = Exhibit(conversation=conversation, text=seen.text)
    found = _Found(conversation=conversation, labelled=labelled, side=side)
    question = Listing(
        fields=(QUOTE, REASON),
        key=REASON,
        most=extracting.most,
        quotes=QUOTE,
        max_chars=LONGEST,
        # A small model rewords what it should copy, or copies the assistant. One that is held to its schema token by
        # token can be offered the user's sentences to choose from.
        allowed={QUOTE: user_sentences(conversation, until=labelled.until)} if _is_small(model) else {},
        check=found.complaint,
    )
    request = extraction_request(exhibit, side, extracting=extracting)
    match await ask_anew(model, question, request, retries=extracting.retry):
        case Unscored(reason=reason, detail=detail):
            return Extraction(id=conversation.id, side=side, reason=reason, detail=detail)
        case Scored(value=entries):
            return found.extraction(entries, most=extracting.most)


def user_sentences(conversation: Conversation, *, until: int | None) -> tuple[str, ...]:
    """Return what the user said, sentence by sentence where a turn is long, each wording once."""
    turns = conversation.turns[:until] if until is not None else conversation.turns
    lines = [line for turn in turns if turn.speaker is Speaker.USER for line in turn.text.splitlines()]
    pieces = [piece for line in lines for piece in (_SENTENCE_END.split(line) if len(line) > SHORT else [line])]
    spoken = [" ".join(piece.split())[:LONGEST].strip() for piece in pieces]
    return tuple(dict.fromkeys(filter(None, spoken)))[:MOST_SENTENCES]


def _is_small(model: Model) -> bool:
    return model.capabilities.schema and model.capabilities.shares_prefix


def extraction_request(exhibit: Exhibit, side: Side, *, extracting: Extracting) -> Request:
    """Return the question about one conversation: the task first, which all of one label share."""
    prompts = extracting.prompts
    task = prompts["extract_system"].fill(feeling=side.value, most=str(extracting.most), language=extracting.language)
    return Request(
        messages=(
            Message(role=Role.SYSTEM, text=task),
            Message(role=Role.USER, text=prompts["extract"].fill(conversation=exhibit.text)),
        ),
        sampling=EXTRACTOR,
        subjects=exhibit.subjects,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Reasons held against the conversation they were found in."""

    conversation: Conversation
    labelled: LabelledText
    side: Side

    def turn_of(self, entry: Entry) -> int | None:
        quote = entry.get(QUOTE, "")
        return locate_quote(self.conversation, quote, until=self.labelled.until) if quote else None

    def complaint(self, entries: tuple[Entry, ...]) -> str:
        """Return what is wrong, without a word of the answer, which may quote a stranger."""
        wrong = [str(number) for number, entry in enumerate(entries, 1) if self.turn_of(entry) is None]
        if not wrong:
            return ""
        named = f"reason {wrong[0]}" if len(wrong) == 1 else f"reasons {', '.join(wrong)}"
        return (
            f"The words given for {named} are not in any of the user's turns. "
            "Copy the user's words exactly, and leave a reason out that they do not show."
        )

    def extraction(self, entries: tuple[Entry, ...], *, most: int) -> Extraction:
        patterns = [pattern for pattern in map(self._pattern, entries) if pattern is not None]
        return Extraction(
            id=self.conversation.id,
            side=self.side,
            patterns=tuple(patterns[:most]),
            unfounded=len(entries) - len(patterns),
            surplus=max(0, len(patterns) - most),
        )

    def _pattern(self, entry: Entry) -> Pattern | None:
        turn = self.turn_of(entry)
        if turn is None:
            return None
        evidence = Evidence(id=self.conversation.id, turn=turn, quote=entry[QUOTE])
        return Pattern(side=self.side, text=entry[REASON], evidence=evidence)
