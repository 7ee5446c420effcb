"""Questions answered elsewhere: what waits goes out in OpenAI's batch layout, and answers come back in it.

Any program can answer: a line of requests has `custom_id`, `url` and `body` (a chat completion request, or an embedding
request for one text), a line of responses has `custom_id` and either `response.body` (a chat completion, or a list of
one embedding) or `error`. Lines join on `custom_id`, in any order.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from userside.errors import FormatError
from userside.llm.embeddings import Encoded, Passage, unit_rows
from userside.llm.embeddings_stored import blobs_of
from userside.llm.exchange import Finish, Reply, Request, Usage
from userside.llm.store import Answer, AnswerStore, Refusal, Waiting
from userside.llm.stored import Price, unpriced

_FINISHES = {"stop": Finish.STOP, "length": Finish.LENGTH, "content_filter": Finish.CONTENT_FILTER}
_FINAL = {400: "bad_request", 413: "context_window", 422: "bad_request"}
"""Statuses after which the same request would fail again; every other failure is asked for once more."""
_TOO_LONG = ("context_length", "context window", "maximum context", "too long")
_FILTERED = ("content_filter", "content_policy", "content management policy")


def request_line(key: str, identity: str, request: Waiting) -> dict[str, Any]:
    """Return a pending request as a line of a batch file."""
    provider, _, rest = identity.partition(":")
    model, _, base_url = rest.partition("@")
    if isinstance(request, Passage):
        body, url = {"input": request.text}, "/v1/embeddings"
    else:
        body, url = _chat_body(request, own_address=provider == "openai" and not base_url), "/v1/chat/completions"
    return {"custom_id": key, "method": "POST", "url": url, "body": {"model": model} | body}


def _chat_body(request: Request, *, own_address: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "messages": [{"role": one.role.value, "content": one.text} for one in request.messages],
        "max_completion_tokens" if own_address else "max_tokens": request.max_output,
    }
    optional = {"temperature": request.sampling.temperature, "top_p": request.sampling.top_p, "seed": request.seed}
    body |= {name: value for name, value in optional.items() if value is not None}
    if request.schema is not None:
        schema = {"name": "answer", "schema": request.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if request.token_options:
        body |= {"logprobs": True, "top_logprobs": 20}
    return body


def export_requests(store: AnswerStore) -> Iterator[str]:
    """Yield a line for each request that waits, with its line break."""
    for key, identity, request in store.pending():
        yield json.dumps(request_line(key, identity, request), ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of a file of responses.

    Attributes:
        answers: Taken as answers, vectors among them.
        refusals: The endpoint's final word that it will not answer.
        failed: Failures worth another attempt; those requests go out again.
        foreign: Lines whose `custom_id` waits for nothing here (answered before, or of another run).
        unreadable: Lines that are no response: line number and why.
        still_pending: Requests that no line answered.
    """

    answers: int = 0
    refusals: int = 0
    failed: int = 0
    foreign: int = 0
    unreadable: tuple[tuple[int, str], ...] = ()
    still_pending: int = 0


class _Line(BaseModel):
    """A line of a batch's output or error file, as far as it is needed."""

    model_config = ConfigDict(extra="ignore")

    class Response(BaseModel):
        """The HTTP answer inside."""

        status_code: int = 200
        body: dict[str, Any] | None = None

    custom_id: str
    response: Response | None = None
    error: dict[str, Any] | None = None


@dataclass(slots=True)
class _Importer:
    store: AnswerStore
    price: Price
    embedding_price: Price
    waiting: dict[str, tuple[str, Waiting]]
    tally: Counter[str] = field(default_factory=Counter[str])
    unreadable: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def take(self, number: int, text: str) -> None:
        try:
            line = _Line.model_validate_json(text)
        except ValidationError as error:
            self.unreadable.append((number, error.errors(include_url=False)[0]["msg"]))
            return
        if line.custom_id not in self.waiting:
            self.tally["foreign"] += 1
            return
        identity, request = self.waiting[line.custom_id]
        if isinstance(request, Passage):
            outcome = self._keep_vector(line, identity, request)
        else:
            outcome = self._keep_answer(line, identity, request)
        self.tally[outcome] += 1
        if outcome != "failed":
            del self.waiting[line.custom_id]

    def _keep_answer(self, line: _Line, identity: str, request: Request) -> str:
        """Keep the answer in a line, if there is one, and return what it counts as."""
        answer = _answer_of(line, request)
        if answer is None:
            return "failed"
        cost = self.price(answer) if isinstance(answer, Reply) else 0.0
        self.store.keep(line.custom_id, answer, identity=identity, subjects=request.subjects, cost=cost)
        return "answers" if isinstance(answer, Reply) else "refusals"

    def _keep_vector(self, line: _Line, identity: str, passage: Passage) -> str:
        """Keep the vector in a line, if there is one, and return what it counts as."""
        body = line.response.body if line.response else None
        encoded = _encoded_of(body or {})
        key = line.custom_id
        if encoded is None:
            refusal = _refusal_of(line)
            if refusal:
                self.store.keep(key, refusal, identity=identity, subjects=passage.subjects, cost=0.0)
            return "refusals" if refusal else "failed"
        usage = encoded.usage
        cost = self.embedding_price(Reply(text="", usage=usage))
        [blob] = blobs_of(encoded.vectors)
        self.store.keep_vectors({key: blob}, {key: passage.subjects}, identity=identity, usage=usage, cost=cost)
        return "answers"


def import_responses(
    store: AnswerStore, files: Iterable[Path], *, price: Price, embedding_price: Price = unpriced
) -> Imported:
    """Return what became of the lines of output and error files; every answer is in the store afterwards.

    Args:
        store: What waits, and where answers go.
        files: Output and error files of batches.
        price: What an answer costs.
        embedding_price: What a vector costs.

    Raises:
        FormatError: A file is missing, or not one of its lines is a response.
    """
    waiting = {key: (identity, request) for key, identity, request in store.pending()}
    importer = _Importer(store, price, embedding_price, waiting)
    for path in files:
        _import_file(importer, path)
    return Imported(
        answers=importer.tally["answers"],
        refusals=importer.tally["refusals"],
        failed=importer.tally["failed"],
        foreign=importer.tally["foreign"],
        unreadable=tuple(importer.unreadable),
        still_pending=len(importer.waiting),
    )


def _import_file(importer: _Importer, path: Path) -> None:
    try:
        # Not `splitlines`: JSON may hold other line breaks, such as U+2028, as they are.
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: wanted a file of batch responses, and it cannot be read ({error})") from None
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    before = len(importer.unreadable)
    for number, line in filled:
        importer.take(number, line)
    bad = importer.unreadable[before:]
    if filled and len(bad) == len(filled):
        where = f"{path}:{bad[0][0]}"
        raise FormatError(f"{where}: wanted a batch response with a custom_id, not {filled[0][1]!r:.80}").with_note(
            "Give the output and error files of the batch, not its requests."
        )


def _answer_of(line: _Line, request: Request) -> Answer | None:
    """Return the answer in a line, or None when the request is to go out again."""
    if line.response and line.response.status_code == 200 and line.response.body:  # noqa: PLR2004 - HTTP
        return reply_of_completion(line.response.body, request=request)
    return _refusal_of(line)


def _refusal_of(line: _Line) -> Refusal | None:
    """Return the endpoint's final word in a line, or None when another attempt may help."""
    body = line.response.body if line.response else None
    status = line.response.status_code if line.response else 0
    complaint = json.dumps(body or line.error or {}, ensure_ascii=False)
    if any(sign in complaint for sign in _TOO_LONG):
        return Refusal(reason="context_window", message=complaint)
    if any(sign in complaint for sign in _FILTERED):
        return Refusal(reason="content_filter", message=complaint)
    return Refusal(reason=_FINAL[status], message=complaint) if status in _FINAL else None


def _encoded_of(body: Mapping[str, Any]) -> Encoded | None:
    """Return the vector in the body of an embedding response, or None when it is none."""
    try:
        [entry] = body["data"]
        vectors = np.asarray([entry["embedding"]], dtype=np.float64)
        tokens = int(body["usage"]["prompt_tokens"]) if body.get("usage") else None
    except (LookupError, TypeError, ValueError):
        return None
    if vectors.ndim != 2 or not np.isfinite(vectors).all() or not vectors.any():  # noqa: PLR2004 - rows and columns
        return None
    return Encoded(
        vectors=unit_rows(vectors), usage=Usage(input_tokens=tokens, output_tokens=None if tokens is None else 0)
    )


def reply_of_completion(body: Mapping[str, Any], *, request: Request) -> Reply | None:
    """Return the reply in the body of a chat completion, or None when it is none."""
    from userside.llm.responses import first_word, option_probabilities  # pydantic-ai is slow to import

    try:
        choice: dict[str, Any] = body["choices"][0]
        message: dict[str, Any] = choice["message"]
        said = message.get("content") or message.get("refusal")
        logprobs: dict[str, Any] = choice.get("logprobs") or {}
        first = first_word(logprobs.get("content") or []) if request.token_options else None
        tokens: dict[str, Any] = body.get("usage") or {}
        return Reply(
            text=said if isinstance(said, str) else "",
            finish=_FINISHES.get(str(choice.get("finish_reason")), Finish.OTHER),
            usage=Usage(input_tokens=tokens.get("prompt_tokens"), output_tokens=tokens.get("completion_tokens")),
            option_probabilities=option_probabilities(first, options=request.token_options) if first else None,
            model=str(body["model"]) if body.get("model") else None,
            raw={"refusal": refusal} if (refusal := message.get("refusal")) else {},
        )
    except (LookupError, TypeError, AttributeError):
        return None
