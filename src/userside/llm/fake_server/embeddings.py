"""Vectors as OpenAI-compatible endpoints send them, whole and spoilt; texts that share words are alike."""

import base64
from typing import Any

import numpy as np

from userside.llm.embeddings_hashing import hashed_vectors
from userside.llm.fake_server.answers import Json
from userside.llm.fake_server.faults import Fault

DIMENSIONS = 256
CHARACTERS_A_TOKEN = 4


def inputs_of(body: Json) -> list[str]:
    """Return the texts of an embedding request, which may be one or a list; none for another request."""
    given: object = body.get("input", [])
    return [str(one) for one in given] if isinstance(given, list) else [str(given)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def embedding_list(body: Json) -> dict[str, Any]:
    """Return an embedding for each text, as numbers or, where the request says so, in base64."""
    texts = inputs_of(body)
    rows = hashed_vectors(texts, dimensions=int(body.get("dimensions") or DIMENSIONS))
    as_text = body.get("encoding_format") == "base64"
    tokens = sum(len(text) // CHARACTERS_A_TOKEN + 1 for text in texts)
    return {
        "object": "list",
        "data": [
            {
                "object": "embedding",
                "index": index,
                "embedding": base64.b64encode(row.astype("<f4").tobytes()).decode() if as_text else row.tolist(),
            }
            for index, row in enumerate(rows)
        ],
        "model": body.get("model"),
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def spoiled_embeddings(fault: Fault, body: Json) -> dict[str, Any] | None:
    """Return embeddings that are awkward in this way, or None when the fault is of another kind."""
    whole = embedding_list(dict(body) | {"encoding_format": "float"})
    match fault:
        case Fault.TRUNCATED:
            return whole | {"data": whole["data"][:-1]}
        case Fault.EMPTY:
            return whole | {"data": [one | {"embedding": [0.0] * DIMENSIONS} for one in whole["data"]]}
        case Fault.WRONG_JSON:
            return whole | {"data": [one | {"embedding": [np.nan] * DIMENSIONS} for one in whole["data"]]}
        case _:
            return None


CHAT_ONLY = frozenset({Fault.PROSE, Fault.THINKING, Fault.REFUSAL, Fault.ECHO, Fault.CONTENT_FILTER})
"""What cannot happen to embeddings: they are served whole."""
