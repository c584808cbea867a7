"""The HTTP side of a service: plain ASGI, since every request costs less than its commit.

A request is decoded, handed to the writer, and answered when its batch is committed. All that is
refused is refused in JSON: {"status": ..., "reason": ...}.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import msgspec

from onearm.service import messages
from onearm.service.app import App
from onearm.service.auth import Guard
from onearm.service.bodies import Bodies
from onearm.service.lines import Lines
from onearm.service.requests import Answer, Request
from onearm.service.watcher import Watcher
from onearm.service.writer import Writer

JSON = [(b"content-type", b"application/json")]
READ = 16  # times the largest body: what is read of one that is too large
encode = msgspec.json.Encoder(enc_hook=lambda number: number.item()).encode  # of NumPy


class Reply(NamedTuple):
    """A response that is sent at once."""

    status: int
    body: bytes
    headers: list[tuple[bytes, bytes]] = JSON


Handler = Callable[..., Awaitable[Any]]


class Route(NamedTuple):
    """What answers a path."""

    method: str
    scope: str | None  # that a token needs; None: it is open
    handler: Handler  # body, query -> Reply; of a stream: receive, send -> None
    is_stream: bool = False


class RefusalError(Exception):
    """A request that is not done: its status, and why."""

    def __init__(self, status: int, what: str, reason: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(reason)
        body = encode({"status": what, "reason": reason})
        self.reply = Reply(status, body, [*JSON, *headers])


class Mailbox:
    """Brings answers from the writer's thread to the event loop, with one wake-up a batch."""

    def __init__(self) -> None:
        self.loop: Any = None
        self.answered: list[tuple[asyncio.Future, list[Answer] | None]] = []

    def put(self, future: asyncio.Future, answers: list[Answer] | None) -> None:
        """Hold the answers of requests; called by the writer."""
        self.answered.append((future, answers))

    def flush(self) -> None:
        """Deliver what was put; called by the writer after a batch."""
        if self.answered:
            some, self.answered = self.answered, []
            self.loop.call_soon_threadsafe(deliver, some)


def deliver(some: Iterable[tuple[asyncio.Future, Any]]) -> None:
    """Set the results of futures, except of those that nobody waits for any more."""
    for future, answers in some:
        if not future.done():
            future.set_result(answers)


class Service:
    """An ASGI application over a writer."""

    def __init__(
        self, app: App, writer: Writer, watcher: Watcher, lines: Lines | None = None
    ) -> None:
        self.app, self.writer, self.watcher, self.lines = app, writer, watcher, lines or Lines()
        self.guard, self.mailbox = Guard(app.tokens), Mailbox()
        writer.after = self.mailbox.flush
        self.draining = asyncio.Event()
        self.n_refused = 0  # because there was no room, or no writer
        from onearm.service.admin import routes

        self.routes = routes(self)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        try:
            route = self._route(scope)
            body = await self._body(scope["headers"], receive) if route.method == "POST" else b""
            if route.is_stream:
                await route.handler(receive, send)
                return
            reply = await route.handler(body, scope["query_string"])
        except RefusalError as refusal:
            reply = refusal.reply
        except Exception as error:  # of an admin route: the hot ones raise nothing else
            self.lines("failed", "error", path=scope["path"], error=repr(error))
            reply = Reply(500, encode({"status": "failed", "reason": "see the log"}))
        status, content, headers = reply
        length = (b"content-length", b"%d" % len(content))
        start = {"type": "http.response.start", "status": status, "headers": [length, *headers]}
        await send(start)
        await send({"type": "http.response.body", "body": content})
        if self.lines.verbose:
            self.lines("request", path=scope["path"], code=status, answer=content[:200].decode())

    def _route(self, scope: Any) -> Route:
        """Return who answers, or refuse: no such path, method or right."""
        path, method = scope["path"], scope["method"]
        route = self.routes.get(path)
        if route is None:
            raise RefusalError(404, "not_found", self._unknown(path))
        if route.scope is not None and self.guard.tokens:
            self._require_scope(route.scope, scope["headers"])
        is_head = method == "HEAD" and route.method == "GET" and not route.is_stream
        if method != route.method and not is_head:
            allow = (b"allow", route.method.encode())
            raise RefusalError(405, "wrong_method", f"the method must be {route.method}", allow)
        return route

    def _unknown(self, path: str) -> str:
        parts = path.split("/")
        if parts[1:2] == ["v1"] and len(parts) > 2 and parts[2] != self.app.name:
            return f"the app must be {self.app.name!r}"
        return "there is no such path: see /openapi.json"

    def _require_scope(self, needed: str, headers: Any) -> None:
        header = next((value for name, value in headers if name == b"authorization"), None)
        scopes = self.guard.scopes(header)
        if scopes is None:
            ask = (b"www-authenticate", b'Bearer realm="onearm", Basic realm="onearm"')
            raise RefusalError(401, "no_token", "a token must be given that the service knows", ask)
        if needed not in scopes:
            raise RefusalError(403, "wrong_scope", f"the token must have the scope {needed}")

    async def _body(self, headers: Any, receive: Any) -> bytes:
        """Return the body of a request, which must be JSON and not too large."""
        most, is_json, length = self.app.server.body, False, 0
        for name, value in headers:
            if name == b"content-length":
                length = int(value)
            elif name == b"content-type":
                is_json = value[:16].lower() == b"application/json"
                is_json = is_json and value[16:].lstrip()[:1] in b";"
        if length > most or not is_json:
            await self._refuse_body(receive, length, is_json)
        message = await receive()
        body = message.get("body", b"")
        while message.get("more_body"):
            message = await receive()
            if message["type"] == "http.disconnect":  # what came is not all that was meant
                raise RefusalError(400, "malformed", "the connection ended within the body")
            body += message.get("body", b"")
            if len(body) > most:
                await self._refuse_body(receive, len(body), is_json)
        return body

    async def _refuse_body(self, receive: Any, length: int, is_json: bool) -> None:
        """Refuse a body that is too large or no JSON, after reading it: else nobody would hear."""
        n, message, most = 0, {"more_body": True}, self.app.server.body
        while message.get("more_body") and max(n, length) <= READ * most:
            message = await receive()
            n += len(message.get("body", b""))
        close = (b"connection", b"close")
        if max(n, length) > most:
            raise RefusalError(413, "too_large", f"a body has at most {most} bytes", close)
        raise RefusalError(415, "wrong_type", "the content type must be application/json", close)

    async def requested(self, bodies: Bodies, body: bytes, query: bytes) -> Reply:
        """Answer requests of one kind: one of them, or a list, which is one commit."""
        parsed = decoded(bodies, body)
        if type(parsed) is not list:
            (answer,) = await self.submit([parsed.request(new_id)])
            return Reply(answer.status, encode(answer.body))
        most = min(messages.MOST, self.writer.room)  # else there would never be room for it
        if not 1 <= len(parsed) <= most:
            reason = f"a list must have 1 to {most} requests, got {len(parsed)}"
            raise RefusalError(422, "invalid", reason)
        requests = [item.request(new_id) for item in parsed if type(item) is not Answer]
        done = iter(await self.submit(requests) if requests else ())
        answers = [item if type(item) is Answer else next(done) for item in parsed]
        status = 200 if all(answer.status < 300 for answer in answers) else 207
        return Reply(status, encode([{"code": a.status, **a.body} for a in answers]))

    async def submit(self, requests: Sequence[Request]) -> list[Answer]:
        """Return the answers of the core, once they are committed."""
        future = self.mailbox.loop.create_future()
        taken = not self.draining.is_set() and self.writer.submit(
            requests, partial(self.mailbox.put, future)
        )
        answers = await future if taken else None
        if answers is None:
            self.n_refused += len(requests)
            raise self._refusal(was_taken=taken)
        return answers

    def _refusal(self, was_taken: bool) -> RefusalError:
        """Return why requests have no answers: each reason is another for who asks again."""
        if was_taken or (self.writer.ended and not self.writer.ending):
            what, pause = "commit_failed", b"5"
            reason = "a commit failed, and the service ends: ask again once it runs"
        elif self.draining.is_set() or self.writer.ending:
            what, reason, pause = "draining", "the service is ending", b"5"
        else:
            what, reason, pause = "busy", "the queue is full", b"1"
        return RefusalError(503, what, reason, (b"retry-after", pause))

    async def ask(self, call: Callable[[Any], Any]) -> Any:
        """Return `call(core)`, run by the writer between two batches."""
        future = self.mailbox.loop.create_future()
        if not self.writer.ask(call, partial(self.mailbox.put, future)):
            raise RefusalError(503, "draining", "the service is ending", (b"retry-after", b"5"))
        result = await future
        if result is None:
            raise RefusalError(503, "draining", "the service has ended", (b"retry-after", b"5"))
        if isinstance(result, Exception):
            raise result
        return result

    async def _lifespan(self, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.drain()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def start(self) -> None:
        """Begin to take requests, in the running event loop."""
        self.mailbox.loop = asyncio.get_running_loop()
        self.writer.start()
        self.watcher.start()

    async def drain(self) -> None:
        """Take no more requests; answer those that wait, and store a snapshot."""
        self.draining.set()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self.watcher.end)
        await loop.run_in_executor(None, self.writer.drain)


def new_id() -> str:
    """Return an id for an event that has none."""
    return uuid4().hex


def decoded(bodies: Bodies, body: bytes) -> Any:
    """Return what a body says, or refuse it."""
    try:
        return bodies.read(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RefusalError(400, "malformed", f"the body must be JSON: {error}") from None
    except ValueError as error:
        raise RefusalError(422, "invalid", str(error)) from None
