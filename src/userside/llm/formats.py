"""A question as a JSON Schema, as words that ask for a format, and as a number of tokens.

Only one of schema and words is sent, so that a model never reads two instructions on one format. Nothing in the words
can be read as an answer: a model that only repeats them has answered nothing.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, assert_never

from userside.llm.questions import Choice, Listing, Number, Question, Record, Row, Text

ANSWER = "answer"
"""The one field that a question which is no record has in its schema."""
ENTRIES = "entries"
"""The one field of a listing's schema."""
NOTHING = "NONE"
"""How a model says in words that a listing has no entries."""

_PORTABLE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_CHARS_A_TOKEN = 2  # on the safe side: about 4 in English, 1 to 2 in other scripts
_FIELD_TOKENS = 8  # quotes, colons, indentation, the bar between two cells
_SPARE_TOKENS = 64


def schema_name(row: Row) -> str:
    """Return what a row is called in a schema: its key where every provider takes that name, else its number."""
    return row.key if _PORTABLE_NAME.fullmatch(row.key) else f"item_{row.number}"


def schema_of(question: Question) -> dict[str, Any]:
    """Return the JSON Schema of an answer: an object that strict modes take, in the order it is to be written.

    Ranges are in it, though many endpoints do not keep to them: what comes back is checked again.

    >>> schema_of(Number(low=1, high=5))["properties"]
    {'answer': {'type': 'integer', 'minimum': 1, 'maximum': 5}}
    """
    if isinstance(question, Listing):
        return _closed({ENTRIES: _schema(question)})
    return _schema(question if isinstance(question, Record) else Record(fields={ANSWER: question}))


def _schema(question: Question) -> dict[str, Any]:
    match question:
        case Choice(options=options):
            return {"type": "string", "enum": list(options)}
        case Number(low=low, high=high, whole=whole):
            return {"type": "integer" if whole else "number", "minimum": low, "maximum": high}
        case Text():
            return {"type": "string"}
        case Record():
            return _closed({schema_name(row): _schema(question.fields[row.key]) for row in question.rows})
        case Listing(fields=fields, most=most, allowed=allowed):
            chosen = {name: {"enum": list(texts)} for name, texts in allowed.items()}
            entry = _closed({name: {"type": "string", **chosen.get(name, {})} for name in fields})
            fewest = {"minItems": question.least} if question.least else {}
            return {"type": "array", "items": entry, **fewest, "maxItems": most}
        case _:
            assert_never(question)


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def words_of(question: Question) -> str:
    """Return the sentences that ask for the answer in a form that `read` takes.

    >>> print(words_of(Choice(options=("Yes", "No"))))
    Answer with one of these and nothing else: Yes or No.
    """
    match question:
        case Choice():
            return f"Answer with one of these and nothing else: {range_of(question)}."
        case Number() | Text():
            return f"Answer with {range_of(question)} and nothing else."
        case Listing(fields=fields):
            count = f"at most {question.most} lines" if question.most > 1 else "one line"
            form = " | ".join(f"<{name}>" for name in fields)
            return (
                f"Answer with {count} and nothing else, each in this form:\n{form}\nIf there is none, answer {NOTHING}."
            )
        case Record() if question.is_table:
            return _table_words(question)
        case Record(fields=fields) if any(isinstance(one, Record) for one in fields.values()):
            template = json.dumps(_template(question), ensure_ascii=False, indent=1)
            return f"Answer with one JSON object of this form and nothing else:\n{template}"
        case Record(fields=fields):
            lines = [f"{key}: <{range_of(one)}>" for key, one in fields.items()]
            return "\n".join(["Answer with these lines and nothing else:", *lines])


def _table_words(table: Record) -> str:
    cells = ["<number>", *(f"<{key}: {range_of(one)}>" for key, one in table.row.fields.items())]
    count = f"each of the {len(table.fields)} items" if len(table.fields) > 1 else "the item"
    items = "; ".join(f"{row.number} = {' '.join(row.key.split())}" for row in table.rows)
    wanted = f"Answer with one line for {count} and nothing else, in this form:"
    return f"{wanted}\n{' | '.join(cells)}\nThe items by number: {items}."


def range_of(question: Question) -> str:
    """Return in words what may be answered."""
    match question:
        case Choice(options=options):
            return _listed(options)
        case Number(low=low, high=high, whole=whole):
            return f"a {'whole ' if whole else ''}number from {low:g} to {high:g}"
        case Text(max_chars=most):
            return f"at most {most} characters of plain text"
        case Record():
            return "an object"
        case Listing(most=most):
            return f"a list of at most {most} entries"


def _template(question: Question) -> Any:
    if not isinstance(question, Record):
        return f"<{range_of(question)}>"
    return {schema_name(row): _template(question.fields[row.key]) for row in question.rows}


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}"


def output_tokens(question: Question) -> int:
    """Return how many tokens an answer may need, generously.

    >>> output_tokens(Choice(options=("Yes", "No"))) < output_tokens(Text(max_chars=400))
    True
    """
    return _tokens(question) + _SPARE_TOKENS


def _tokens(question: Question) -> int:
    match question:
        case Choice(options=options):
            return max(map(len, options)) // _CHARS_A_TOKEN + 1
        case Number():
            return _FIELD_TOKENS
        case Text(max_chars=most):
            return most // _CHARS_A_TOKEN + 1
        case Listing(fields=fields, most=most, max_chars=long):
            return most * sum(len(name) // _CHARS_A_TOKEN + _FIELD_TOKENS + long // _CHARS_A_TOKEN for name in fields)
        case Record(fields=fields):
            return sum(len(key) // _CHARS_A_TOKEN + _FIELD_TOKENS + _tokens(one) for key, one in fields.items())
