"""One question put to one model, until there is a verdict.

Every attempt is an ordinary request with its own key, made from the question and the answers before it alone: with the
same stored answers the same question comes to the same verdict, and an interrupted one goes on where it stopped.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from userside.errors import AnswerPendingError, BudgetSpentError, RateLimitedError, RefusedError, TransientError
from userside.llm.exchange import Finish, Message, Reply, Request, Role
from userside.llm.formats import output_tokens, schema_of, words_of
from userside.llm.model import Model
from userside.llm.questions import Choice, Entry, Listing, Question, Record, Text
from userside.llm.reading import answer_text, read
from userside.llm.verdicts import Elicited, Reason, Scored, Unscored, Verdict

_MOST_QUOTED = 4000
_ASK_AGAIN = {
    Reason.EMPTY,
    Reason.TRUNCATED,
    Reason.UNREADABLE,
    Reason.OUT_OF_RANGE,
    Reason.CONTRADICTION,
    Reason.MISSING,
    Reason.ECHO,
}
_NO_SCHEMA = "schema"


async def ask_question(
    model: Model, question: Question, request: Request, *, how: Elicited | None = None, re_asks: int = 1
) -> Verdict[Any]:
    """Return the model's verdict, or why there is none.

    The format is added to the request: as a schema where the model takes one, else in words after its last message.
    An answer that ends at the output limit is asked for once more with twice the room. Then what is missing or
    unusable, and nothing else, is asked for again with what was wrong.

    Args:
        model: Who is asked.
        question: What a usable answer is.
        request: The prompt, without a word on the format. Its `max_output` is raised to what the question needs.
        how: The elicitation wanted; None takes a schema where there can be one. `TOKENS` works for a `Choice` on a
            model that returns token probabilities and falls back otherwise; the verdict says what was done.
        re_asks: How often to ask again for what is missing.

    Raises:
        userside.errors.AccessError: No call to this model can work.
        userside.errors.UnknownModelError: There is no such model.
    """
    asking = _Asking(model=model, how=_elicitation(model, question, how))
    said = await asking.ask(question, request)
    for _ in range(re_asks):
        faults = faults_of(question, said.verdict)
        if not faults or said.how is Elicited.TOKENS:
            break
        narrow = question.only(faults) if isinstance(question, Record) else question
        again = await asking.ask(narrow, _again(request, said.reply, list(faults.values())))
        said = replace(again, verdict=_merged(question, said.verdict, again.verdict, again=faults))
    return said.verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What came of one attempt; `reply` is None where the model did not answer."""

    verdict: Verdict[Any]
    how: Elicited
    reply: Reply | None = None


@dataclass(slots=True, kw_only=True)
class _Asking:
    """One question on its way: how it is elicited may change when the endpoint refuses a schema."""

    model: Model
    how: Elicited

    async def ask(self, question: Question, request: Request) -> _Said:
        """Return what the model says, with twice the room where it first ran out of it."""
        said = await self._ask_once(question, request)
        if said.reply is None or said.reply.finish is not Finish.LENGTH or self.how is Elicited.TOKENS:
            return said
        faults = faults_of(question, said.verdict)
        # A listing that was cut may have had more entries: nothing in it tells.
        if not faults and not isinstance(question, Listing):
            return said
        longer = await self._ask_once(question, replace(request, max_output=2 * _room(question, request)))
        verdict = _merged(question, said.verdict, longer.verdict, again=faults)
        return replace(longer, verdict=verdict, reply=longer.reply or said.reply)

    async def _ask_once(self, question: Question, request: Request) -> _Said:
        prepared = prepare(question, request, how=self.how)
        try:
            reply = await self.model.ask(prepared)
        except RefusedError as refusal:
            if refusal.reason == _NO_SCHEMA and self.how is Elicited.SCHEMA:
                self.how = Elicited.TEXT
                return await self._ask_once(question, request)
            return _Said(verdict=_unanswered(refusal), how=self.how)
        except (RateLimitedError, TransientError, AnswerPendingError, BudgetSpentError) as error:
            return _Said(verdict=_unanswered(error), how=self.how)
        sent = "\n".join(message.text for message in prepared.messages if message.role is not Role.ASSISTANT)
        return _Said(verdict=read(question, reply, prompt=sent, how=self.how), how=self.how, reply=reply)


def _elicitation(model: Model, question: Question, how: Elicited | None) -> Elicited:
    can = model.capabilities
    if how is Elicited.TOKENS and isinstance(question, Choice) and can.token_probabilities:
        return Elicited.TOKENS
    return Elicited.SCHEMA if can.schema and how is not Elicited.TEXT else Elicited.TEXT


def prepare(question: Question, request: Request, *, how: Elicited) -> Request:
    """Return the request as it is sent: with a schema, or with the format in words; with room for the answer.

    >>> from userside.llm import Number
    >>> bare = Request(messages=(Message(role=Role.USER, text="How good?"),))
    >>> print(prepare(Number(low=1, high=5), bare, how=Elicited.TEXT).messages[-1].text)
    How good?
    <BLANKLINE>
    Answer with a whole number from 1 to 5 and nothing else.
    """
    if how is Elicited.SCHEMA:
        return replace(request, schema=schema_of(question), max_output=_room(question, request))
    worded = _with_words(request, words_of(question))
    if how is Elicited.TOKENS and isinstance(question, Choice):
        return replace(worded, token_options=question.options, max_output=1)
    return replace(worded, max_output=_room(question, request))


def _room(question: Question, request: Request) -> int:
    return max(request.max_output, output_tokens(question))


def _with_words(request: Request, words: str) -> Request:
    *before, last = request.messages or (Message(role=Role.USER, text=""),)
    if last.role is not Role.USER:
        return request.then(Message(role=Role.USER, text=words))
    joined = Message(role=Role.USER, text=f"{last.text}\n\n{words}".lstrip())
    return replace(request, messages=(*before, joined))


def _again(request: Request, reply: Reply | None, faults: list[str]) -> Request:
    """Return the request followed by the answer and what is wrong with it."""
    wrong = " ".join(["That answer cannot be used as it stands.", *faults])
    answer = answer_text(reply)[:_MOST_QUOTED] if reply is not None else ""
    if not answer:  # some endpoints refuse a message without text
        return _with_words(request, f"An earlier answer could not be used. {' '.join(faults)}")
    return request.then(Message(role=Role.ASSISTANT, text=answer), Message(role=Role.USER, text=wrong))


def faults_of(question: Question, verdict: Verdict[Any]) -> Mapping[str, str]:
    """Return what is wrong with a verdict and worth asking again, by field of a record; "" is the whole answer.

    A fault names fields and reasons. It never quotes the answer, which may quote a stranger.
    """
    match question, verdict:
        case _, Unscored(reason=reason) if reason not in _ASK_AGAIN:
            return {}
        case Record(fields=fields), Unscored(reason=reason):
            return dict.fromkeys(fields, "") | {next(iter(fields)): _SENTENCES[reason]}
        case Listing(check=check), Scored(value=entries) if check is not None:
            wrong = check(cast("tuple[Entry, ...]", entries))
            return {"": wrong} if wrong else {}
        case Record(), Scored(value=values):
            return _faults_of_fields(question, cast("Mapping[str, Verdict[Any]]", values))
        case _, Unscored(reason=reason):
            return {"": _SENTENCES[reason]}
        case _:
            return {}


def _faults_of_fields(record: Record, values: Mapping[str, Verdict[Any]]) -> dict[str, str]:
    if not record.is_table and record.check is not None:
        wrong = record.check(values)
        return dict.fromkeys(record.fields, "") | {next(iter(record.fields)): wrong} if wrong else {}
    faults: dict[str, str] = {}
    for row in record.rows:
        wrong = _fault(record.fields[row.key], values[row.key])
        name = f"item {row.number} ({row.key})" if record.is_table else row.key
        faults |= {row.key: f"For {name}: {wrong}"} if wrong else {}
    return faults


def _fault(question: Question, verdict: Verdict[Any]) -> str:
    if isinstance(question, Text) and question.optional:
        return ""
    return " ".join(filter(None, dict.fromkeys(faults_of(question, verdict).values())))


_SENTENCES: Mapping[Reason, str] = {
    Reason.EMPTY: "There was no answer.",
    Reason.TRUNCATED: "The answer was cut off.",
    Reason.UNREADABLE: "The answer was not in the form that was asked for.",
    Reason.OUT_OF_RANGE: "The number was outside the range.",
    Reason.CONTRADICTION: "There were two different answers.",
    Reason.MISSING: "The answer was missing.",
    Reason.ECHO: "The question was repeated instead of answered.",
}


def _merged(question: Question, before: Verdict[Any], after: Verdict[Any], *, again: Mapping[str, str]) -> Verdict[Any]:
    """Return the verdict with what was asked again replaced, where the new answer says more than the old."""
    if not isinstance(question, Record):
        # A list that was too long, or wrong in part, is better than the NONE of a model that was told so.
        lost = isinstance(question, Listing) and isinstance(before, Scored) and after == replace(before, value=())
        return after if (isinstance(after, Scored) and not lost) or _is_open(after) else before
    old, new = _fields(question, before), _fields(question, after)
    if _answers_all(question, after):
        return after  # one answer whole rather than two in halves
    if question.check is not None and not question.is_table and isinstance(before, Scored):
        return before  # fields that were checked together are not taken apart
    chosen = {key: _better(question.fields[key], old[key], new[key]) if key in again else old[key] for key in old}
    if not any(isinstance(one, Scored) for one in chosen.values()):
        return after if _is_open(after) else before
    how = next(one.elicited for one in (after, before) if isinstance(one, Scored))
    return Scored(value=chosen, elicited=how)


def _answers_all(record: Record, verdict: Verdict[Any]) -> bool:
    return isinstance(verdict, Scored) and set(verdict.value) == set(record.fields) and not faults_of(record, verdict)


def _fields(record: Record, verdict: Verdict[Any]) -> dict[str, Verdict[Any]]:
    if isinstance(verdict, Unscored):
        return dict.fromkeys(record.fields, verdict)
    values = cast("Mapping[str, Verdict[Any]]", verdict.value)
    return {key: values.get(key, Unscored(reason=Reason.MISSING)) for key in record.fields}


def _better(question: Question, old: Verdict[Any], new: Verdict[Any]) -> Verdict[Any]:
    if isinstance(new, Scored) and (isinstance(old, Unscored) or not faults_of(question, new)):
        return new
    return new if _is_open(new) else old


def _is_open(verdict: Verdict[Any]) -> bool:
    return isinstance(verdict, Unscored) and verdict.reason.is_open


def _unanswered(error: Exception) -> Unscored:
    match error:
        case RefusedError(reason=reason) | TransientError(reason=reason) if reason in set(Reason):
            return Unscored(reason=Reason(reason), detail=str(error))
        case RateLimitedError():
            return Unscored(reason=Reason.RATE_LIMITED, detail=str(error))
        case AnswerPendingError():
            return Unscored(reason=Reason.PENDING, detail=str(error))
        case BudgetSpentError():
            return Unscored(reason=Reason.BUDGET, detail=str(error))
        case TransientError():
            return Unscored(reason=Reason.SERVER_ERROR, detail=str(error))
        case _:
            return Unscored(reason=Reason.BAD_REQUEST, detail=str(error))
