"""Bodies and statuses as OpenAI-compatible endpoints send them, whole and spoilt."""

import json
import math
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from userside.llm.fake_server.answers import Json, token_probabilities
from userside.llm.fake_server.faults import Fault, Rule

MOST_TOP_LOGPROBS = 20
CHARACTERS_A_TOKEN = 4

THOUGHTS = 'They asked twice, so {"n": 1} or 2? I would not say 10. Then again, yes.'

_AWKWARD_TEXTS: Mapping[Fault, str] = {
    Fault.EMPTY: "",
    Fault.WRONG_JSON: '{"verdict": ["perhaps", null], "confidence": "high"}',
    Fault.PROSE: "Hard to say; on the whole the person seemed to get along with it.",
}
_ERRORS: Mapping[Fault, tuple[int, str, str]] = {
    Fault.RATE_LIMITED: (429, "rate_limit_exceeded", "Rate limit reached for requests."),
    Fault.SERVER_ERROR: (500, "server_error", "The server had an error while processing the request."),
    Fault.UNAVAILABLE: (503, "service_unavailable", "The service is not available."),
    Fault.BAD_KEY: (401, "invalid_api_key", "Incorrect API key provided."),
    Fault.NO_QUOTA: (429, "insufficient_quota", "You exceeded your current quota."),
    Fault.NO_SUCH_MODEL: (404, "model_not_found", "The model does not exist."),
    Fault.CONTEXT_WINDOW: (400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."),
    Fault.FILTERED_PROMPT: (400, "content_filter", "The prompt was filtered by the content management policy."),
}


def failed_call(rule: Rule) -> web.Response:
    """Return the response of a call that brings no chat completion."""
    match rule.fault:
        case Fault.HTML_PAGE:
            return web.Response(text="<html><body><h1>Bad gateway</h1></body></html>", content_type="text/html")
        case Fault.HALF_A_BODY:
            return web.Response(text='{"id": "chatcmpl-1", "choices": [{"mess', content_type="application/json")
        case Fault.NO_CHOICES:
            return web.json_response({"id": "chatcmpl-1", "object": "chat.completion", "choices": []})
        case Fault.HANG | Fault.RESET:
            return web.Response(status=500)  # nobody is there any more to read it
        case fault:
            status, code, message = _ERRORS[fault]
            headers = {} if rule.seconds is None else {"Retry-After": f"{rule.seconds:g}"}
            error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
            return web.json_response({"error": error}, status=status, headers=headers)


def completion(body: Json, *, text: str | None, finish: str = "stop", refusal: str | None = None) -> dict[str, Any]:
    """Return a chat completion that says `text`."""
    wants_logprobs = bool(body.get("logprobs"))
    return {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": body.get("model"),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": refusal},
                "finish_reason": finish,
                "logprobs": {"content": [_logprob(body)], "refusal": None} if wants_logprobs and text else None,
            }
        ],
        "usage": _usage(body, text or ""),
    }


def spoiled(fault: Fault, body: Json, *, text: str) -> dict[str, Any] | None:
    """Return a chat completion whose answer is awkward in this way, or None when the fault is of another kind."""
    match fault:
        case Fault.TRUNCATED:
            return completion(body, text=text[: len(text) // 2], finish="length")
        case Fault.REFUSAL:
            return completion(body, text=None, refusal="I cannot help with judging this conversation.")
        case Fault.CONTENT_FILTER:
            return completion(body, text="", finish="content_filter")
        case Fault.THINKING:
            return completion(body, text=f"<think>\n{THOUGHTS}\n</think>\n\n{text}")
        case Fault.ECHO:
            return completion(body, text=str(body["messages"][-1]["content"]))
        case _:
            return completion(body, text=_AWKWARD_TEXTS[fault]) if fault in _AWKWARD_TEXTS else None


def _logprob(body: Json) -> dict[str, Any]:
    wanted = min(int(body.get("top_logprobs") or 0), MOST_TOP_LOGPROBS)
    ranked = [(token, math.log(probability)) for token, probability in token_probabilities(body).items()]
    top = [{"token": token, "logprob": value, "bytes": list(token.encode())} for token, value in ranked[:wanted]]
    token, value = ranked[0]
    return {"token": token, "logprob": value, "bytes": list(token.encode()), "top_logprobs": top}


def _usage(body: Json, text: str) -> dict[str, Any]:
    prompt = sum(len(str(message.get("content"))) for message in body.get("messages") or ()) // CHARACTERS_A_TOKEN
    answer = len(text) // CHARACTERS_A_TOKEN + 1
    cached = {"cached_tokens": 0}
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
        "prompt_tokens_details": cached,
    }


def read_body(raw: bytes) -> dict[str, Any] | None:
    """Return the JSON object of a request body, or None when it is none."""
    try:
        body: object = json.loads(raw)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None  # pyright: ignore[reportUnknownVariableType]
