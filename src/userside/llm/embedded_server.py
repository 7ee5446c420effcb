"""The embedded model's engine, llama.cpp in this process by way of `xllamacpp`: how it is set up and spoken to.

What the settings are for (measured on two cores, SmolLM2-135M and Qwen2.5-Coder 0.5B and 1.5B):

- Flash attention and repacked weights (`no_extra_bufts`) are off. With either, the probabilities of one and the same
  question moved by up to 0.1 in the logarithm with how much of its prompt was still held from the question before:
  the engine then adds up few tokens in another order than many. Without both they are equal bit for bit, however
  much is held and however many threads compute, from `FEWEST_AT_ONCE` tokens on. The 1.5B model takes as long (31 s
  of one core for a conversation of 400 tokens and 16 items, either way), loads in 2 s instead of 4 or more, and needs
  1.4 GB instead of 2.0.
- `n_ubatch` is 256: attention takes memory by batch and window, and 512 was no faster.
- Threads are set, never left to the engine: a second thread on a core that others use took seven times the CPU time
  (340 instead of 50 ms a token), because the threads wait for one another in every layer, and wait busily.
- The engine's own prompt cache is off (`cache_ram_mib`): by default it keeps up to 8 GB of past prompts. The one slot
  still holds the last prompt, and that is the prefix the items of one conversation share.
- The engine always listens on a loopback port, so it gets a key that nobody knows, and its inspection pages are off:
  other users of the machine could read conversations there.
"""

import importlib
import json
import os
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from userside.errors import InputError, MissingPartError, ModelError, RefusedError, TransientError, WeightsError
from userside.llm.exchange import Finish, Message, Reply, Request, Usage
from userside.llm.responses import option_probabilities

TOP_TOKENS = 50
"""Of how many first tokens the probability is read: `Yes`, `yes`, ` YES` and the like are rarely further down."""

FEWEST_AT_ONCE = 8
"""Fewer tokens than this the engine computes in another way than many, and the figures differ: such are asked afresh.

The words that ask for a format, and the chat template's own, are more than that: it concerns the very short.
"""

_FINISHES = {"stop": Finish.STOP, "length": Finish.LENGTH}
_SPECIAL = re.compile(r"<\|(?=[^<>|\s]{1,40}\|>)")


class Server(Protocol):
    """The part of the engine that is used."""

    def handle_chat_completions(self, body: Mapping[str, Any], /) -> Mapping[str, Any]:
        """Return the answer to a chat completion in OpenAI's terms, or an object with `error`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """How the engine is set up.

    Attributes:
        weights: A GGUF file.
        context_window: Tokens that prompt and answer may have together.
        threads: Threads that compute.
    """

    weights: Path
    context_window: int
    threads: int


def import_engine() -> Any:
    """Return the module `xllamacpp`, which takes 100 MB on disk and is not needed for anything else.

    Raises:
        MissingPartError: It is not installed.
    """
    try:
        return importlib.import_module("xllamacpp")
    except ImportError as error:
        raise MissingPartError(f"local: the embedded model's engine is not installed ({error})").with_note(
            "Install it: pip install 'userside[local]'"
        ) from None


def start_server(settings: ServerSettings) -> Server:
    """Return the engine with the weights loaded; takes seconds. It ends when nothing refers to it any more.

    Raises:
        MissingPartError: The engine is not installed.
        WeightsError: The engine cannot load the file.
    """
    engine = import_engine()
    try:
        return cast("Server", engine.Server(_parameters(engine, settings)))
    except (RuntimeError, ValueError) as error:
        raise WeightsError(f"{settings.weights}: the engine cannot load it ({error})").with_note(
            "Delete the file so that it is fetched again; or there was too little memory."
        ) from None


def _parameters(engine: Any, settings: ServerSettings) -> Any:
    parameters = engine.CommonParams()
    parameters.model.path = str(settings.weights)
    parameters.cpuparams.n_threads = settings.threads
    parameters.cpuparams_batch.n_threads = settings.threads
    values = {
        "n_ctx": settings.context_window,
        "n_parallel": 1,
        "n_ubatch": 256,
        "no_extra_bufts": True,
        "cache_ram_mib": 0,
        "flash_attn_type": engine.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED,
        "n_gpu_layers": 0,
        "warmup": False,
        "verbosity": -1,  # nothing on stderr, which belongs to progress and to our own errors
        "endpoint_slots": False,
        "ui": False,
        "api_keys": [secrets.token_hex(32)],
    }
    for name, value in values.items():
        setattr(parameters, name, value)
    return parameters


def thread_count(*, cores: int, load: float, environment: Mapping[str, str] = os.environ) -> int:
    """Return how many threads compute: `USERSIDE_THREADS`, else one core less than there are.

    One core stays free because a thread without a core of its own stalls all others. Two cores are the exception
    while the machine is idle (load average under 1): the second one nearly halves the time.

    >>> [thread_count(cores=cores, load=0.2, environment={}) for cores in (1, 2, 8)]
    [1, 2, 7]
    >>> thread_count(cores=2, load=1.5, environment={})
    1

    Raises:
        InputError: `USERSIDE_THREADS` is no number from 1.
    """
    wanted = environment.get("USERSIDE_THREADS")
    if wanted:
        if not wanted.isascii() or not wanted.isdigit() or int(wanted) < 1:
            raise InputError(f"USERSIDE_THREADS: wanted a whole number from 1, not {wanted!r}")
        return int(wanted)
    if cores == 2 and load < 1:  # noqa: PLR2004 - see above
        return cores
    return max(1, cores - 1)


def put(server: Server, request: Request, *, identity: str, reuse: bool) -> Reply:
    """Return the engine's answer to one request; blocks until it is there.

    Args:
        server: The engine.
        request: What is asked.
        identity: What the model is called.
        reuse: Compute only what the prompt does not share with the one before.

    Raises:
        RefusedError: It is too long for the context window, malformed, or the engine cannot follow its schema.
        TransientError: The engine failed.
    """
    body = body_of(request, identity=identity)
    started = time.perf_counter()
    answer = _complete(server, body | {"cache_prompt": reuse}, request, identity=identity)
    reply = reply_of(answer, request, identity=identity, seconds=time.perf_counter() - started)
    if not 0 < _computed(reply) < FEWEST_AT_ONCE or not reply.usage.cached_tokens:
        return reply
    answer = _complete(server, body | {"cache_prompt": False}, request, identity=identity)
    return reply_of(answer, request, identity=identity, seconds=time.perf_counter() - started)


def _complete(server: Server, body: Mapping[str, Any], request: Request, *, identity: str) -> Mapping[str, Any]:
    try:
        return server.handle_chat_completions(body)
    except Exception as error:  # whatever C++ threw
        raise _failure(error, request, identity=identity) from None


def _computed(reply: Reply) -> int:
    return (reply.usage.input_tokens or 0) - (reply.usage.cached_tokens or 0)


def body_of(request: Request, *, identity: str) -> dict[str, Any]:
    """Return a request in the engine's terms, which are OpenAI's with a few of its own.

    Raises:
        RefusedError: There is no message: the engine would make up a text of its own.
    """
    if not request.messages:
        raise RefusedError(f"{identity}: a request without messages", reason="bad_request")
    optional = {
        "temperature": request.sampling.temperature,
        "top_p": request.sampling.top_p,
        "seed": request.seed,
    }
    body: dict[str, Any] = {
        "messages": [_message(message) for message in request.messages],
        "max_tokens": request.max_output,
    }
    body |= {name: value for name, value in optional.items() if value is not None}
    if request.token_options:
        body |= {"max_tokens": 1, "temperature": 0, "logprobs": True, "top_logprobs": TOP_TOKENS}
    elif request.schema is not None:
        schema = {"name": "answer", "strict": True, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def _message(message: Message) -> dict[str, str]:
    return {"role": message.role.value, "content": defused(message.text)}


def defused(text: str) -> str:
    """Return text that the engine reads as text: it takes `<|im_end|>` in a message for the message's end.

    A transcript could so speak in the judge's own voice. Lone surrogates, which JSON cannot carry, are replaced.

    >>> defused("<|im_end|> and a < b | c > d")
    '<| im_end|> and a < b | c > d'
    """
    return _SPECIAL.sub("<| ", text).encode("utf-8", "replace").decode("utf-8")


def _failure(error: Exception, request: Request, *, identity: str) -> ModelError:
    if request.schema is not None and isinstance(error, ValueError):
        return RefusedError(f"{identity}: cannot follow the JSON Schema ({error})", reason="schema")
    return TransientError(f"{identity}: the engine failed ({type(error).__name__}: {error})", reason="server_error")


def reply_of(answer: Mapping[str, Any], request: Request, *, identity: str, seconds: float) -> Reply:
    """Return the reply that the engine's answer carries.

    Raises:
        RefusedError: The answer is that there will be none.
        TransientError: The answer is an error, or not in the expected form.
    """
    if "error" in answer:
        raise _refusal(answer["error"], identity=identity)
    try:
        choice, used = answer["choices"][0], answer["usage"]
        first = choice["logprobs"]["content"][0] if request.token_options else None
        return Reply(
            text=choice["message"].get("content") or "",
            finish=_FINISHES.get(choice.get("finish_reason", ""), Finish.OTHER),
            usage=Usage(
                input_tokens=used["prompt_tokens"],
                output_tokens=used["completion_tokens"],
                cached_tokens=used.get("prompt_tokens_details", {}).get("cached_tokens"),
            ),
            option_probabilities=option_probabilities(first, options=request.token_options) if first else None,
            model=identity,
            seconds=seconds,
            raw={"finish_reason": choice.get("finish_reason")} | _top_logprobs(first),
        )
    except (KeyError, IndexError, TypeError) as error:
        text = json.dumps(answer, default=str)[:200]
        raise TransientError(f"{identity}: an answer without {error}: {text}", reason="server_error") from None


def _top_logprobs(first: Mapping[str, Any] | None) -> dict[str, Any]:
    if first is None:
        return {}
    return {"top_logprobs": {one["token"]: round(one["logprob"], 6) for one in first["top_logprobs"]}}


def _refusal(error: Mapping[str, Any], *, identity: str) -> ModelError:
    message = str(error.get("message", error))
    if error.get("type") == "exceed_context_size_error":
        sent, most = error.get("n_prompt_tokens"), error.get("n_ctx")
        return RefusedError(
            f"{identity}: the prompt has {sent} tokens and the context window {most}", reason="context_window"
        )
    code = error.get("code")
    if isinstance(code, int) and 400 <= code < 500:  # noqa: PLR2004 - HTTP
        return RefusedError(f"{identity}: {message}", reason="bad_request")
    return TransientError(f"{identity}: {message}", reason="server_error")
