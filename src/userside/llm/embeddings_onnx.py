"""The embedded embedding model's engine: ONNX Runtime and a tokenizer, one thread, one typed edge.

Long texts are read in windows, and a text's vector is the mean over the tokens of all its windows: the end of a
conversation counts as much as its beginning, where truncation would lose it. Texts of about one length are computed
together, as long as they are short: eight of 256 tokens at one time took twice the time of eight one by one.
"""

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from userside.errors import MissingPartError, WeightsError
from userside.llm.embeddings import Vectors, unit_rows

TOKENS_AT_ONCE = 256
"""Tokens, padding included, that are computed at one time; more is slower."""

_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_TOKEN_VECTORS = 3
"""Axes of an output that has a vector for each token: text, token, dimension."""

type _Ids = npt.NDArray[np.int64]


class Pooling(StrEnum):
    """How the vectors of a window's tokens become one."""

    MEAN = "mean"
    FIRST = "first"
    """The vector of the first token, which some models are trained to carry the meaning in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderSettings:
    """How an encoder is set up.

    Attributes:
        weights: An ONNX file.
        tokenizer: A `tokenizer.json`.
        window: Tokens that are read at one time, those the tokenizer adds included.
        pooling: How tokens become one vector.
        tokens_at_once: 1 computes every window by itself. A model whose numbers are scaled by all that is computed
            together (dynamic quantisation) needs that, lest a vector depend on its neighbours.
    """

    weights: Path
    tokenizer: Path
    window: int
    pooling: Pooling = Pooling.MEAN
    tokens_at_once: int = 1


class _Window(Protocol):
    """What the tokenizer makes of a text, or of a part of it; `overflowing` are the parts that follow."""

    ids: list[int]
    special_tokens_mask: list[int]
    overflowing: "list[_Window]"


class _Tokenizer(Protocol):
    def no_padding(self) -> None: ...
    def enable_truncation(self, max_length: int, stride: int = 0) -> None: ...
    def encode(self, sequence: str) -> _Window: ...


class _Input(Protocol):
    name: str


class _Session(Protocol):
    def get_inputs(self) -> Sequence[_Input]: ...
    def run(self, output_names: None, input_feed: Mapping[str, _Ids]) -> Sequence[npt.NDArray[np.float32]]: ...


@dataclass(frozen=True, slots=True)
class _Piece:
    """A window of one text: which text's, its tokens, and how many of them are the text's own."""

    text: int
    ids: Sequence[int]
    own: int


class Encoder:
    """A loaded encoder. Its vectors depend on the text alone, bit for bit on one kind of processor."""

    def __init__(self, settings: EncoderSettings) -> None:
        self._settings = settings
        self._tokenizer = _load_tokenizer(settings)
        self._session = _load_session(settings.weights)
        self._inputs = {one.name for one in self._session.get_inputs()}
        if self._inputs - _INPUTS:
            raise WeightsError(f"{settings.weights}: wanted inputs of {sorted(_INPUTS)}, not {sorted(self._inputs)}")

    def encode(self, texts: Sequence[str]) -> tuple[Vectors, int]:
        """Return a row for each text, and how many tokens were read.

        A text the tokenizer makes nothing of has a row of zeros.
        """
        pieces = [piece for number, text in enumerate(texts) for piece in self._pieces(number, text)]
        batches = [(batch, self._pooled(batch)) for batch in batches_of(pieces, most=self._settings.tokens_at_once)]
        width = batches[0][1].shape[1] if batches else self._width()
        sums = np.zeros((len(texts), width))
        for batch, rows in batches:
            for piece, row in zip(batch, rows, strict=True):
                sums[piece.text] += piece.own * row
        return unit_rows(sums), sum(len(piece.ids) for piece in pieces)

    def _pieces(self, number: int, text: str) -> Iterator[_Piece]:
        whole = self._tokenizer.encode(text)
        for window in (whole, *whole.overflowing):
            own = window.special_tokens_mask.count(0)
            if own:
                yield _Piece(number, window.ids, own)

    def _width(self) -> int:
        return self._pooled([_Piece(0, self._tokenizer.encode("a").ids, 1)]).shape[1]

    def _pooled(self, batch: "Sequence[_Piece]") -> npt.NDArray[np.float64]:
        ids = np.zeros((len(batch), max(len(piece.ids) for piece in batch)), np.int64)
        mask = np.zeros_like(ids)
        for row, piece in enumerate(batch):
            ids[row, : len(piece.ids)] = piece.ids
            mask[row, : len(piece.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        output = self._session.run(None, {name: feed[name] for name in self._inputs})[0].astype(np.float64)
        if output.ndim < _TOKEN_VECTORS:
            return output
        if self._settings.pooling is Pooling.FIRST:
            return output[:, 0]
        weights = mask[..., None]
        return (output * weights).sum(axis=1) / weights.sum(axis=1)


def batches_of(pieces: Sequence[_Piece], *, most: int) -> Iterator[list[_Piece]]:
    """Yield the pieces, shortest first, as many at a time as have at most `most` tokens with padding; at least one."""
    batch: list[_Piece] = []
    for piece in sorted(pieces, key=lambda one: len(one.ids)):
        if batch and (len(batch) + 1) * len(piece.ids) > most:
            yield batch
            batch = []
        batch.append(piece)
    if batch:
        yield batch


def import_engine() -> tuple[Any, Any]:
    """Return the modules `onnxruntime` and `tokenizers`, which nothing else needs.

    Raises:
        MissingPartError: One is not installed.
    """
    try:
        return importlib.import_module("onnxruntime"), importlib.import_module("tokenizers")
    except ImportError as error:
        raise MissingPartError(f"local: the embedding model's engine is not installed ({error})").with_note(
            "Install it: pip install 'userside[local]'; or name an endpoint, such as `openai:text-embedding-3-small`."
        ) from None


def _load_tokenizer(settings: EncoderSettings) -> _Tokenizer:
    _, tokenizers = import_engine()
    try:
        tokenizer = cast("_Tokenizer", tokenizers.Tokenizer.from_file(str(settings.tokenizer)))
    except Exception as error:  # the library raises bare ones
        raise WeightsError(f"{settings.tokenizer}: no tokenizer ({error})").with_note(
            "Delete the file so that it is fetched again."
        ) from None
    tokenizer.no_padding()
    tokenizer.enable_truncation(settings.window)
    return tokenizer


def _load_session(weights: Path) -> _Session:
    engine, _ = import_engine()
    options = engine.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors only: stderr belongs to progress and to our own errors
    try:
        session = engine.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # whatever C++ threw
        raise WeightsError(f"{weights}: the engine cannot load it ({error})").with_note(
            "Delete the file so that it is fetched again; or there was too little memory."
        ) from None
    return cast("_Session", session)


def read_pooling(text: str) -> Pooling:
    """Return how a `1_Pooling/config.json` of sentence-transformers says that tokens become one vector.

    >>> read_pooling('{"pooling_mode_cls_token": true}')
    <Pooling.FIRST: 'first'>

    Raises:
        WeightsError: In a way that is not known here.
    """
    said: dict[str, Any] = json.loads(text)
    modes = {
        name.removeprefix("pooling_mode_") for name, value in said.items() if name[:13] == "pooling_mode_" and value
    }
    modes |= {str(said["pooling_mode"])} if isinstance(said.get("pooling_mode"), str) else set()
    match sorted(modes):
        case [] | ["mean_tokens"] | ["mean"]:
            return Pooling.MEAN
        case ["cls_token"] | ["cls"]:
            return Pooling.FIRST
        case other:
            raise WeightsError(f"1_Pooling/config.json: wanted the mean or the first token, not {other!r}")
