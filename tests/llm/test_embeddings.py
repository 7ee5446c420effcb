"""Texts become vectors once, are kept with their subjects, and leave no trace when one is forgotten."""

import asyncio
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from userside.errors import (
    AccessError,
    AnswerPendingError,
    BudgetSpentError,
    RefusedError,
    TransientError,
    UnknownModelError,
    UsersideError,
)
from userside.llm import (
    AnswerStore,
    Budget,
    CountingEmbeddingModel,
    Encoded,
    HashingEmbeddingModel,
    Passage,
    PriceList,
    Run,
    RunPlan,
    StoredEmbedder,
    Usage,
    Vectors,
    cosine,
    forget,
    open_embedder,
    read_embedder_name,
    unit_rows,
)

ANNA, BEN = frozenset({"anna"}), frozenset({"ben"})


@pytest.fixture
def store(tmp_path: Path) -> Generator[AnswerStore]:
    with AnswerStore(tmp_path / "answers.db") as opened:
        yield opened


def embed(embedder: StoredEmbedder, texts: Sequence[str], subjects: Sequence[frozenset[str]] = ()) -> Vectors:
    return asyncio.run(embedder.embed(texts, subjects=subjects))


@dataclass(slots=True)
class Failing:
    """An embedding model that fails at one text, and keeps what it was given."""

    error: UsersideError
    at: str = "bad"
    identity: str = "scripted:failing"
    dimensions: int | None = None
    calls: list[list[str]] = field(default_factory=list[list[str]])

    async def encode(self, passages: Sequence[Passage]) -> Encoded:
        texts = [one.text for one in passages]
        self.calls.append(texts)
        await asyncio.sleep(0)
        if self.at in texts:
            raise self.error
        return Encoded(
            vectors=unit_rows([[1.0, len(text)] for text in texts]),
            usage=Usage(input_tokens=len(texts), output_tokens=0),
        )


@dataclass(frozen=True, slots=True)
class Dense:
    """An embedding model without a zero in its vectors, so that every piece of one can be told from another."""

    identity: str = "scripted:dense"
    dimensions: int | None = 384

    async def encode(self, passages: Sequence[Passage]) -> Encoded:
        rows = [np.random.default_rng(list(one.text.encode())).normal(size=384) for one in passages]
        return Encoded(vectors=unit_rows(rows))


# Rows


def test_rows_have_length_one_and_the_order_of_the_texts(store: AnswerStore) -> None:
    texts = ["Thank you so much!", "a table for two", "thank you, that was great"]
    vectors = embed(StoredEmbedder(HashingEmbeddingModel(), store), texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, 256)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1])
    near, far = cosine(vectors[:1], vectors[1:])[0][::-1]
    assert near > far + 0.2


@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\u200b", "\x00\x07"])
def test_a_blank_text_is_a_row_of_zeros_and_is_asked_of_nobody(store: AnswerStore, blank: str) -> None:
    model = HashingEmbeddingModel()
    vectors = embed(StoredEmbedder(model, store), ["hello", blank])
    assert model.asked == ["hello"]
    assert not vectors[1].any()
    assert cosine(vectors, vectors)[1].tolist() == [0.0, 0.0]


def test_blank_texts_alone_have_the_dimensions_that_are_known(store: AnswerStore) -> None:
    assert embed(StoredEmbedder(HashingEmbeddingModel(), store), ["", " "]).shape == (2, 256)
    nothing = embed(StoredEmbedder(Failing(TransientError("no", reason="timeout")), store), [""])
    assert nothing.shape == (1, 0)
    assert cosine(nothing, unit_rows([[1.0, 2.0]])).tolist() == [[0.0]]
    assert embed(StoredEmbedder(HashingEmbeddingModel(), store), []).shape == (0, 256)


def test_half_a_surrogate_pair_is_embedded_like_a_question_mark(store: AnswerStore) -> None:
    model = HashingEmbeddingModel()
    vectors = embed(StoredEmbedder(model, store), ["cut \ud83d", "cut ?"])
    assert model.asked == ["cut ?"]
    assert (vectors[0] == vectors[1]).all()


def test_subjects_are_one_set_a_text(store: AnswerStore) -> None:
    with pytest.raises(ValueError, match="each of 2 texts, not 1"):
        embed(StoredEmbedder(HashingEmbeddingModel(), store), ["a", "b"], [ANNA])


# The store


def test_a_text_is_embedded_once_whoever_says_it(store: AnswerStore, tmp_path: Path) -> None:
    model = HashingEmbeddingModel()
    first = embed(StoredEmbedder(model, store), ["thanks", "hello", "thanks"], [ANNA, ANNA, BEN])
    store.close()
    with AnswerStore(tmp_path / "answers.db") as again:
        second = embed(StoredEmbedder(model, again), ["hello", "thanks"])
    assert sorted(model.asked) == ["hello", "thanks"]
    assert (second == first[[1, 0]]).all()


def test_two_calls_at_one_time_embed_a_text_once(store: AnswerStore) -> None:
    model = HashingEmbeddingModel()
    embedder = StoredEmbedder(model, store)

    async def both() -> list[Vectors]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(embedder.embed(texts)) for texts in (["a", "b"], ["b", "c"], ["a", "b"])]
        return [task.result() for task in tasks]

    one, two, three = asyncio.run(both())
    assert sorted(model.asked) == ["a", "b", "c"]
    assert (one[1] == two[0]).all()
    assert (one == three).all()


def test_two_models_keep_their_vectors_apart(store: AnswerStore) -> None:
    one = embed(StoredEmbedder(HashingEmbeddingModel(name="one", dimensions=8), store), ["hello"])
    two = embed(StoredEmbedder(HashingEmbeddingModel(name="two", dimensions=16), store), ["hello"])
    assert (one.shape, two.shape) == ((1, 8), (1, 16))


def test_what_was_embedded_before_a_failure_is_kept(store: AnswerStore) -> None:
    texts = [f"text {number}" for number in range(200)]
    failing = Failing(AccessError("no key"), at="text 199")
    with pytest.raises(AccessError):
        embed(StoredEmbedder(failing, store), texts)
    healed = Failing(AccessError("no key"), at="nothing")
    embed(StoredEmbedder(healed, store), texts)
    assert [len(call) for call in failing.calls] == [64, 64, 64, 8]
    assert [len(call) for call in healed.calls] == [8]


def test_a_failure_reaches_the_call_that_waits_for_the_same_text(store: AnswerStore) -> None:
    model = Failing(TransientError("no", reason="timeout"))
    embedder = StoredEmbedder(model, store)

    async def both() -> list[BaseException]:
        failures: list[BaseException] = []

        async def one() -> None:
            try:
                await embedder.embed(["bad"])
            except TransientError as error:
                failures.append(error)

        async with asyncio.TaskGroup() as group:
            group.create_task(one())
            group.create_task(one())
        return failures

    assert len(asyncio.run(both())) == 2


def test_the_ledger_counts_calls_tokens_and_an_unknown_price(store: AnswerStore) -> None:
    embed(StoredEmbedder(Failing(AccessError("no")), store), [f"text {number}" for number in range(65)])
    spend = store.spend()
    assert (spend.calls, spend.input_tokens, spend.cost, spend.unpriced) == (2, 65, 0.0, 2)
    assert spend.uncounted == 0


def test_the_price_of_vectors_is_listed_free_or_unknown() -> None:
    prices = PriceList(provider="openai", model="text-embedding-3-small")
    assert prices.cost_of(Usage(input_tokens=1_000_000, output_tokens=0)) == pytest.approx(0.02)
    assert PriceList(provider="hub", model="a/b").cost_of(Usage(input_tokens=5, output_tokens=0)) == 0.0
    unknown = PriceList(provider="openai", model="text-embedding-of-mine")
    assert unknown.cost_of(Usage(input_tokens=5, output_tokens=0)) is None
    assert unknown.is_unknown


def test_a_budget_stops_before_anything_new_is_embedded(store: AnswerStore) -> None:
    model = HashingEmbeddingModel()
    with pytest.raises(BudgetSpentError):
        embed(StoredEmbedder(model, store, budget=Budget(max_calls=1)), [f"text {number}" for number in range(100)])
    assert len(model.asked) == 64
    with pytest.raises(BudgetSpentError):
        embed(StoredEmbedder(model, store, budget=Budget(max_calls=1)), ["new"])
    assert len(embed(StoredEmbedder(model, store, budget=Budget(max_calls=1)), ["text 0"])) == 1


def test_an_estimate_counts_all_that_is_missing(store: AnswerStore) -> None:
    embed(StoredEmbedder(HashingEmbeddingModel(name="x"), store), ["known"])
    counting = CountingEmbeddingModel("scripted:x")
    with pytest.raises(AnswerPendingError):
        embed(StoredEmbedder(counting, store), ["known", *(f"text {number}" for number in range(130))])
    unknown = counting.estimate(lambda _: None)
    assert (unknown.calls, unknown.input_tokens, unknown.cost) == (3, 130 * 3, None)


# Forgetting


def test_forgetting_deletes_vectors_and_every_trace(store: AnswerStore, tmp_path: Path) -> None:
    embedder = StoredEmbedder(Dense(), store)
    vectors = embed(embedder, ["anna's words", "ben's words", "both said this"], [ANNA, BEN, ANNA])
    embed(embedder, ["both said this"], [BEN])
    assert min(traces(row, tmp_path) for row in vectors) > 40
    assert store.forget(["anna"]) == 2
    anna, ben, both = (traces(row, tmp_path) for row in vectors)
    assert (anna, both) == (0, 0)
    assert ben > 40
    assert b"anna" not in everything(tmp_path)
    with pytest.raises(RefusedError) as caught:
        embed(embedder, ["ben's words", "anna's new words"], [BEN, ANNA])
    assert caught.value.reason == "forgotten"


def test_a_run_forgets_the_vectors_of_a_conversation(tmp_path: Path) -> None:
    with Run.open(tmp_path / "run", RunPlan(command="learn", inputs={}, models={}, settings={})) as run:
        embedder = StoredEmbedder(Dense(), run.store)
        [row] = embed(embedder, ["I waited for an hour"], [frozenset({"c-1", "anna"})])
        assert traces(row, run.folder) > 40
        assert forget(run, ["c-1"]).answers == 1
        assert traces(row, run.folder) == 0


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def traces(row: Vectors, folder: Path) -> int:
    """Return how many of a vector's 96 pieces of four numbers lie in the folder, on whatever page of the database."""
    kept, found = row.tobytes(), everything(folder)
    return sum(kept[start : start + 16] in found for start in range(0, len(kept), 16))


# Names


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("openai:text-embedding-3-small", "openai", "text-embedding-3-small"),
        ("ollama:nomic-embed-text:v1.5", "ollama", "nomic-embed-text:v1.5"),
        ("local:all-minilm-l6-v2", "local", "all-minilm-l6-v2"),
        ("hub:intfloat/multilingual-e5-small", "hub", "intfloat/multilingual-e5-small"),
    ],
)
def test_names(name: str, provider: str, model: str) -> None:
    choice = read_embedder_name(name)
    assert (choice.provider, choice.model) == (provider, model)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("anthropic:claude", "google"),
        ("text-embedding-3-small", "local:all-minilm-l6-v2"),
        ("local:bert", "all-minilm-l6-v2"),
        ("hub:../../etc", "hub:sentence-transformers"),
        ("hub:just-a-name", "hub:sentence-transformers"),
    ],
)
def test_a_wrong_name_says_which_are_right(name: str, remedy: str) -> None:
    with pytest.raises(UnknownModelError) as caught:
        open_embedder(read_embedder_name(name))
    assert remedy in " ".join(caught.value.__notes__)


def test_a_bare_name_with_an_address_is_openais_language() -> None:
    assert read_embedder_name("bge-m3", base_url="http://127.0.0.1:1/v1").provider == "openai"


def test_the_shipped_fake_is_opened_by_name() -> None:
    async def dimensions() -> tuple[str, int | None]:
        async with open_embedder(read_embedder_name("scripted:hashing")) as model:
            return model.identity, model.dimensions

    assert asyncio.run(dimensions()) == ("scripted:hashing", 256)
