"""The fake endpoint itself: it answers, it fails as told, it counts."""

import asyncio
import json
import re
import subprocess
import sys
import urllib.request
from collections import Counter
from typing import Any

import aiohttp
import jsonschema
import pytest

from userside.llm.fake_server import (
    Behaviour,
    FakeServer,
    FakeServerThread,
    Fault,
    Lasting,
    Rule,
    answer,
    fill,
    question_of,
    read_rule,
)

RUBRIC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "minItems": 3,
            "maxItems": 3,
            "items": {"$ref": "#/$defs/item"},
        },
        "label": {"enum": ["satisfied", "dissatisfied"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "note": {"anyOf": [{"type": "string", "maxLength": 12}, {"type": "null"}]},
    },
    "required": ["items", "label", "confidence", "note"],
    "additionalProperties": False,
    "$defs": {
        "item": {
            "type": "object",
            "properties": {
                "quote": {"type": "string"},
                "yes": {"type": "boolean"},
                "score": {"type": "integer", "minimum": 1, "maximum": 10},
            },
            "required": ["quote", "yes", "score"],
            "additionalProperties": False,
        }
    },
}


def body(text: str = "Was it good?", **more: Any) -> dict[str, Any]:
    return {"model": "fake", "messages": [{"role": "user", "content": text}], **more}


def with_schema(text: str = "Was it good?", schema: dict[str, Any] | None = None) -> dict[str, Any]:
    wanted = {"name": "answer", "schema": schema or RUBRIC}
    return body(text, response_format={"type": "json_schema", "json_schema": wanted})


async def post(client: aiohttp.ClientSession, server: FakeServer, sent: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    async with client.post(f"{server.base_url}/chat/completions", json=sent) as response:
        return response.status, await response.json()


def exchange(behaviour: Behaviour, *bodies: dict[str, Any]) -> tuple[list[tuple[int, dict[str, Any]]], FakeServer]:
    async def scene() -> tuple[list[tuple[int, dict[str, Any]]], FakeServer]:
        async with FakeServer(behaviour) as server, aiohttp.ClientSession() as client:
            return [await post(client, server, one) for one in bodies], server

    return asyncio.run(scene())


def text_of(payload: dict[str, Any]) -> str:
    return payload["choices"][0]["message"]["content"]


def test_fills_any_schema_the_same_way_each_time() -> None:
    answers = [answer(with_schema(f"question {number}")) for number in range(40)]
    for text in answers:
        jsonschema.validate(json.loads(text), RUBRIC)
    assert answers == [answer(with_schema(f"question {number}")) for number in range(40)]
    labels = Counter(json.loads(text)["label"] for text in answers)
    assert min(labels["satisfied"], labels["dissatisfied"]) > 8  # neither word is all it ever says


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 3, "maximum": 3},
        {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 5},
        {"type": "number", "minimum": -1, "maximum": 0},
        {"type": "string", "minLength": 60},
        {"type": ["string", "null"]},
        {"const": "x"},
        {"type": "array", "items": {"type": "boolean"}},
        {"type": "object", "properties": {}},
    ],
)
def test_fills_each_kind_of_schema(schema: dict[str, Any]) -> None:
    for number in range(20):
        jsonschema.validate(fill(schema, question=str(number), root=schema), schema)


def test_token_probabilities_agree_with_the_answer() -> None:
    [(status, payload)], _ = exchange(Behaviour(), body(logprobs=True, top_logprobs=5, max_tokens=1))
    [first] = payload["choices"][0]["logprobs"]["content"]
    assert status == 200
    assert first["token"] == text_of(payload) in {"Y", "N"}
    assert len(first["top_logprobs"]) == 5
    assert (
        first["top_logprobs"][0]["logprob"] == first["logprob"] == max(one["logprob"] for one in first["top_logprobs"])
    )


def test_lists_its_model_and_its_tally() -> None:
    with FakeServerThread() as server:
        with urllib.request.urlopen(f"{server.base_url}/models") as response:
            assert json.load(response)["data"][0]["id"] == "fake"
        with urllib.request.urlopen(server.base_url.replace("/v1", "/_tally")) as response:
            assert json.load(response) == {
                "requests": 0,
                "served": {},
                "faults": {},
                "under_way": 0,
                "most_under_way": 0,
            }


def test_counts_equal_bodies_together_and_the_most_at_once() -> None:
    async def scene() -> FakeServer:
        async with FakeServer(Behaviour(delay=0.1)) as server, aiohttp.ClientSession() as client:
            async with asyncio.TaskGroup() as group:
                for text in ("a", "a", "b", "c"):
                    group.create_task(post(client, server, body(text)))
            return server

    tally = asyncio.run(scene()).tally
    assert (tally.requests, sorted(tally.served.values()), tally.most_under_way) == (4, [1, 1, 2], 4)


def test_the_answer_can_be_a_function() -> None:
    async def scene() -> str:
        shout = FakeServer(answer=lambda sent: sent["messages"][0]["content"].upper())
        async with shout as server, aiohttp.ClientSession() as client:
            return text_of((await post(client, server, body("hi")))[1])

    assert asyncio.run(scene()) == "HI"


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (Fault.RATE_LIMITED, 429, "rate_limit_exceeded"),
        (Fault.NO_QUOTA, 429, "insufficient_quota"),
        (Fault.SERVER_ERROR, 500, "server_error"),
        (Fault.UNAVAILABLE, 503, "service_unavailable"),
        (Fault.BAD_KEY, 401, "invalid_api_key"),
        (Fault.NO_SUCH_MODEL, 404, "model_not_found"),
        (Fault.CONTEXT_WINDOW, 400, "context_length_exceeded"),
        (Fault.FILTERED_PROMPT, 400, "content_filter"),
    ],
)
def test_calls_that_fail(fault: Fault, status: int, code: str) -> None:
    [(found, payload)], server = exchange(Behaviour(rules=(Rule(fault=fault),)), body())
    assert (found, payload["error"]["code"]) == (status, code)
    assert (server.tally.served, server.tally.faults) == (Counter(), Counter({fault.value: 1}))


@pytest.mark.parametrize(
    ("fault", "finish", "pattern"),
    [
        (Fault.TRUNCATED, "length", r'\{"items".*[^}]'),
        (Fault.EMPTY, "stop", ""),
        (Fault.WRONG_JSON, "stop", r"\{.*\}"),
        (Fault.PROSE, "stop", r"[^{}]+"),
        (Fault.THINKING, "stop", r"(?s)<think>.*</think>\s+\{.*\}"),
        (Fault.ECHO, "stop", r"Was it good\?"),
        (Fault.CONTENT_FILTER, "content_filter", ""),
    ],
)
def test_awkward_answers(fault: Fault, finish: str, pattern: str) -> None:
    [(status, payload)], _ = exchange(Behaviour(rules=(Rule(fault=fault),)), with_schema())
    assert (status, payload["choices"][0]["finish_reason"]) == (200, finish)
    assert re.fullmatch(pattern, text_of(payload))


def test_a_refusal_has_a_field_of_its_own() -> None:
    [(_, payload)], _ = exchange(Behaviour(rules=(Rule(fault=Fault.REFUSAL),)), body())
    message = payload["choices"][0]["message"]
    assert message["content"] is None
    assert message["refusal"]


@pytest.mark.parametrize("fault", [Fault.HANG, Fault.RESET])
def test_broken_connections(fault: Fault) -> None:
    with pytest.raises(aiohttp.ClientError):
        exchange(Behaviour(rules=(Rule(fault=fault, seconds=0.05),)), body())


def test_retry_after_is_sent_when_given() -> None:
    async def scene() -> list[str | None]:
        found: list[str | None] = []
        for seconds in (None, 2.0):
            behaviour = Behaviour(rules=(Rule(fault=Fault.RATE_LIMITED, seconds=seconds),))
            async with (
                FakeServer(behaviour) as server,
                aiohttp.ClientSession() as client,
                client.post(f"{server.base_url}/chat/completions", json=body()) as response,
            ):
                found.append(response.headers.get("Retry-After"))
        return found

    assert asyncio.run(scene()) == [None, "2"]


def test_first_attempts_fail_once_even_when_the_question_is_put_again() -> None:
    rule = Rule(fault=Fault.EMPTY, lasting=Lasting.FIRST)
    re_ask = body()
    re_ask["messages"] = [
        *re_ask["messages"],
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "Again"},
    ]
    replies, _ = exchange(Behaviour(rules=(rule,)), body(), body(max_tokens=2048), re_ask, body("another"))
    assert [bool(text_of(payload)) for _, payload in replies] == [False, True, True, False]


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_a_share_is_chosen_by_hash(share: float) -> None:
    rule = Rule(fault=Fault.EMPTY, share=share)
    questions = [question_of(body(f"question {number}")) for number in range(2000)]
    met = [rule.meets(one, attempt=1, seed=0) for one in questions]
    assert sum(met) / 2000 == pytest.approx(share, abs=0.03)
    assert met == [rule.meets(one, attempt=3, seed=0) for one in questions]
    if 0 < share < 1:
        assert met != [rule.meets(one, attempt=1, seed=1) for one in questions]


def test_several_rules_the_first_that_strikes_decides() -> None:
    rules = (
        Rule(fault=Fault.DELAY, seconds=0.01),
        Rule(fault=Fault.EMPTY, share=0.3),
        Rule(fault=Fault.PROSE, share=0.3),
    )
    replies, server = exchange(Behaviour(rules=rules), *(body(f"question {number}") for number in range(60)))
    assert len(replies) == 60
    assert 8 < server.tally.faults["empty"] < 30
    assert 4 < server.tally.faults["prose"] < 25
    assert server.tally.faults["delay"] == 0


def test_refuses_parameters_by_name() -> None:
    [(status, payload), (fine, _)], _ = exchange(Behaviour(refuses=("seed",)), body(seed=1), body())
    assert (status, fine) == (400, 200)
    assert payload["error"]["param"] == "seed"


def test_a_body_that_is_no_json_gets_a_400() -> None:
    async def scene() -> int:
        async with (
            FakeServer() as server,
            aiohttp.ClientSession() as client,
            client.post(f"{server.base_url}/chat/completions", data=b"[1]") as response,
        ):
            return response.status

    assert asyncio.run(scene()) == 400


@pytest.mark.parametrize("text", ["", "429:x", "429:2", "nonsense", "429:0.1:never", "429:0.1:first:1:2"])
def test_a_rule_written_badly_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="rule: wanted"):
        read_rule(text)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("empty", Rule(fault=Fault.EMPTY)),
        ("500:0.2", Rule(fault=Fault.SERVER_ERROR, share=0.2)),
        ("hang::first", Rule(fault=Fault.HANG, lasting=Lasting.FIRST)),
        ("429:0.2:first:1.5", Rule(fault=Fault.RATE_LIMITED, share=0.2, lasting=Lasting.FIRST, seconds=1.5)),
    ],
)
def test_rules_are_read(text: str, rule: Rule) -> None:
    assert read_rule(text) == rule


def test_runs_as_a_process() -> None:
    command = [sys.executable, "-m", "userside.llm.fake_server", "--rule", "empty:1:first", "--delay", "0.01"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()
        request = urllib.request.Request(
            f"{base_url}/chat/completions",
            data=json.dumps(body()).encode(),
            headers={"Content-Type": "application/json"},
        )
        texts: list[str] = []
        for _ in range(2):
            with urllib.request.urlopen(request) as response:
                texts.append(text_of(json.load(response)))
        process.terminate()
        assert process.wait(timeout=10) == 0
    assert texts[0] == ""
    assert texts[1] != ""
