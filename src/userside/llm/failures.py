"""From what the provider's client raises to what Userside does about it."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
from pydantic_ai import exceptions as theirs

from userside.errors import (
    AccessError,
    ModelError,
    RateLimitedError,
    RefusedError,
    TransientError,
    UnknownModelError,
)

LONGEST_QUOTE = 300
SHORTEST_KEY = 7
"""Characters; what is shorter is a placeholder, not a secret."""
_TOO_LONG = re.compile(
    r"context.{0,12}(?:length|window|size)|maximum context|(?:prompt|input) is too long|too many (?:input )?tokens|"
    r"input token count|reduce the length",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content.{0,3}filter|content management policy|content_policy|safety system", re.IGNORECASE)
_MALFORMED = (theirs.UnexpectedModelBehavior, LookupError, TypeError, AttributeError, ValueError)
"""What reading an impossible answer ends in: not JSON, a proxy's HTML page, no choices."""

EXPECTED = (theirs.AgentRunError, theirs.UserError, TimeoutError, OSError, aiohttp.ClientError, *_MALFORMED)
"""Everything that a call through the provider's client may raise for a reason outside this program."""


def failure_of(error: Exception, *, where: str, hidden: str = "") -> ModelError:
    """Return what a failed call means.

    Args:
        error: One of `EXPECTED`.
        where: Provider and model, for the message.
        hidden: A key that no message may show, should the endpoint repeat it.
    """
    said = complaint_of(error).replace(hidden, "…") if len(hidden) > SHORTEST_KEY else complaint_of(error)
    quote = f"{where}: {_shortened(said)}"
    match error:
        case theirs.ModelRateLimitError():
            return RateLimitedError(quote, retry_after=_retry_after_of(error))
        case theirs.ModelAPIError() if isinstance(status := getattr(error, "status_code", None), int):
            return _final_failure(error, quote) or _failure_by_status(status, quote)
        case theirs.ModelRequestTimeout() | theirs.ModelConnectionError() | OSError() | aiohttp.ClientError():
            return TransientError(quote, reason="timeout" if _is_timeout(error) else "connection")
        case theirs.ContentFilterError() | theirs.UserError() | theirs.ModelRequestRejectedError():
            reason = "content_filter" if isinstance(error, theirs.ContentFilterError) else "bad_request"
            return RefusedError(quote, reason=reason)
        case _:
            return TransientError(f"{where}: not an answer: {_shortened(said)}", reason="server_error")


def complaint_of(error: Exception) -> str:
    """Return what the endpoint said, and the parameter and the code it named."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        said: Mapping[str, Any] = body  # pyright: ignore[reportUnknownVariableType]
        inner = said.get("error")
        said = inner if isinstance(inner, Mapping) else said  # pyright: ignore[reportUnknownVariableType]
        text = str(said.get("message") or said)
        parameter = said.get("param")
        code = said.get("code")
        text = f"{text} [{parameter}]" if parameter else text
        text = f"{text} ({code})" if code else text
    else:
        text = str(error) or type(error).__name__
    return text


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


def is_rejection(error: Exception) -> bool:
    """Tell whether the endpoint refused how the question was put, so that another way may do."""
    status = getattr(error, "status_code", None)
    final = (theirs.ModelAuthenticationError, theirs.ModelNotFoundError, theirs.ModelContextWindowExceededError)
    return status in {400, 422, 501} and not isinstance(error, final)


def retry_after(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Return the seconds an answer's headers (names in lower case) ask to wait, or None.

    Reads `retry-after-ms`, and `retry-after` in seconds (whole or not) or as an HTTP date (RFC 9110, 10.2.3).

    >>> retry_after({"retry-after-ms": "1500", "retry-after": "2"})
    1.5
    >>> retry_after({"retry-after": "soon"}) is None
    True
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        moment = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _final_failure(error: theirs.ModelAPIError, quote: str) -> ModelError | None:
    """Return the failure that another attempt would meet too, where the provider named it as such."""
    match error:
        case theirs.ModelQuotaExceededError():
            return AccessError(quote).with_note("The account's quota or credit is used up.")
        case theirs.ModelAuthenticationError():
            return AccessError(quote).with_note("Check the key, and that it may use this model.")
        case theirs.ModelNotFoundError():
            return UnknownModelError(quote).with_note("Check the model's name and the base URL.")
        case theirs.ModelContextWindowExceededError():
            return RefusedError(quote, reason="context_window")
        case _:
            return None


def _failure_by_status(status: int, quote: str) -> ModelError:
    if status == 413 or (status in {400, 422} and _TOO_LONG.search(quote)):  # noqa: PLR2004 - HTTP
        return RefusedError(quote, reason="context_window")
    if status == 408:  # noqa: PLR2004 - HTTP
        return TransientError(quote, reason="timeout")
    if status >= 500 or status in {409, 425}:  # noqa: PLR2004 - HTTP
        return TransientError(quote, reason="server_error")
    return RefusedError(quote, reason="content_filter" if _FILTERED.search(quote) else "bad_request")


def _retry_after_of(error: theirs.ModelRateLimitError) -> float | None:
    headers = getattr(error, "headers", None)
    if isinstance(headers, Mapping) and (seconds := retry_after(headers)) is not None:  # pyright: ignore[reportUnknownArgumentType]
        return seconds
    return error.retry_after


def _is_timeout(error: Exception) -> bool:
    """Tell a timeout from a broken connection, which the aiohttp transport reports as a timeout too."""
    causes = list(_causes(error))
    if isinstance(error, TimeoutError | theirs.ModelRequestTimeout):
        return True
    if any(isinstance(cause, aiohttp.ClientError) for cause in causes):
        return any(isinstance(cause, TimeoutError) for cause in causes)
    return isinstance(error, theirs.ModelTimeoutError)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
