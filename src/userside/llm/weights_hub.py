"""Weights from their publisher's hub, over HTTPS: resumed where a download broke off, given up soon where no hub is."""

import http.client
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from userside.errors import WeightsError
from userside.llm.catalogue import HubFile
from userside.llm.weights_source import PATIENCE, Errand, Progress, megabytes

HUB = "https://huggingface.co"
"""Where publishers keep weights; `HF_ENDPOINT` names a mirror."""

STALL = 20.0
"""Seconds that a download under way may stand still."""

ATTEMPTS = 2
"""How often in a row a download may fail without a new byte."""

PAUSE = 1.0
"""Seconds before a download that broke off goes on."""

_CHUNK = 1 << 20


class NoSuchFileError(WeightsError):
    """The hub has no such file."""


def download(errand: Errand) -> Path:
    """Return the publisher's file, not verified yet. What is here of it stays for the next time when it breaks off.

    Raises:
        WeightsError: The hub has no such file, is out of reach, or breaks off again and again.
    """
    hub = errand.entry.hub
    if hub is None:
        raise WeightsError("no file of the publisher with this SHA-256 is known")
    url = hub_address(hub, errand.environment)
    errand.say(f"{errand.entry.name}: fetching {megabytes(errand.entry.bytes)} from its publisher, {url}")
    return _complete(errand, url, errand.folder / f"{errand.entry.sha256}.part")


def hub_address(file: HubFile, environment: Mapping[str, str]) -> str:
    """Return where a file of the hub, or of its mirror, is.

    Raises:
        WeightsError: `HF_ENDPOINT` is no address.
    """
    host = environment.get("HF_ENDPOINT") or HUB
    url = f"{host.rstrip('/')}/{urllib.parse.quote(f'{file.repository}/resolve/main/{file.file}')}"
    if urllib.parse.urlsplit(url).scheme not in {"http", "https"}:
        raise WeightsError(f"HF_ENDPOINT: wanted an address with https://, not {host!r}")
    return url


def _complete(errand: Errand, url: str, part: Path) -> Path:
    """Return the part once it is the whole, after as many attempts as bring it further."""
    idle = 0
    name = errand.entry.name
    while (here := _size(part)) != errand.entry.bytes:
        try:
            _fetch_on(errand, url, part)
        except (OSError, http.client.HTTPException) as error:
            idle = idle + 1 if _size(part) <= here else 0
            # A hub that cannot be reached at all is not tried again: the next source may be near.
            if idle >= ATTEMPTS or not _size(part):
                raise WeightsError(f"{url}: {cause_of(error)}") from None
            errand.say(f"{name}: broke off at {megabytes(_size(part))} ({cause_of(error)}); going on")
            errand.stop.wait(PAUSE)
    return part


def _fetch_on(errand: Errand, url: str, part: Path) -> None:
    """Add to the part what is still missing, or a piece of it."""
    here = _size(part)
    if here > errand.entry.bytes:
        part.unlink()
        here = 0
    with open_url(url, first=here, patience=errand.patience) as response:
        first = _first_byte(response, wanted=here)
        _check_size(response, errand, url, first=first)
        progress = Progress(errand, done=first)
        with part.open("ab" if first else "wb") as file:
            while chunk := response.read1(_CHUNK):
                errand.go_on()
                file.write(chunk)
                progress.at(file.tell())
                if file.tell() > errand.entry.bytes:
                    raise WeightsError(f"{url}: more than the {errand.entry.bytes} bytes that the catalogue says")
    if _size(part) < errand.entry.bytes:
        raise http.client.IncompleteRead(b"", errand.entry.bytes - _size(part))


def open_url(url: str, *, first: int = 0, patience: float = PATIENCE) -> http.client.HTTPResponse:
    """Return the response for a file, from byte `first` on where the server can; close it.

    Raises:
        NoSuchFileError: The server has no such file.
        WeightsError: It refuses.
        OSError: It is out of reach or fails.
    """
    request = urllib.request.Request(url, headers={"User-Agent": "userside", "Accept-Encoding": "identity"})  # noqa: S310 - http(s), see `download`
    if first:
        request.add_header("Range", f"bytes={first}-")
    try:
        return _within(patience, lambda: urllib.request.urlopen(request, timeout=STALL))  # noqa: S310 - as above
    except urllib.error.HTTPError as error:
        error.close()
        if error.code >= http.HTTPStatus.INTERNAL_SERVER_ERROR:
            raise OSError(f"HTTP {error.code} {error.reason}") from None
        kind = NoSuchFileError if error.code == http.HTTPStatus.NOT_FOUND else WeightsError
        raise kind(f"{url}: HTTP {error.code} {error.reason}") from None


def _within(seconds: float, work: Callable[[], Any]) -> Any:
    """Return what the work returns, or give up on it: looking a name up and connecting have no common timeout."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="weights-hub").start()
    try:
        return future.result(timeout=seconds)
    except TimeoutError:
        raise OSError(f"no answer within {seconds:g} s") from None


def _first_byte(response: http.client.HTTPResponse, *, wanted: int) -> int:
    """Return where in the file the response begins: a server may ignore the range and send the whole."""
    if response.status != http.HTTPStatus.PARTIAL_CONTENT:
        return 0
    span = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    if span is None or int(span[1]) != wanted:
        raise OSError(f"asked for bytes from {wanted}, got {response.headers.get('Content-Range')!r}")
    return wanted


def _check_size(response: http.client.HTTPResponse, errand: Errand, url: str, *, first: int) -> None:
    """Refuse what cannot be the file before it is fetched: a page of a captive portal, another version."""
    length = response.headers.get("Content-Length")
    if length is not None and first + int(length) != errand.entry.bytes:
        raise WeightsError(f"{url}: wanted {errand.entry.bytes} bytes, and it has {first + int(length)}")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def cause_of(error: Exception) -> str:
    """Return why a connection failed."""
    reason = getattr(error, "reason", None) or error
    return f"{type(reason).__name__}: {reason}" if isinstance(reason, Exception) else str(reason)
