"""The store and the model that remembers, with real SQLite files."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from userside.errors import BudgetSpentError, ModelError, RefusedError, RunError, TransientError
from userside.llm import (
    AnswerStore,
    Budget,
    Capabilities,
    DeferredModel,
    Message,
    Reply,
    Request,
    Role,
    Sampling,
    ScriptedModel,
    StoredModel,
    Usage,
)


def request(text: str = "Was the user satisfied?", *, subjects: frozenset[str] = frozenset()) -> Request:
    return Request(messages=(Message(role=Role.USER, text=text),), subjects=subjects)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[], AnswerStore]]:
    """Open the same file again and again, as later processes would."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(AnswerStore(tmp_path / "answers.db"))


@pytest.fixture
def store(opened: Callable[[], AnswerStore]) -> AnswerStore:
    return opened()


def stored(store: AnswerStore, *answers: Reply | str | ModelError, budget: Budget | None = None) -> StoredModel:
    return StoredModel(inner=ScriptedModel(answers), store=store, budget=budget or Budget())


def asked(model: StoredModel) -> int:
    assert isinstance(model.inner, ScriptedModel)
    return len(model.inner.asked)


def test_an_answer_is_asked_for_once_and_survives_the_process(
    store: AnswerStore, opened: Callable[[], AnswerStore]
) -> None:
    model = stored(store, Reply(text="yes", usage=Usage(input_tokens=9, output_tokens=1)))
    assert [asyncio.run(model.ask(request())).text for _ in range(3)] == ["yes"] * 3
    assert asked(model) == 1
    store.close()
    again = stored(opened())
    reply = asyncio.run(again.ask(request()))
    assert (reply.text, reply.usage.input_tokens, asked(again)) == ("yes", 9, 0)


@pytest.mark.parametrize(
    "other",
    [
        Request(messages=(Message(role=Role.SYSTEM, text="Was the user satisfied?"),)),
        Request(messages=(Message(role=Role.USER, text="Was the user happy?"),)),
        Request(messages=request().messages, schema={"type": "object"}),
        Request(messages=request().messages, sampling=Sampling(temperature=0)),
        Request(messages=request().messages, sampling=Sampling(temperature=1)),
        Request(messages=request().messages, sampling=Sampling(top_p=1)),
        Request(messages=request().messages, max_output=513),
        Request(messages=request().messages, token_options=("Yes", "No")),
        Request(messages=request().messages, seed=0),
        Request(messages=request().messages, sample=1),
        Request(messages=request().messages, retry=1),
    ],
)
def test_everything_that_is_sent_counts_in_the_key(other: Request) -> None:
    assert other.key("m") != request().key("m")
    assert request().key("m") != request().key("n")


def test_subjects_are_not_sent_and_do_not_count() -> None:
    assert request(subjects=frozenset({"a"})).key("m") == request().key("m")


def test_identical_requests_under_way_are_one(store: AnswerStore) -> None:
    model = stored(store, "yes")

    async def both() -> list[str]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(model.ask(request(subjects=frozenset({name})))) for name in "abc"]
        return [task.result().text for task in tasks]

    assert asyncio.run(both()) == ["yes"] * 3
    assert asked(model) == 1
    assert store.subjects_of(request().key(model.identity)) == {"a", "b", "c"}


def test_a_twin_of_a_failed_request_fails_too_and_nothing_is_kept(store: AnswerStore) -> None:
    model = stored(store, TransientError("the server said 500", reason="server_error"), "yes")

    async def both() -> list[BaseException | None]:
        tasks = [asyncio.create_task(model.ask(request())) for _ in range(2)]
        await asyncio.wait(tasks)
        return [task.exception() for task in tasks]

    assert [type(error) for error in asyncio.run(both())] == [TransientError, TransientError]
    assert (store.count(), asyncio.run(model.ask(request())).text) == (0, "yes")


def test_a_final_refusal_is_an_answer_and_is_not_asked_again(store: AnswerStore) -> None:
    model = stored(store, RefusedError("32,000 tokens are too many", reason="context_window"))
    for _ in range(2):
        with pytest.raises(RefusedError, match="too many") as caught:
            asyncio.run(model.ask(request()))
        assert caught.value.reason == "context_window"
    assert asked(model) == 1


def test_half_a_surrogate_pair_is_kept_as_the_replacement_character(store: AnswerStore) -> None:
    model = stored(store, Reply(text="ok \udeaa", raw={"text": "ok \udeaa"}))
    asyncio.run(model.ask(request()))
    assert asyncio.run(model.ask(request())).text == "ok ?"


def test_the_budget_counts_calls_over_resumptions(store: AnswerStore, opened: Callable[[], AnswerStore]) -> None:
    model = stored(store, *"abcd", budget=Budget(max_calls=2))
    for text in "xy":
        asyncio.run(model.ask(request(text)))
    resumed = stored(opened(), *"ef", budget=Budget(max_calls=2))
    with pytest.raises(BudgetSpentError, match="2 calls are made and 0 under way of 2 allowed"):
        asyncio.run(resumed.ask(request("z")))
    assert asyncio.run(resumed.ask(request("x"))).text == "a"


def test_the_budget_counts_what_is_under_way(store: AnswerStore) -> None:
    model = stored(store, *"abcdefgh", budget=Budget(max_calls=3))

    async def all_at_once() -> list[BaseException | None]:
        tasks = [asyncio.create_task(model.ask(request(text))) for text in "12345678"]
        await asyncio.wait(tasks)
        return [task.exception() for task in tasks]

    assert sum(error is None for error in asyncio.run(all_at_once())) == 3


def test_an_unknown_price_is_counted_and_is_not_nothing(store: AnswerStore) -> None:
    asyncio.run(stored(store, "yes").ask(request()))
    spend = store.spend()
    assert (spend.calls, spend.cost, spend.unpriced, spend.uncounted) == (1, 0.0, 1, 1)


def test_a_known_price_stops_the_run(store: AnswerStore) -> None:
    price: Callable[[Reply], float] = lambda reply: 0.4  # noqa: E731, ARG005
    model = StoredModel(inner=ScriptedModel("abc"), store=store, budget=Budget(max_cost=0.7), price=price)
    for text in "xy":
        asyncio.run(model.ask(request(text)))
    with pytest.raises(BudgetSpentError, match=r"\$0\.8000 is spent"):
        asyncio.run(model.ask(request("z")))
    assert store.spend().cost == pytest.approx(0.8)


def test_forgetting_one_of_several_subjects_deletes_the_answer_and_every_trace(store: AnswerStore) -> None:
    model = stored(store, "zebra-secret", "kept")
    asyncio.run(model.ask(request("one", subjects=frozenset({"anna", "ben"}))))
    asyncio.run(model.ask(request("two", subjects=frozenset({"carl"}))))
    assert store.forget(["anna"]) == 1
    everything = b"".join(path.read_bytes() for path in store.path.parent.iterdir())
    assert b"zebra-secret" not in everything
    assert b"anna" not in everything
    assert asyncio.run(model.ask(request("two"))).text == "kept"


def test_a_forgotten_subject_is_not_asked_about_again(store: AnswerStore, opened: Callable[[], AnswerStore]) -> None:
    store.forget(["anna"])
    model = stored(opened(), "never")
    with pytest.raises(RefusedError, match="withdrawn") as caught:
        asyncio.run(model.ask(request(subjects=frozenset({"anna"}))))
    assert (caught.value.reason, asked(model)) == ("forgotten", 0)


def test_what_waits_comes_back_whole_and_leaves_when_answered(store: AnswerStore) -> None:
    deferred = DeferredModel("openai:x", Capabilities(), store)
    waiting = Request(
        messages=request("é \u202e").messages, schema={"type": "object"}, seed=3, subjects=frozenset({"b", "a"})
    )
    model = StoredModel(inner=deferred, store=store)
    with pytest.raises(Exception, match="awaited from elsewhere"):
        asyncio.run(model.ask(waiting))
    [(key, identity, read_back)] = store.pending()
    assert (key, identity, read_back) == (waiting.key("openai:x"), "openai:x", waiting)
    store.keep(key, Reply(text="done"), identity=identity, subjects=waiting.subjects, cost=None)
    assert (list(store.pending()), asyncio.run(model.ask(waiting)).text) == ([], "done")


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.db"
    path.write_text("this is a shopping list, quite a long one, and no database at all. " * 20)
    with pytest.raises(RunError, match=r"answers\.db: wanted a store of answers, and SQLite says"):
        AnswerStore(path)
