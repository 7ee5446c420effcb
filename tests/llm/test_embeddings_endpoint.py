"""Embedding through an endpoint over real HTTP, on its bad days too, and answered elsewhere by files."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.llm.test_embeddings import embed
from userside.errors import (
    AccessError,
    AnswerPendingError,
    ModelError,
    RateLimitedError,
    RefusedError,
    TransientError,
    UnknownModelError,
)
from userside.llm import (
    AnswerStore,
    DeferredEmbeddingModel,
    HashingEmbeddingModel,
    Pace,
    PacedEmbeddingModel,
    Pacer,
    StoredEmbedder,
    Vectors,
    cosine,
    export_requests,
    import_responses,
    open_embedder,
    read_embedder_name,
    unit_rows,
)
from userside.llm.fake_server import Behaviour, FakeServer, Fault, Lasting, Rule

TEXTS = tuple(f"the user said {word}" for word in ("thanks", "no", "again", "bravo", "谢谢", "شكرا"))
QUICK = Pace(first_wait=0.01, longest_wait=0.02, retries=3, patience=0.5)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


async def embedded(
    behaviour: Behaviour, texts: Sequence[str], *, pace: Pace | None = None, patience: float = 5
) -> tuple[Vectors, FakeServer]:
    with AnswerStore(Path(":memory:")) as store:
        async with FakeServer(behaviour) as server:
            choice = read_embedder_name("fake-embedding", base_url=server.base_url, timeout=patience)
            async with open_embedder(choice) as bare:
                model = PacedEmbeddingModel(bare, Pacer(pace=pace)) if pace else bare
                return await StoredEmbedder(model, store).embed(texts), server


def of_texts(texts: Sequence[str]) -> Vectors:
    with AnswerStore(Path(":memory:")) as store:
        return embed(StoredEmbedder(HashingEmbeddingModel(), store), texts)


def test_what_the_endpoint_says_comes_back_in_order() -> None:
    vectors, server = asyncio.run(embedded(Behaviour(), [*TEXTS, "", TEXTS[0]]))
    assert vectors == pytest.approx(of_texts([*TEXTS, "", TEXTS[0]]), abs=1e-6)
    assert server.tally.requests == 1


def test_many_texts_go_out_in_several_calls() -> None:
    texts = [f"text {number}" for number in range(300)]
    vectors, server = asyncio.run(embedded(Behaviour(delay=0.05), texts))
    assert vectors == pytest.approx(of_texts(texts), abs=1e-6)
    assert (server.tally.requests, server.tally.most_under_way) == (5, 5)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.RATE_LIMITED, RateLimitedError),
        (Fault.SERVER_ERROR, TransientError),
        (Fault.UNAVAILABLE, TransientError),
        (Fault.RESET, TransientError),
        (Fault.HTML_PAGE, TransientError),
        (Fault.HALF_A_BODY, TransientError),
        (Fault.NO_CHOICES, TransientError),
        (Fault.TRUNCATED, TransientError),
        (Fault.EMPTY, TransientError),
        (Fault.WRONG_JSON, TransientError),
        (Fault.BAD_KEY, AccessError),
        (Fault.NO_QUOTA, AccessError),
        (Fault.NO_SUCH_MODEL, UnknownModelError),
        (Fault.FILTERED_PROMPT, RefusedError),
        (Fault.CONTEXT_WINDOW, RefusedError),
    ],
)
def test_a_lasting_fault_is_named(fault: Fault, error: type[ModelError]) -> None:
    with pytest.raises(error):
        asyncio.run(embedded(Behaviour(rules=(Rule(fault=fault),)), TEXTS[:1], pace=QUICK))


@pytest.mark.parametrize(
    "fault", [Fault.RATE_LIMITED, Fault.SERVER_ERROR, Fault.RESET, Fault.HTML_PAGE, Fault.TRUNCATED, Fault.WRONG_JSON]
)
def test_a_passing_fault_heals(fault: Fault) -> None:
    rules = (Rule(fault=fault, lasting=Lasting.FIRST),)
    vectors, server = asyncio.run(embedded(Behaviour(rules=rules), TEXTS, pace=QUICK))
    assert vectors == pytest.approx(of_texts(TEXTS), abs=1e-6)
    assert server.tally.requests == 2


def test_an_endpoint_that_keeps_silent_is_given_up() -> None:
    with pytest.raises(TransientError) as caught:
        asyncio.run(embedded(Behaviour(rules=(Rule(fault=Fault.HANG),)), TEXTS, patience=0.2))
    assert caught.value.reason == "timeout"


def test_429_lets_fewer_calls_through_and_all_arrive() -> None:
    texts = [f"text {number}" for number in range(640)]
    rules = (Rule(fault=Fault.RATE_LIMITED, share=0.6, lasting=Lasting.FIRST),)
    vectors, server = asyncio.run(embedded(Behaviour(rules=rules), texts, pace=Pace(first_wait=0.01)))
    assert vectors == pytest.approx(of_texts(texts), abs=1e-6)
    assert server.tally.faults["429"] > 2


def test_a_text_too_long_for_the_endpoint_is_read_in_halves() -> None:
    long = "the hotel was fine " * 40 + "but I never got my refund " * 40
    vectors, server = asyncio.run(embedded(Behaviour(longest_input=300), ["hello", long, "thanks"]))
    assert vectors[[0, 2]] == pytest.approx(of_texts(["hello", "thanks"]), abs=1e-6)
    assert np.linalg.norm(vectors[1]) == pytest.approx(1)
    begin, end = cosine(vectors[1:2], of_texts(["the hotel was fine", "but I never got my refund"]))[0]
    assert min(begin, end) > 0.4
    assert server.tally.requests > 8


def test_chat_faults_leave_vectors_alone() -> None:
    vectors, _ = asyncio.run(embedded(Behaviour(rules=(Rule(fault=Fault.PROSE),)), TEXTS))
    assert vectors == pytest.approx(of_texts(TEXTS), abs=1e-6)


def test_a_provider_without_a_key_says_which() -> None:
    with pytest.raises(AccessError, match="no key"):
        open_embedder(read_embedder_name("openai:text-embedding-3-small"))


def test_google_is_asked_for_documents() -> None:
    pytest.importorskip("google.genai")

    async def identity() -> str:
        choice = read_embedder_name("google:gemini-embedding-001", base_url="http://127.0.0.1:9")
        async with open_embedder(choice) as model:
            return model.identity

    assert asyncio.run(identity()) == "google:gemini-embedding-001@http://127.0.0.1:9"


# Answered elsewhere


def deferred(store: AnswerStore) -> StoredEmbedder:
    return StoredEmbedder(DeferredEmbeddingModel("openai:text-embedding-3-small", store), store)


def lines_of(store: AnswerStore) -> list[dict[str, Any]]:
    return [json.loads(line) for line in export_requests(store)]


def answers_to(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    for line in reversed(lines):
        row = of_texts([line["body"]["input"]])[0].tolist()
        data = {"data": [{"index": 0, "embedding": row}], "usage": {"prompt_tokens": 3}}
        yield json.dumps({"custom_id": line["custom_id"], "response": {"status_code": 200, "body": data}})


def test_vectors_can_come_from_files(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(70)]
    with AnswerStore(tmp_path / "answers.db") as store:
        with pytest.raises(AnswerPendingError):
            embed(deferred(store), texts)
        lines = lines_of(store)
        assert len(lines) == 70
        assert {line["url"] for line in lines} == {"/v1/embeddings"}
        assert {str(line["body"]) for line in lines} >= {"{'model': 'text-embedding-3-small', 'input': 'text 7'}"}
        answers = list(answers_to(lines))
        (tmp_path / "part.jsonl").write_text("\n".join(answers[:50]))
        imported = import_responses(store, [tmp_path / "part.jsonl"], price=lambda _: 1.0)
        assert (imported.answers, imported.still_pending) == (50, 20)
        (tmp_path / "rest.jsonl").write_text("\n".join(answers[50:]))
        import_responses(store, [tmp_path / "rest.jsonl"], price=lambda _: 1.0, embedding_price=lambda _: 0.5)
        assert embed(deferred(store), texts) == pytest.approx(of_texts(texts), abs=1e-6)
        spend = store.spend()
        assert (spend.calls, spend.unpriced, spend.cost, spend.input_tokens) == (70, 50, 10.0, 210)


NO_VECTORS: tuple[tuple[int, dict[str, object], int], ...] = (
    (500, {}, 0),
    (200, {"data": list[object]()}, 0),
    (200, {"data": [{"embedding": list[object]()}]}, 0),
    (200, {"data": [{"embedding": [0, 0]}]}, 0),
    (200, {"data": [{"embedding": "AAAA"}]}, 0),
    (400, {"error": {"message": "maximum context length is 8192 tokens"}}, 1),
)


@pytest.mark.parametrize(("status", "body", "refusals"), NO_VECTORS)
def test_a_line_without_a_vector(tmp_path: Path, status: int, body: dict[str, object], refusals: int) -> None:
    with AnswerStore(tmp_path / "answers.db") as store:
        with pytest.raises(AnswerPendingError):
            embed(deferred(store), ["hello"])
        [line] = lines_of(store)
        answer = {"custom_id": line["custom_id"], "response": {"status_code": status, "body": body}}
        (tmp_path / "out.jsonl").write_text(json.dumps(answer))
        imported = import_responses(store, [tmp_path / "out.jsonl"], price=lambda _: 1.0)
        assert (imported.refusals, imported.failed) == (refusals, 1 - refusals)
        with pytest.raises(RefusedError if refusals else AnswerPendingError):
            embed(deferred(store), ["hello"])


def test_a_withdrawn_subject_leaves_nothing_waiting(tmp_path: Path) -> None:
    with AnswerStore(tmp_path / "answers.db") as store:
        with pytest.raises(AnswerPendingError):
            embed(deferred(store), ["anna's zebra"], [frozenset({"anna"})])
        assert store.forget(["anna"]) == 1
        assert lines_of(store) == []
        assert b"zebra" not in (tmp_path / "answers.db").read_bytes()


def test_rows_of_zeros_stay_zeros() -> None:
    assert unit_rows(np.zeros((2, 3))).tolist() == [[0.0] * 3] * 2
