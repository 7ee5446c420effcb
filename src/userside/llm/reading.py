"""What a reply says in answer to a question: a value, or why there is none. Nothing here asks anybody anything."""

import math
import re
from typing import Any, cast

from userside.llm.answers_json import by_name, objects_in, parsed
from userside.llm.exchange import Finish, Reply
from userside.llm.formats import ANSWER
from userside.llm.listings import read_listing
from userside.llm.questions import Choice, Field, Listing, Number, Question, Record, Text
from userside.llm.records import read_record, record_verdict
from userside.llm.replies import Echo, is_refusal, without_thinking
from userside.llm.values import read_value
from userside.llm.verdicts import Elicited, Reason, Scored, Unscored, Verdict

LEAST_MASS = 0.2
"""Where the options together are less probable than this as first token, the model was about to say something else."""

_LONG_SPACE = re.compile(r"\s{20,}")  # what a constrained model writes when it has lost its way
_HEAD = re.compile(r"(?P<head>.+?)(?:[.,;:!，。：；]\s+|[，。：；]|\s+[-–—]+\s+|\s*[(（])(?P<rest>.*)", re.DOTALL)
_LAST_WORD = re.compile(r"\S+\Z")
_LABELLED = re.compile(
    r"\b(?:answer|verdict|score|rating|judge?ment|result|antwort|respuesta|réponse|risposta|ответ|оценка)\b[*_`\"']*"
    r"\s*(?:is|:|=|：)[\s*_`\"'(]*(?P<value>.+)",
    re.IGNORECASE,
)


def read(question: Question, reply: Reply, *, prompt: str = "", how: Elicited = Elicited.TEXT) -> Verdict[Any]:
    """Return what the reply says, or why it says nothing usable; it never raises, whatever the reply is.

    The value of a `Choice` or `Text` is a str, of a `Number` an int or float, of a `Record` a dict that holds a
    verdict for every field, of a `Listing` a tuple of entries. Where several verdicts are given the last one stands.

    >>> read(Number(low=1, high=10), Reply(text="<think>9 or 4?</think>Score: 4/10")).value
    4

    Args:
        question: What was asked.
        reply: What came.
        prompt: What was sent, without earlier answers of the model: what repeats it is not read.
        how: How the answer was elicited; `SCHEMA` says that it was constrained, `TOKENS` that only the probabilities
            of its first token count.
    """
    if reply.finish is Finish.CONTENT_FILTER:
        return Unscored(reason=Reason.CONTENT_FILTER, detail="the endpoint filtered the answer")
    if how is Elicited.TOKENS:
        return _read_probabilities(question, reply)
    text = answer_text(reply)
    is_cut = reply.finish is Finish.LENGTH
    if not text:
        return Unscored(reason=Reason.TRUNCATED if is_cut else Reason.EMPTY, detail="the answer holds no text")
    echo = Echo.of(prompt)
    if isinstance(question, Listing):
        return read_listing(question, text, echo=echo, how=how, is_cut=is_cut)
    if how is not Elicited.SCHEMA and echo.is_all_of(text):
        return Unscored(reason=Reason.ECHO, detail="the answer repeats the prompt")
    verdict = _read_text(question, text, echo=echo, how=how, is_cut=is_cut)
    return _truncated(verdict) if is_cut else verdict


def answer_text(reply: Reply) -> str:
    """Return what the model answered, without its reasoning. JSON is left as it is: a tag in it is quoted."""
    text = _LONG_SPACE.sub(lambda space: "\n" if "\n" in space[0] else " ", reply.text).strip()
    return text if parsed(text) else without_thinking(text)


def _read_text(question: Field, text: str, *, echo: Echo, how: Elicited, is_cut: bool) -> Verdict[Any]:
    if isinstance(question, Text):
        verdict = _read_free_text(question, text, echo=echo, how=how)
        is_short = isinstance(verdict, Scored) and len(verdict.value) < question.max_chars
        return Unscored(reason=Reason.UNREADABLE) if is_cut and is_short else verdict
    own = text if how is Elicited.SCHEMA or parsed(text) else echo.removed_from(text).strip()
    if not own:
        return Unscored(reason=Reason.ECHO, detail="the answer repeats the prompt")
    if isinstance(question, Record):
        verdict = record_verdict(read_record(question, _complete(own) if is_cut else own, echo=echo, how=how), how=how)
        return _explained(verdict, text)
    if is_refusal(own):
        return _explained(Unscored(reason=Reason.UNREADABLE), text)
    return _read_scalar(question, _LAST_WORD.sub("", own) if is_cut else own, echo=echo, how=how)


def _read_free_text(question: Text, text: str, *, echo: Echo, how: Elicited) -> Verdict[str]:
    whole = parsed(text)
    value = by_name(whole.value).get(ANSWER) if whole else None
    if isinstance(value, str):
        text = value
    if is_refusal(text):
        return Unscored(reason=Reason.REFUSED, detail=text[:200])
    if not text.strip():
        return Unscored(reason=Reason.MISSING)
    own = echo.after_prompt(text).strip()
    return read_value(question, own, how=how) if own else Unscored(reason=Reason.ECHO)


def _read_scalar(question: Choice | Number, text: str, *, echo: Echo, how: Elicited) -> Verdict[Any]:
    found = objects_in(text)
    objects = [by_name(one.value) for one in found if how is Elicited.SCHEMA or not echo.has(one.text)]
    if found and not objects:
        return Unscored(reason=Reason.ECHO, detail="the answer repeats what stands in the prompt")
    answers = [one.get(ANSWER, next(iter(one.values()))) for one in objects if ANSWER in one or len(one) == 1]
    if answers:
        return read_value(question, answers[-1], how=how)
    if objects:
        return Unscored(reason=Reason.UNREADABLE, detail=f"no answer in {text[:80]!r}")
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    for line in reversed(lines):
        whole = read_value(question, line, how=how)
        labelled = _LABELLED.search(line)
        if labelled is not None and isinstance(whole, Unscored):
            return _read_head(question, labelled["value"], how=how)
        if _is_value(whole):
            return whole
    return _read_head(question, lines[0], how=how)


def _read_head(question: Choice | Number, text: str, *, how: Elicited) -> Verdict[Any]:
    """Return the value that stands at the beginning, before punctuation; `Y or N` and `1 - 10` hold none."""
    whole = read_value(question, text, how=how)
    parts = _HEAD.match(text)
    if _is_value(whole) or parts is None:
        return whole
    head = read_value(question, parts["head"], how=how)
    after = _HEAD.match(parts["rest"])
    following = read_value(question, after["head"] if after else parts["rest"], how=how)
    if _is_value(head) and _is_value(following):
        return Unscored(reason=Reason.UNREADABLE, detail=f"several answers in {text[:80]!r}")
    return head


def _is_value(verdict: Verdict[Any]) -> bool:
    return isinstance(verdict, Scored) or verdict.reason is Reason.OUT_OF_RANGE


def _explained(verdict: Verdict[Any], text: str) -> Verdict[Any]:
    """Return the verdict; where nothing at all was read, say whether the model declined."""
    if isinstance(verdict, Scored) or verdict.reason not in {Reason.MISSING, Reason.UNREADABLE}:
        return verdict
    if is_refusal(text):
        return Unscored(reason=Reason.REFUSED, detail=text[:200])
    return Unscored(reason=Reason.UNREADABLE, detail=verdict.detail or f"no answer in {text[:80]!r}")


def _complete(text: str) -> str:
    """Return a cut answer without its last line, which may be cut too; JSON is cut where it is salvaged."""
    return text if text.lstrip("`json \n").startswith(("{", "[")) else text.rpartition("\n")[0]


def _truncated(verdict: Verdict[Any]) -> Verdict[Any]:
    """Return the verdict of an answer that ended at the output limit: what is not in it may have been cut off."""
    match verdict:
        case Unscored(reason=Reason.MISSING | Reason.UNREADABLE):
            return Unscored(reason=Reason.TRUNCATED, detail="the answer ended at the output limit")
        case Scored(elicited=how) if isinstance(cast("object", verdict.value), dict):
            fields = cast("dict[str, Verdict[Any]]", verdict.value)
            return Scored(value={name: _truncated(one) for name, one in fields.items()}, elicited=how)
        case _:
            return verdict


def _read_probabilities(question: Question, reply: Reply) -> Verdict[str]:
    if not isinstance(question, Choice) or reply.option_probabilities is None:
        return Unscored(reason=Reason.NO_PROBABILITIES, detail="the endpoint returned no token probabilities")
    given = {option: reply.option_probabilities.get(option, 0.0) for option in question.options}
    given = {option: p if math.isfinite(p) and p > 0 else 0.0 for option, p in given.items()}
    mass = sum(given.values())
    if mass < LEAST_MASS:
        detail = f"the options have {mass:.3f} of the probability of the first token, less than {LEAST_MASS}"
        return Unscored(reason=Reason.NO_PROBABILITIES, detail=detail)
    best = max(given, key=lambda option: given[option])
    return Scored(value=best, probability=given[best] / mass, elicited=Elicited.TOKENS)
