"""A publisher's hub on loopback that serves, resumes, breaks off, lies and keeps silent, as told."""

import re
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Way(StrEnum):
    """How one request is answered."""

    WELL = "well"
    BREAK_OFF = "break off"
    BREAK_AT_ONCE = "break at once"
    IGNORE_RANGE = "ignore range"
    WRONG_RANGE = "wrong range"
    CORRUPT = "corrupt"
    SHORTER = "shorter"
    ENDLESS = "endless"
    MISSING = "missing"
    FAILING = "failing"
    SILENT = "silent"


@dataclass(slots=True)
class Hub:
    """What was asked, and how to answer next; the last way stays."""

    content: bytes
    ways: list[Way]
    address: str = ""
    asked: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])
    closing: threading.Event = field(default_factory=threading.Event)

    def next_way(self) -> Way:
        return self.ways.pop(0) if len(self.ways) > 1 else self.ways[0]


@contextmanager
def hub(content: bytes, ways: Sequence[Way] = (Way.WELL,)) -> Generator[Hub]:
    """Serve the content in these ways, one request after the other."""
    state = Hub(content, list(ways))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            state.asked.append((self.path, self.headers.get("Range")))
            answer(self, state)
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has there
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        state.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def answer(handler: BaseHTTPRequestHandler, state: Hub) -> None:
    way, content = state.next_way(), state.content
    if way is Way.SILENT:
        state.closing.wait(20)
        return
    if way in {Way.MISSING, Way.FAILING}:
        handler.send_error(404 if way is Way.MISSING else 503)
        return
    asked = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range") or "")
    first = int(asked[1]) if asked and way is not Way.IGNORE_RANGE else 0
    if way is Way.CORRUPT:
        content = bytes([content[0] ^ 1]) + content[1:]
    if way is Way.SHORTER:
        content = content[:-7]
    body = content[first:]
    handler.send_response(206 if asked and way is not Way.IGNORE_RANGE else 200)
    if asked and way is not Way.IGNORE_RANGE:
        told = first + 1 if way is Way.WRONG_RANGE else first
        handler.send_header("Content-Range", f"bytes {told}-{len(content) - 1}/{len(content)}")
    if way is not Way.ENDLESS:
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    sent = {Way.BREAK_OFF: body[: len(body) // 2], Way.BREAK_AT_ONCE: b"", Way.ENDLESS: body + b"and more"}
    handler.wfile.write(sent.get(way, body))
