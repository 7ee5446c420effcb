# ruff: noqa: E501 - a case is one line
"""How a question is put: the format, the second attempts, and what becomes of errors."""

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import pytest
from inline_snapshot import snapshot

from userside.errors import (
    AccessError,
    AnswerPendingError,
    BudgetSpentError,
    ModelError,
    RateLimitedError,
    RefusedError,
    TransientError,
    UnknownModelError,
)
from userside.llm import (
    Capabilities,
    Choice,
    Elicited,
    Finish,
    Message,
    Number,
    Question,
    Reason,
    Record,
    Reply,
    Request,
    Role,
    Scored,
    ScriptedModel,
    Text,
    Unscored,
    Verdict,
    ask_question,
    yes_no,
)
from userside.llm.formats import output_tokens, schema_of

BARE = Request(
    messages=(Message(role=Role.SYSTEM, text="You judge."), Message(role=Role.USER, text="User: thanks a lot"))
)
YES_NO = yes_no()
SCORE = Number(low=1, high=10)
ROW = Record(fields={"evidence": Text(max_chars=200, optional=True), "answer": YES_NO, "score": Number(low=0, high=10)})
TABLE = Record(fields={"thanks": ROW, "says: no": ROW, "praise": ROW})
AS_TEXT = Capabilities(schema=False)


def told(verdict: Verdict[Any]) -> object:
    match verdict:
        case Unscored(reason=reason):
            return reason
        case Scored(value=value) if isinstance(cast("object", value), dict):
            fields = cast("dict[str, Verdict[Any]]", value)
            return {name: told(one) for name, one in fields.items() if name != "evidence"}
        case Scored(value=value):
            return value


def ask(model: Any, question: Question, **how: Any) -> object:
    return told(asyncio.run(ask_question(model, question, BARE, **how)))


def text_model(*answers: "Reply | str | ModelError") -> ScriptedModel:
    return ScriptedModel(answers, capabilities=AS_TEXT)


def last_words(model: ScriptedModel) -> str:
    return model.asked[-1].messages[-1].text


class Raising:
    """A model that raises what is no `ModelError`, after the answers it was given."""

    identity = "raising"
    capabilities = AS_TEXT

    def __init__(self, error: Exception, *answers: str) -> None:
        self.error, self.answers = error, list(answers)

    async def ask(self, request: Request) -> Reply:
        del request
        if not self.answers:
            raise self.error
        return Reply(text=self.answers.pop(0))


def test_asks_in_words_where_no_schema_is_taken():
    model = text_model("8")
    assert ask(model, SCORE) == 8
    assert model.asked[0].schema is None
    assert last_words(model) == snapshot(
        """\
User: thanks a lot

Answer with a whole number from 1 to 10 and nothing else.\
"""
    )


def test_asks_by_schema_without_a_word_on_the_format():
    model = ScriptedModel(['{"answer": 8}'])
    verdict = asyncio.run(ask_question(model, SCORE, BARE))
    assert (told(verdict), cast("Scored[int]", verdict).elicited) == (8, Elicited.SCHEMA)
    assert model.asked[0].messages == BARE.messages
    assert model.asked[0].schema == schema_of(SCORE)


def test_asks_for_probabilities_of_the_options_alone():
    reply = Reply(text="Yes", finish=Finish.LENGTH, option_probabilities={"Yes": 0.75, "No": 0.25})
    model = ScriptedModel([reply], capabilities=Capabilities(token_probabilities=True))
    verdict = asyncio.run(ask_question(model, YES_NO, BARE, how=Elicited.TOKENS))
    assert verdict == Scored(value="Yes", probability=0.75, elicited=Elicited.TOKENS)
    (asked,) = model.asked
    assert (asked.token_options, asked.max_output, asked.schema) == (("Yes", "No"), 1, None)


def test_does_not_ask_again_for_probabilities():
    model = ScriptedModel(
        [Reply(text="", option_probabilities={})], capabilities=Capabilities(token_probabilities=True)
    )
    assert ask(model, YES_NO, how=Elicited.TOKENS) == Reason.NO_PROBABILITIES


@pytest.mark.parametrize("question", [YES_NO, SCORE])
def test_falls_back_where_there_are_no_probabilities(question: Question):
    model = text_model("Yes" if isinstance(question, Choice) else "8")
    assert isinstance(asyncio.run(ask_question(model, question, BARE, how=Elicited.TOKENS)), Scored)
    assert model.asked[0].token_options == ()


def test_text_can_be_insisted_on():
    model = ScriptedModel(["8"])
    assert ask(model, SCORE, how=Elicited.TEXT) == 8
    assert model.asked[0].schema is None


def test_falls_to_text_when_the_schema_is_refused():
    model = ScriptedModel(
        [RefusedError("no response_format here", reason="schema"), "1 | Y | 8\n2 | N | 0", "3 | N | 0"]
    )
    assert ask(model, TABLE) == {
        "thanks": {"answer": "Yes", "score": 8},
        "says: no": {"answer": "No", "score": 0},
        "praise": {"answer": "No", "score": 0},
    }
    assert [request.schema is None for request in model.asked] == [False, True, True]


def test_asks_again_for_what_is_missing_alone():
    model = text_model("1 | thanks a lot | Y | 8\n3 | - | Y | 11", "2 | - | N | 0\n3 | great | Y | 9")
    assert ask(model, TABLE) == {
        "thanks": {"answer": "Yes", "score": 8},
        "says: no": {"answer": "No", "score": 0},
        "praise": {"answer": "Yes", "score": 9},
    }
    assert [message.role for message in model.asked[1].messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]
    assert last_words(model) == snapshot(
        """\
That answer cannot be used as it stands. For item 2 (says: no): The answer was missing. For item 3 (praise): For score: The number was outside the range.

Answer with one line for each of the 2 items and nothing else, in this form:
<number> | <evidence: at most 200 characters of plain text> | <answer: Yes or No> | <score: a whole number from 0 to 10>
The items by number: 2 = says: no; 3 = praise.\
"""
    )


def test_what_was_answered_once_stands_when_asking_again_brings_nothing():
    model = text_model("1 | Y | 8", "I have said all I know.")
    assert ask(model, TABLE) == {
        "thanks": {"answer": "Yes", "score": 8},
        "says: no": Reason.MISSING,
        "praise": Reason.MISSING,
    }


@pytest.mark.parametrize(("re_asks", "calls"), [(0, 1), (1, 2), (3, 4)])
def test_asks_again_as_often_as_allowed(re_asks: int, calls: int):
    model = text_model(*["good"] * calls)
    assert ask(model, SCORE, re_asks=re_asks) == Reason.UNREADABLE
    assert len(model.asked) == calls


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("11", "The number was outside the range."),
        ("good", "The answer was not in the form that was asked for."),
        ("3, 4", "The answer was not in the form that was asked for."),
        ("", "There was no answer."),
        ("<think>8", "There was no answer."),
    ],
)
def test_says_what_was_wrong(first: str, said: str):
    model = text_model(first, "7")
    assert ask(model, SCORE) == 7
    assert said in last_words(model)


def test_never_sends_an_empty_message():
    model = text_model("", "7")
    ask(model, SCORE)
    assert all(message.text for message in model.asked[1].messages)
    assert len(model.asked[1].messages) == 2


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("I'm sorry, but I can't rate people.", Reason.REFUSED),
        (Reply(text="", finish=Finish.CONTENT_FILTER), Reason.CONTENT_FILTER),
    ],
)
def test_a_refusal_is_an_answer(answer: "Reply | str", expected: Reason):
    model = text_model(answer)
    assert ask(model, SCORE) == expected


def test_a_cut_answer_gets_twice_the_room_once():
    model = text_model(Reply(text="1 | Y | 8\n2 |", finish=Finish.LENGTH), "1 | Y | 7\n2 | N | 0\n3 | N | 0")
    assert ask(model, TABLE) == {
        "thanks": {"answer": "Yes", "score": 7},
        "says: no": {"answer": "No", "score": 0},
        "praise": {"answer": "No", "score": 0},
    }
    assert model.asked[1].max_output == 2 * model.asked[0].max_output
    assert model.asked[1].messages == model.asked[0].messages


def test_an_answer_that_is_cut_again_and_again_keeps_its_rows():
    cut = Reply(text="1 | Y | 8\n2 | N", finish=Finish.LENGTH)
    model = text_model(cut, cut, cut, cut)
    assert ask(model, TABLE) == {
        "thanks": {"answer": "Yes", "score": 8},
        "says: no": Reason.TRUNCATED,
        "praise": Reason.TRUNCATED,
    }


def test_a_cut_answer_that_is_whole_is_not_asked_again():
    model = text_model(Reply(text="Yes, because the user says at the", finish=Finish.LENGTH))
    assert ask(model, YES_NO) == "Yes"


def test_the_room_fits_the_question():
    model = text_model("1|Y|1\n2|Y|1\n3|Y|1")
    ask(model, TABLE)
    assert model.asked[0].max_output == max(BARE.max_output, output_tokens(TABLE))
    assert output_tokens(Record(fields=dict.fromkeys(map(str, range(20)), ROW))) > 20 * 100


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RefusedError("too long", reason="context_window"), Reason.CONTEXT_WINDOW),
        (RefusedError("filtered", reason="content_filter"), Reason.CONTENT_FILTER),
        (RefusedError("malformed", reason="bad_request"), Reason.BAD_REQUEST),
        (RefusedError("withdrawn", reason="forgotten"), Reason.FORGOTTEN),
        (RefusedError("text, and still no schema", reason="schema"), Reason.BAD_REQUEST),
        (RateLimitedError("slow down"), Reason.RATE_LIMITED),
        (TransientError("late", reason="timeout"), Reason.TIMEOUT),
        (TransientError("500", reason="server_error"), Reason.SERVER_ERROR),
        (TransientError("reset", reason="connection"), Reason.CONNECTION),
    ],
    ids=lambda case: getattr(case, "reason", None),
)
def test_an_error_is_a_reason(error: ModelError, reason: Reason):
    model = text_model(error)
    verdict = asyncio.run(ask_question(model, SCORE, BARE))
    assert verdict == Unscored(reason=reason, detail=str(error))


@pytest.mark.parametrize(
    ("error", "reason"), [(AnswerPendingError("awaited"), Reason.PENDING), (BudgetSpentError("spent"), Reason.BUDGET)]
)
def test_what_waits_is_open(error: Exception, reason: Reason):
    assert ask(Raising(error), SCORE) == reason
    assert ask(Raising(error, "1 | Y | 8"), TABLE) == {
        "thanks": {"answer": "Yes", "score": 8},
        "says: no": reason,
        "praise": reason,
    }
    assert ask(Raising(error, "good"), SCORE) == reason


@pytest.mark.parametrize("error", [AccessError("no key"), UnknownModelError("no such model")])
def test_what_would_stop_every_call_stops_this_one(error: ModelError):
    with pytest.raises(type(error), match=str(error)):
        ask(text_model(error), SCORE)


def yes_needs_a_score(row: "Mapping[str, Verdict[Any]]") -> str:
    answer, score = row["answer"], row["score"]
    if not isinstance(answer, Scored):
        return "The answer was not Yes or No."
    if answer.value == "Yes" and not (isinstance(score, Scored) and score.value >= 1):
        return "A Yes needs a score from 1 to 10."
    return ""


CHECKED = Record(fields=ROW.fields, check=yes_needs_a_score)


def test_a_check_decides_what_is_asked_again():
    model = text_model("1 | N | N/A\n2 | Y | 0", "2 | Y | 4")
    verdict = ask(model, Record(fields={"a": CHECKED, "b": CHECKED}))
    assert verdict == {"a": {"answer": "No", "score": Reason.UNREADABLE}, "b": {"answer": "Yes", "score": 4}}
    assert "For item 2 (b): A Yes needs a score from 1 to 10." in last_words(model)


@pytest.mark.parametrize(
    ("second", "expected"),
    [("answer: No\nscore: 0", {"answer": "No", "score": 0}), ("answer: Yes\nscore: 0", {"answer": "Yes", "score": 0})],
)
def test_fields_checked_together_stay_together(second: str, expected: object):
    model = text_model("answer: Yes\nscore: 0", second)
    assert ask(model, CHECKED) == expected


def test_the_same_answers_come_to_the_same_verdict():
    kept: dict[str, str] = {}
    answers = iter(["1 | Y | 8", "2 | N | 0\n3 | Y | 11"])

    def remembered(request: Request) -> str:
        key = request.key("judge")
        if key not in kept:
            kept[key] = next(answers)
        return kept[key]

    first, second = (ScriptedModel(remembered, capabilities=AS_TEXT) for _ in range(2))
    assert ask(first, TABLE) == ask(second, TABLE)
    assert [one.key("judge") for one in first.asked] == [one.key("judge") for one in second.asked] == list(kept)


def test_the_earlier_answer_is_not_taken_for_the_prompt():
    model = text_model(
        "1 | thanks a lot | Y | 8\n2 | - | N | 0", "1 | thanks a lot | Y | 8\n2 | - | N | 0\n3 | - | N | 0"
    )
    assert ask(model, TABLE) == {
        "thanks": {"answer": "Yes", "score": 8},
        "says: no": {"answer": "No", "score": 0},
        "praise": {"answer": "No", "score": 0},
    }
