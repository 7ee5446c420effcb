"""What a question looks like when it is sent: its schema, its words, its room."""

from typing import Any

import jsonschema
import pytest
from inline_snapshot import snapshot

from userside.llm import Number, Question, Record, Reply, Text, Unscored, read, yes_no
from userside.llm.formats import schema_of, words_of

YES_NO = yes_no()
SCORE = Number(low=1, high=10)
ROW = Record(fields={"evidence": Text(max_chars=200, optional=True), "answer": YES_NO, "score": Number(low=0, high=10)})
TABLE = Record(fields={"thanks": ROW, "says: no": ROW, "praise": ROW})
QUESTIONS: list[Question] = [
    YES_NO,
    SCORE,
    Text(max_chars=40),
    ROW,
    TABLE,
    Record(fields={"why": Text(max_chars=9), "items": TABLE}),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: type(question).__name__)
def test_a_schema_is_one_that_strict_modes_take(question: Question):
    schema = schema_of(question)
    jsonschema.Draft202012Validator.check_schema(schema)
    check_strict(schema)


def check_strict(schema: dict[str, Any]) -> None:
    if schema["type"] == "object":
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])
        assert all(name.isascii() and len(name) <= 64 for name in schema["properties"])
        for one in schema["properties"].values():
            check_strict(one)


def test_a_schema_names_a_row_by_number_where_its_key_is_none_for_all_providers():
    assert list(schema_of(TABLE)["properties"]) == ["thanks", "item_2", "praise"]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: type(question).__name__)
@pytest.mark.parametrize("prompt", [True, False], ids=["with the prompt", "without"])
def test_the_words_for_a_format_are_no_answer(question: Question, prompt: bool):
    verdict = read(question, Reply(text=words_of(question)), prompt=words_of(question) if prompt else "")
    if prompt or not isinstance(question, Text):
        assert isinstance(verdict, Unscored), verdict


def test_words_for_every_kind_of_question():
    assert "\n---\n".join(map(words_of, QUESTIONS)) == snapshot("""\
Answer with one of these and nothing else: Yes or No.
---
Answer with a whole number from 1 to 10 and nothing else.
---
Answer with at most 40 characters of plain text and nothing else.
---
Answer with these lines and nothing else:
evidence: <at most 200 characters of plain text>
answer: <Yes or No>
score: <a whole number from 0 to 10>
---
Answer with one line for each of the 3 items and nothing else, in this form:
<number> | <evidence: at most 200 characters of plain text> | <answer: Yes or No> | <score: a whole number from 0 to 10>
The items by number: 1 = thanks; 2 = says: no; 3 = praise.
---
Answer with one JSON object of this form and nothing else:
{
 "why": "<at most 9 characters of plain text>",
 "items": {
  "thanks": {
   "evidence": "<at most 200 characters of plain text>",
   "answer": "<Yes or No>",
   "score": "<a whole number from 0 to 10>"
  },
  "item_2": {
   "evidence": "<at most 200 characters of plain text>",
   "answer": "<Yes or No>",
   "score": "<a whole number from 0 to 10>"
  },
  "praise": {
   "evidence": "<at most 200 characters of plain text>",
   "answer": "<Yes or No>",
   "score": "<a whole number from 0 to 10>"
  }
 }
}\
""")
