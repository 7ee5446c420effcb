"""From the provider client's response to a `Reply`."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from userside.llm.exchange import Finish, Reply, Usage

if TYPE_CHECKING:  # two seconds to import, and half of this module does without
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.usage import RequestUsage

WORD_STARTS = "\u0120\u2581"
"""How byte-level and sentence-piece vocabularies show the space before a word (`Ġ`, `▁`)."""

_FINISHES = {"stop": Finish.STOP, "length": Finish.LENGTH, "content_filter": Finish.CONTENT_FILTER}

type TokenLogprob = Mapping[str, Any]


def reply_of(response: "ModelResponse", *, options: tuple[str, ...], sent: Mapping[str, Any], seconds: float) -> Reply:
    """Return the reply that a response carries.

    A refusal that came in a field of its own is the text. `raw` holds what has no field of its own: `reasoning` and
    `refusal` where there were any, `finish_reason` as the endpoint named it, `sent` (the parameters that really went
    out) and `top_logprobs` of the first token.
    """
    details: Mapping[str, Any] = response.provider_details or {}
    logprobs: list[TokenLogprob] = details.get("logprobs") or []
    first = first_word(logprobs)
    refusal: str | None = details.get("refusal")
    raw = {
        "id": response.provider_response_id,
        "finish_reason": details.get("finish_reason"),
        "sent": dict(sent),
        "reasoning": "".join(part.content for part in response.parts if part.part_kind == "thinking"),
        "refusal": refusal,
        "top_logprobs": first and {one["token"]: one["logprob"] for one in first.get("top_logprobs") or ()},
    }
    return Reply(
        text="".join(part.content for part in response.parts if part.part_kind == "text") or refusal or "",
        finish=Finish.STOP if refusal else _FINISHES.get(response.finish_reason or "", Finish.OTHER),
        usage=usage_of(response.usage),
        option_probabilities=option_probabilities(first, options=options) if options and first else None,
        model=response.model_name,
        seconds=seconds,
        raw={name: value for name, value in raw.items() if value},
    )


def usage_of(usage: "RequestUsage") -> Usage:
    """Return the tokens of a call; None where the endpoint told nothing."""
    if not usage.input_tokens and not usage.output_tokens:
        return Usage()
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cache_read_tokens or None,
    )


def first_word(logprobs: Iterable[TokenLogprob]) -> TokenLogprob | None:
    """Return the first token that is no blank: some templates begin an answer with a line break."""
    tokens = list(logprobs)
    return next((one for one in tokens if _spelling(one["token"])), tokens[0] if tokens else None)


def option_probabilities(first: TokenLogprob, *, options: tuple[str, ...]) -> dict[str, float]:
    """Return P(first token) of each option, 0..1 and not normalised: `Y`, ` Y` and `y` count as one.

    Case counts where two options differ by nothing else. An option that the vocabulary splits into several tokens
    gets what its whole spelling gets as a token, usually 0: choose options of one token.

    >>> first = {"token": "Y", "logprob": -0.5, "top_logprobs": [{"token": " y", "logprob": -1.5}]}
    >>> {option: round(p, 3) for option, p in option_probabilities(first, options=("Y", "N")).items()}
    {'Y': 0.83, 'N': 0.0}
    """
    fold = str.casefold if len({option.strip().casefold() for option in options}) == len(options) else str
    candidates = {one["token"]: one["logprob"] for one in cast("list[TokenLogprob]", first.get("top_logprobs") or [])}
    candidates.setdefault(first["token"], first["logprob"])
    sums: dict[str, float] = {}
    for token, logprob in candidates.items():
        spelling = fold(_spelling(token))
        sums[spelling] = sums.get(spelling, 0.0) + math.exp(min(0.0, logprob))
    return {option: min(1.0, sums.get(fold(option.strip()), 0.0)) for option in options}


def _spelling(token: str) -> str:
    return token.lstrip(WORD_STARTS).strip()
