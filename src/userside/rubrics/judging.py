"""What a judge makes of one conversation: every item of a rubric, yes or no and how much (SPUR, section 3.3).

Two ways of asking. *By table*, one call holds the rubric first and the conversation last, and the judge fills in a
row for each item: a quote, yes or no, 1 to 10. *By tokens*, the conversation comes first and one item last, and the
probability of Yes as first token is read: a small model on two cores answers that in seconds, because the
conversation's prefix is kept between items, and the paper found that smaller models do not manage the table.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import batched
from typing import Any

from userside.conversations import Conversation, locate_quote
from userside.llm import (
    Elicited,
    Message,
    Model,
    Number,
    PromptSet,
    Question,
    Reason,
    Record,
    Request,
    Role,
    Sampling,
    Scored,
    Text,
    Unscored,
    Verdict,
    ask_question,
    yes_no,
)
from userside.rubrics.rubric import Rubric, RubricItem, Side
from userside.rubrics.scores import HIGHEST, ItemScore, ItemVerdict

ANSWER, SCORE, QUOTE = "answer", "score", "quote"
LONGEST_QUOTE = 300
JUDGE = Sampling(temperature=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How the judge is asked.

    Attributes:
        prompts: The wording.
        how: By schema, text or tokens; None lets the model's capabilities choose.
        items_per_call: How many items one call by table holds; small judges do better with fewer.
        answered_only: Compute R over the answered items where some are missing.
        retry: How often `--retry-unscored` was said: unscored questions are asked anew with each.
    """

    prompts: PromptSet
    how: Elicited | None = None
    items_per_call: int = 20
    answered_only: bool = False
    retry: int = 0

    def elicitation(self, model: Model) -> Elicited:
        """Return how this model will be asked at first."""
        can = model.capabilities
        if self.how is not None:
            return self.how
        if can.token_probabilities and can.shares_prefix:
            return Elicited.TOKENS
        return Elicited.SCHEMA if can.schema else Elicited.TEXT


def subjects_of(conversation: Conversation) -> frozenset[str]:
    """Return whose withdrawal takes a conversation away: its own, and its contributor's."""
    return frozenset({conversation.id, conversation.contributor or conversation.id})


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A conversation as the judge gets to see it: its text, and whom it is about."""

    conversation: Conversation
    text: str

    @property
    def subjects(self) -> frozenset[str]:
        """Return whose withdrawal deletes the answers."""
        return subjects_of(self.conversation)


async def judge_items(exhibit: Exhibit, rubric: Rubric, model: Model, *, judging: Judging) -> dict[str, ItemVerdict]:
    """Return each item's score, or why it has none, in the rubric's order."""
    ask = _ask_by_tokens if judging.elicitation(model) is Elicited.TOKENS else _ask_by_table
    ordered = (*rubric.side(Side.SATISFIED), *rubric.side(Side.DISSATISFIED))
    verdicts: dict[str, ItemVerdict] = {}
    for retry in range(judging.retry + 1):
        waiting = [item for item in ordered if _is_to_be_asked(verdicts.get(item.name))]
        if waiting:
            verdicts |= await ask(_Sitting(exhibit, model, judging, retry), waiting)
    return {item.name: verdicts[item.name] for item in rubric.items}


def _is_to_be_asked(verdict: ItemVerdict | None) -> bool:
    """Tell whether an item has no score; what waits for an answer is not asked anew beside it."""
    return verdict is None or (isinstance(verdict, Unscored) and not verdict.reason.is_open)


@dataclass(frozen=True, slots=True)
class _Sitting:
    """One judge before one exhibit, for the nth time."""

    exhibit: Exhibit
    model: Model
    judging: Judging
    retry: int

    @property
    def languages(self) -> tuple[str, ...]:
        language = self.exhibit.conversation.language
        return (language,) if language else ()

    async def ask(self, question: Question, request: Request, *, how: Elicited | None) -> Verdict[Any]:
        return await ask_question(self.model, question, replace(request, retry=self.retry), how=how)


# By tokens


async def _ask_by_tokens(sitting: _Sitting, items: Sequence[RubricItem]) -> dict[str, ItemVerdict]:
    async with asyncio.TaskGroup() as group:
        tasks = {item.name: group.create_task(_weigh(sitting, item)) for item in items}
    return {name: task.result() for name, task in tasks.items()}


async def _weigh(sitting: _Sitting, item: RubricItem) -> ItemVerdict:
    request = item_request(sitting.exhibit, item, judging=sitting.judging)
    verdict = await sitting.ask(yes_no(*sitting.languages), request, how=Elicited.TOKENS)
    if isinstance(verdict, Unscored):
        return verdict
    if verdict.probability is None:
        return Unscored(reason=Reason.NO_PROBABILITIES, detail="the judge answered without a probability")
    yes = verdict.probability if verdict.value == "Yes" else 1 - verdict.probability
    return ItemScore(score=HIGHEST * yes, yes=yes, elicited=Elicited.TOKENS)


def item_request(exhibit: Exhibit, item: RubricItem, *, judging: Judging) -> Request:
    """Return the question about one item: what all items share comes first, so that its prefix is kept."""
    prompts = judging.prompts
    text = prompts["judge_item"].fill(conversation=exhibit.text, statement=item.description)
    return Request(
        messages=(
            Message(role=Role.SYSTEM, text=prompts["judge_item_system"].fill()),
            Message(role=Role.USER, text=text),
        ),
        sampling=JUDGE,
        max_output=1,
        token_options=("Yes", "No"),
        subjects=exhibit.subjects,
    )


# By table


async def _ask_by_table(sitting: _Sitting, items: Sequence[RubricItem]) -> dict[str, ItemVerdict]:
    size = sitting.judging.items_per_call
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_fill_table(sitting, rows)) for rows in batched(items, size)]
    return {name: verdict for task in tasks for name, verdict in task.result().items()}


async def _fill_table(sitting: _Sitting, items: Sequence[RubricItem]) -> dict[str, ItemVerdict]:
    request = table_request(sitting.exhibit, items, judging=sitting.judging)
    match await sitting.ask(table_question(items, languages=sitting.languages), request, how=sitting.judging.how):
        case Unscored() as unscored:
            return {item.name: unscored for item in items}
        case Scored(value=rows):
            conversation = sitting.exhibit.conversation
            return {item.name: read_row(rows[item.name], conversation=conversation) for item in items}


def table_question(items: Sequence[RubricItem], *, languages: Sequence[str] = ()) -> Record:
    """Return the table to be filled in: evidence, then the answer, then the score."""
    row = Record(
        fields={
            QUOTE: Text(max_chars=LONGEST_QUOTE, optional=True),
            ANSWER: yes_no(*languages),
            SCORE: Number(low=0, high=HIGHEST),
        },
        check=complaint_about,
    )
    sizes = [sum(item.side is side for item in items) for side in Side]
    return Record(fields={item.name: row for item in items}, groups=tuple(size for size in sizes if size))


def table_request(exhibit: Exhibit, items: Sequence[RubricItem], *, judging: Judging) -> Request:
    """Return the question about many items: task and rubric, which all conversations share, come first."""
    prompts = judging.prompts
    numbered = {
        side: "\n".join(
            f"{number}. {item.name}: {item.description}" for number, item in enumerate(items, 1) if item.side is side
        )
        for side in Side
    }
    rubric = prompts["judge_table_system"].fill(
        satisfied=numbered[Side.SATISFIED] or "(none)", dissatisfied=numbered[Side.DISSATISFIED] or "(none)"
    )
    return Request(
        messages=(
            Message(role=Role.SYSTEM, text=rubric),
            Message(role=Role.USER, text=prompts["judge_table"].fill(conversation=exhibit.text)),
        ),
        sampling=JUDGE,
        subjects=exhibit.subjects,
    )


def complaint_about(row: Mapping[str, Verdict[Any]]) -> str:
    """Return what is wrong with a row, "" when nothing is: Yes needs a score from 1, No needs none."""
    match row.get(ANSWER), row.get(SCORE):
        case Scored(value="No"), _:
            return ""
        case Scored(value="Yes"), Scored(value=score) if score > 0:
            return ""
        case Scored(value="Yes"), Scored():
            return f"Yes needs a score from 1 to {HIGHEST}, not 0"
        case Scored(value="Yes"), Unscored(detail=detail):
            return f"Yes needs a score from 1 to {HIGHEST}" + (f" ({detail})" if detail else "")
        case _:
            return "wanted Yes or No"


def read_row(row: Verdict[Mapping[str, Verdict[Any]]], *, conversation: Conversation) -> ItemVerdict:
    """Return the score in a row; No is 0 whatever score stands beside it, and that is noted."""
    match row:
        case Unscored():
            return row
        case Scored(value=fields):
            answer, score, quote = fields[ANSWER], fields[SCORE], fields.get(QUOTE)
    if isinstance(answer, Unscored):
        return answer
    if answer.value == "No":
        given = score.value if isinstance(score, Scored) else 0
        return ItemScore(
            score=0, yes=0.0, note=f"No with a score of {given:g}" if given else None, elicited=row.elicited
        )
    if isinstance(score, Unscored):
        return score
    if not score.value:
        return Unscored(reason=Reason.CONTRADICTION, detail="Yes with a score of 0")
    words = quote.value if isinstance(quote, Scored) and quote.value else None
    turn = locate_quote(conversation, words) if words else None
    return ItemScore(score=score.value, yes=1.0, quote=words, turn=turn, elicited=row.elicited)
