"""An OpenAI-compatible endpoint on the loopback, which answers from a hash and fails on demand."""

import asyncio
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from userside.llm.fake_server.answers import Json, answer, question_of
from userside.llm.fake_server.embeddings import CHAT_ONLY, embedding_list, inputs_of, spoiled_embeddings
from userside.llm.fake_server.faults import Fault, Rule
from userside.llm.fake_server.responses import completion, failed_call, read_body, spoiled

type Answer = Callable[[dict[str, Any]], str]

LARGEST_BODY = 64 * 2**20
A_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """How the endpoint behaves.

    Attributes:
        delay: Seconds before any answer.
        rules: What goes wrong. The first rule that meets a request decides; delays add up besides.
        seed: Chooses which questions the rules meet.
        refuses: Names of request fields that get a 400 which names them (`temperature`, `response_format`, …).
        key: Where set, the only API key that is let in.
        longest_input: Characters; a request to embed a longer text gets a 400.
    """

    delay: float = 0.0
    rules: tuple[Rule, ...] = ()
    seed: int = 0
    refuses: tuple[str, ...] = ()
    key: str | None = None
    longest_input: int | None = None


@dataclass(slots=True)
class ServerTally:
    """What the endpoint has seen.

    Attributes:
        requests: Requests for answers or vectors that arrived.
        served: Answers sent whole with status 200, by hash of the request body.
        faults: How often each fault struck, by its name.
        under_way: Requests being answered now.
        most_under_way: Most at one time.
    """

    requests: int = 0
    served: Counter[str] = field(default_factory=Counter[str])
    faults: Counter[str] = field(default_factory=Counter[str])
    under_way: int = 0
    most_under_way: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the tally as `GET /_tally` gives it."""
        return {
            "requests": self.requests,
            "served": dict(self.served),
            "faults": dict(self.faults),
            "under_way": self.under_way,
            "most_under_way": self.most_under_way,
        }


class FakeServer(AbstractAsyncContextManager["FakeServer"]):
    """An OpenAI-compatible endpoint on an ephemeral port of the loopback, for the length of a `with` block.

    >>> async def models() -> int:
    ...     async with FakeServer() as server, aiohttp.ClientSession() as client:
    ...         async with client.get(f"{server.base_url}/models") as response:
    ...             return response.status
    >>> import aiohttp
    >>> asyncio.run(models())
    200

    Args:
        behaviour: Delay and faults.
        answer: What an undisturbed answer says, of the request's body.
        port: 0 for any free one.
    """

    def __init__(self, behaviour: Behaviour | None = None, *, answer: Answer = answer, port: int = 0) -> None:
        self.behaviour = behaviour or Behaviour()
        self.tally = ServerTally()
        self._answer = answer
        self._port = port
        self._attempts: Counter[str] = Counter()
        self._runner: web.AppRunner | None = None

    @property
    def base_url(self) -> str:
        """Return the address that OpenAI clients call `base_url`."""
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=LARGEST_BODY)
        application.router.add_post("/v1/chat/completions", self._answer_call)
        application.router.add_post("/v1/embeddings", self._answer_call)
        application.router.add_get("/v1/models", self._models)
        application.router.add_get("/_tally", self._show_tally)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, backlog=1024)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _answer_call(self, request: web.Request) -> web.StreamResponse:
        tally = self.tally
        tally.requests += 1
        tally.under_way += 1
        tally.most_under_way = max(tally.most_under_way, tally.under_way)
        try:
            return await self._reply(request, await request.read())
        finally:
            tally.under_way -= 1

    async def _reply(self, request: web.Request, raw: bytes) -> web.StreamResponse:
        if (body := read_body(raw)) is None:
            return web.json_response({"error": {"message": "The body is no JSON object.", "code": None}}, status=400)
        if (refused := self._refusal(request, body)) is not None:
            return refused
        embeds = request.path.endswith("/embeddings")
        rule = await self._delay(body)
        if rule is None or (embeds and rule.fault in CHAT_ONLY):
            return self._serve(raw, embedding_list(body) if embeds else completion(body, text=self._answer(body)))
        self.tally.faults[rule.fault.value] += 1
        if (spoilt := self._spoiled(rule.fault, body, embeds=embeds)) is not None:
            return self._serve(raw, spoilt)
        if rule.fault in {Fault.HANG, Fault.RESET}:
            await _drop(request, after=(rule.seconds or A_DAY) if rule.fault is Fault.HANG else 0.0)
        return failed_call(rule)

    def _spoiled(self, fault: Fault, body: dict[str, Any], *, embeds: bool) -> Json | None:
        return spoiled_embeddings(fault, body) if embeds else spoiled(fault, body, text=self._answer(body))

    def _serve(self, raw: bytes, payload: Json) -> web.Response:
        self.tally.served[hashlib.blake2b(raw, digest_size=16).hexdigest()] += 1
        return web.Response(body=json.dumps(payload, separators=(",", ":")).encode(), content_type="application/json")

    def _refusal(self, request: web.Request, body: Json) -> web.Response | None:
        wanted = self.behaviour.key
        if wanted is not None and request.headers.get("Authorization") != f"Bearer {wanted}":
            return failed_call(Rule(fault=Fault.BAD_KEY))
        longest = self.behaviour.longest_input
        if longest is not None and any(len(text) > longest for text in inputs_of(body)):
            return failed_call(Rule(fault=Fault.CONTEXT_WINDOW))
        for name in self.behaviour.refuses:
            if name in body:
                message = f"Unsupported parameter: '{name}' is not supported with this model."
                error = {
                    "message": message,
                    "type": "invalid_request_error",
                    "param": name,
                    "code": "unsupported_parameter",
                }
                return web.json_response({"error": error}, status=400)
        return None

    async def _delay(self, body: Json) -> Rule | None:
        """Return the rule that strikes, after every delay that applies."""
        behaviour, seconds, striking = self.behaviour, self.behaviour.delay, None
        if behaviour.rules:
            question = question_of(body)
            self._attempts[question] += 1
            attempt = self._attempts[question]
            met = [one for one in behaviour.rules if one.meets(question, attempt=attempt, seed=behaviour.seed)]
            seconds += sum(one.seconds or 0.0 for one in met if one.fault is Fault.DELAY)
            striking = next((one for one in met if one.fault is not Fault.DELAY), None)
        if seconds:
            await asyncio.sleep(seconds)
        return striking

    async def _models(self, request: web.Request) -> web.Response:  # noqa: ARG002 - the signature of a handler
        model = {"id": "fake", "object": "model", "created": int(time.time()), "owned_by": "userside"}
        return web.json_response({"object": "list", "data": [model]})

    async def _show_tally(self, request: web.Request) -> web.Response:  # noqa: ARG002 - the signature of a handler
        return web.json_response(self.tally.as_json())


async def _drop(request: web.Request, *, after: float) -> None:
    """Cut the connection without a word."""
    await asyncio.sleep(after)
    if request.transport is not None:
        request.transport.abort()


class FakeServerThread:
    """A `FakeServer` with a thread of its own, for code that has no event loop or starts other processes."""

    def __init__(self, behaviour: Behaviour | None = None, *, answer: Answer = answer) -> None:
        self._server = FakeServer(behaviour, answer=answer)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fake-server", daemon=True)

    @property
    def base_url(self) -> str:
        """Return the address that OpenAI clients call `base_url`."""
        return self._server.base_url

    @property
    def tally(self) -> ServerTally:
        """Return what the endpoint has seen; read it when nothing is under way."""
        return self._server.tally

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._server.__aenter__(), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._server.__aexit__(kind, error, trace), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
