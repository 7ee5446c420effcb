"""A very small encoder made here: an ONNX file that looks each token up in a table, and a tokenizer of a few words."""

import json
import struct
from collections.abc import Iterable
from pathlib import Path

WORDS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "gracias", "谢谢", "شكرا", "table", "hotel")
FLOAT, INT64 = 1, 7


def write_encoder(folder: Path, *, lengths: int | None = None, pooling: str | None = None) -> None:
    """Write a repository of the hub: weights, tokenizer, and what it says of windows and pooling."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx/model.onnx").write_bytes(onnx_file())
    (folder / "tokenizer.json").write_text(tokenizer_json(), encoding="utf-8")
    if lengths:
        (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": lengths}))
    if pooling:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling/config.json").write_text(json.dumps({f"pooling_mode_{pooling}": True}))


def tokenizer_json() -> str:
    """Return a tokenizer that splits at spaces and puts a special token at each end."""
    special = [
        {
            "id": number,
            "content": WORDS[number],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for number in range(4)
    ]
    ends = [
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
    ]
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": {
                "strategy": {"Fixed": 8},
                "direction": "Right",
                "pad_to_multiple_of": None,
                "pad_id": 0,
                "pad_type_id": 0,
                "pad_token": "[PAD]",
            },
            "added_tokens": special,
            "normalizer": None,
            "pre_tokenizer": {"type": "WhitespaceSplit"},
            "post_processor": {
                "type": "TemplateProcessing",
                "single": ends,
                "pair": [*ends, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {
                    word: {"id": word, "ids": [WORDS.index(word)], "tokens": [word]} for word in ("[CLS]", "[SEP]")
                },
            },
            "decoder": None,
            "model": {
                "type": "WordLevel",
                "vocab": {word: number for number, word in enumerate(WORDS)},
                "unk_token": "[UNK]",
            },
        }
    )


def onnx_file() -> bytes:
    """Return a model that gathers rows of a table by `input_ids`: the protocol buffer, field by field."""
    table = [[1.0 + number, number % 3, -number, 1.0] for number in range(len(WORDS))]
    raw = b"".join(struct.pack("<4f", *row) for row in table)
    tensor = _number(1, len(WORDS)) + _number(1, 4) + _number(2, FLOAT) + _text(8, "table") + _bytes(9, raw)
    node = _text(1, "table") + _text(1, "input_ids") + _text(2, "last_hidden_state") + _text(4, "Gather")
    graph = (
        _bytes(1, node)
        + _text(2, "tiny")
        + _bytes(5, tensor)
        + _bytes(11, _value("input_ids", INT64, ("batch", "sequence")))
        + _bytes(12, _value("last_hidden_state", FLOAT, ("batch", "sequence", 4)))
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 13))


def _value(name: str, kind: int, shape: Iterable[str | int]) -> bytes:
    axes = b"".join(_bytes(1, _text(2, one) if isinstance(one, str) else _number(1, one)) for one in shape)
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, axes)))


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    pieces = bytearray()
    while value > 127:
        pieces.append(value & 127 | 128)
        value >>= 7
    return bytes([*pieces, value])
