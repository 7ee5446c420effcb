"""What the fake endpoint says: a judge without a mind, who fills any JSON Schema from a hash of the question."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any, cast

type Json = Mapping[str, Any]

EVEN = 0.5
SENTENCE = "the user said so in plain words"
OPTIONS = ("Y", "N", "Yes", "No", "yes", "no", *(str(number) for number in range(11)))
"""Tokens that an answer read through its probabilities may begin with."""


def answer(body: Json) -> str:
    """Return the text of an answer: JSON that fits the schema of the request, else one of Y and N, else a number.

    >>> answer(
    ...     {
    ...         "messages": [{"role": "user", "content": "How many?"}],
    ...         "response_format": {
    ...             "type": "json_schema",
    ...             "json_schema": {
    ...                 "schema": {"type": "object", "properties": {"n": {"enum": [3]}}, "required": ["n"]}
    ...             },
    ...         },
    ...     }
    ... )
    '{"n":3}'
    """
    question = question_of(body)
    if (schema := schema_of(body)) is not None:
        filled = fill(schema, question=question, root=schema)
        return json.dumps(filled, ensure_ascii=False, separators=(",", ":"))
    if body.get("logprobs"):
        return "Y" if _fraction(question, "yes") > EVEN else "N"
    return str(_between(question, "score", 1, 10))


def question_of(body: Json) -> str:
    """Return a hash that is equal for attempts at one question: of model and messages up to the first assistant turn.

    Texts to embed count too. A re-ask, which carries the bad answer, and a retry with a larger output budget are
    attempts at the same question.
    """
    turns: list[str] = [str(body.get("model"))]
    for message in cast("list[Json]", body.get("messages") or []):
        if message.get("role") == "assistant":
            break
        turns.append(f"{message.get('role')}: {message.get('content')}")
    turns += [f"input: {body['input']}"] if "input" in body else []
    return hashlib.blake2b("\n".join(turns).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def schema_of(body: Json) -> Json | None:
    """Return the JSON Schema the request asks for, or None."""
    wanted: Json = body.get("response_format") or {}
    named: Json = wanted.get("json_schema") or {}
    return named.get("schema")


def fill(schema: Json, *, question: str, root: Json, path: str = "$") -> Any:
    """Return a value that fits `schema`; equal questions get equal values.

    Understands `type`, `enum`, `const`, `properties`, `items`, local `$ref`, bounds, lengths, and of `anyOf`, `oneOf`
    and `allOf` the first; all properties are filled, required or not.
    """
    schema = _resolve(schema, root)
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if choices is not None:
        return choices[_between(question, path, 0, len(choices) - 1)]
    match _type_of(schema):
        case "object":
            fields: Json = schema.get("properties") or {}
            return {
                name: fill(one, question=question, root=root, path=f"{path}.{name}") for name, one in fields.items()
            }
        case "array":
            return _fill_array(schema, question=question, root=root, path=path)
        case kind:
            return _fill_scalar(kind, schema, question=question, path=path)


def token_probabilities(body: Json) -> dict[str, float]:
    """Return P(first token) of `OPTIONS`, likeliest first, summing to 0.98; the likeliest is what `answer` says."""
    question, first = question_of(body), answer(body)
    top = 0.5 + 0.4 * _fraction(question, "confidence")
    others = [option for option in OPTIONS if option != first]
    weights = [0.05 + _fraction(question, option) for option in others]
    rest = (0.98 - top) / math.fsum(weights)
    ranked = sorted(zip(others, weights, strict=True), key=lambda pair: -pair[1])
    return {first: top, **{option: weight * rest for option, weight in ranked}}


def _resolve(schema: Json, root: Json) -> Json:
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return _resolve(schema[word][0], root)
    if "$ref" in schema:
        found: Any = root
        for step in str(schema["$ref"]).removeprefix("#/").split("/"):
            found = found[step]
        return _resolve(found, root)
    return schema


def _type_of(schema: Json) -> str:
    named = schema.get("type", "object" if "properties" in schema else "null")
    return named if isinstance(named, str) else named[0]


def _fill_scalar(kind: str, schema: Json, *, question: str, path: str) -> str | float | bool | None:
    match kind:
        case "integer":
            return _between(question, path, *_bounds(schema, step=1))
        case "number":
            low, high = _bounds(schema, step=0)
            return round(low + (high - low) * _fraction(question, path), 3)
        case "boolean":
            return _fraction(question, path) > EVEN
        case "string":
            return SENTENCE[: schema.get("maxLength")].ljust(schema.get("minLength", 0), ".")
        case _:
            return None


def _fill_array(schema: Json, *, question: str, root: Json, path: str) -> list[Any]:
    least = schema.get("minItems", 1)
    length = _between(question, path, least, min(schema.get("maxItems", least + 2), least + 2))
    items: Json = schema.get("items") or {}
    return [fill(items, question=question, root=root, path=f"{path}[{index}]") for index in range(length)]


def _bounds(schema: Json, *, step: int) -> tuple[int, int]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None:
        low = schema["exclusiveMinimum"] + step if "exclusiveMinimum" in schema else min(0, high or 0)
    if high is None:
        high = schema["exclusiveMaximum"] - step if "exclusiveMaximum" in schema else low + 10
    return low, high


def _fraction(question: str, path: str) -> float:
    digest = hashlib.blake2b(f"{path}\0{question}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def _between(question: str, path: str, low: int, high: int) -> int:
    return low + int(_fraction(question, path) * (high - low + 1))
