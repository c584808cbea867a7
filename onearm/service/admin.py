"""The routes of a service that are used seldom: to look at it, and to change it."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import onearm
from onearm.page import live
from onearm.service import messages, metrics, openapi
from onearm.service.answers import Changed
from onearm.service.bodies import Bodies
from onearm.service.evaluating import evaluated, require_policies
from onearm.service.events import Events
from onearm.service.operations import OPERATIONS
from onearm.service.preparing import PREPARED, prepared
from onearm.service.requests import Change
from onearm.service.upkeep import backup
from onearm.service.web import RefusalError, Reply, Route, decoded, deliver, encode

if TYPE_CHECKING:
    from onearm.service.web import Service

TEXT = [(b"content-type", b"text/plain; version=0.0.4; charset=utf-8")]
EMPTY, BACKUP = Bodies(messages.Empty), Bodies(messages.BackupBody)
HTML = [
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-security-policy", b"default-src 'self' 'unsafe-inline'; frame-ancestors 'none'"),
]
LIVE = [  # the page has a policy of its own, except for what only a header can say
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-security-policy", b"frame-ancestors 'none'"),
]


def routes(service: "Service") -> dict[str, Route]:
    """Return the routes of a service by their paths."""
    admin = Admin(service)
    made = {}
    for op in OPERATIONS:
        if op.many:
            handler: Any = partial(service.requested, Bodies(op.body, many=True))
        elif op.name == "events":
            handler = Events(service).stream
        elif op.answer is Changed:
            handler = partial(admin.change, Bodies(op.body))
        else:
            handler = getattr(admin, op.name)
        path = op.path.replace("{app}", service.app.name)
        made[path] = Route(op.method, op.scope, handler, op.name == "events")
    return made


class Admin:
    """Answers what is asked seldom."""

    def __init__(self, service: "Service") -> None:
        self.service, self.evaluating = service, asyncio.Lock()
        self.preparing = asyncio.Lock()
        self.document = encode(openapi.document(service.app))
        self.live = live.page(service.app.name, onearm.__version__).encode()

    async def alive(self, body: bytes, query: bytes) -> Reply:
        return Reply(200, encode({"status": "alive"}))

    async def ready(self, body: bytes, query: bytes) -> Reply:
        service = self.service
        if service.draining.is_set() or service.writer.ending or service.writer.ended:
            raise RefusalError(503, "draining", "the service is ending", (b"retry-after", b"5"))
        return Reply(200, encode({"status": "ready"}))

    async def metrics(self, body: bytes, query: bytes) -> Reply:
        return Reply(200, metrics.text(self.service), TEXT)

    async def openapi(self, body: bytes, query: bytes) -> Reply:
        return Reply(200, self.document)

    async def page(self, body: bytes, query: bytes) -> Reply:
        return Reply(200, self.live, LIVE)

    async def docs(self, body: bytes, query: bytes) -> Reply:
        return Reply(200, openapi.page(self.service.app), HTML)

    async def state(self, body: bytes, query: bytes) -> Reply:
        """Answer with the state at one record; its hash is computed outside the writer."""
        service = self.service
        seq, moment, settings = await service.ask(_moment)
        loop = asyncio.get_running_loop()
        sha256 = await loop.run_in_executor(None, moment.sha256)
        return Reply(200, encode({
            "app": service.app.name, "seq": seq, "model_seq": moment.seq, "sha256": sha256,
            "champion": moment.champion, "policies": settings["policies"],
            "labels": [x for x in settings["labels"] if x not in settings["retired"]],
            "retired": settings["retired"], "pending": service.writer.core.monitoring.n_pending,
            "snapshot_seq": service.writer.snapshot_seq, "draining": service.draining.is_set(),
        }))  # fmt: skip

    async def policies(self, body: bytes, query: bytes) -> Reply:
        settings = self.service.writer.core.settings
        return Reply(200, encode({
            "champion": settings["champion"], "policies": settings["policies"],
            "promotion": settings["promotion"],
            "differences": self.service.watcher.state.get("differences", []),
        }))  # fmt: skip

    async def change(self, bodies: Bodies, body: bytes, query: bytes) -> Reply:
        """Write a control record; a change is logged."""
        request = decoded(bodies, body).request(None)
        if request.what in PREPARED:
            async with self.preparing:
                request = await self._prepared(request)
                (answer,) = await self.service.submit([request])
        else:
            (answer,) = await self.service.submit([request])
        self.service.lines("change", change=request.what, body=request.body, code=answer.status)
        return Reply(answer.status, encode(answer.body))

    async def _prepared(self, request: Change) -> Change:
        """Return a change after a thread has replayed what it needs."""
        made = await self._beside(partial(prepared, self.service.writer.core.store, request))
        if isinstance(made, Exception):  # the writer replays, and answers what is wrong
            self.service.lines("failed", "error", error=repr(made), change=request.what)
            return request
        return made

    async def _beside(self, call: Callable[[], Any]) -> Any:
        """Return what a call returns or raises in a thread; who ends does not wait for it."""
        loop, draining = asyncio.get_running_loop(), self.service.draining
        done: asyncio.Future[Any] = loop.create_future()

        def run() -> None:
            try:
                made = call()
            except Exception as error:
                made = error
            with suppress(RuntimeError):  # the service has ended
                loop.call_soon_threadsafe(deliver, [(done, made)])

        threading.Thread(target=run, name="beside", daemon=True).start()
        ended = asyncio.ensure_future(draining.wait())
        either: list[asyncio.Future[Any]] = [done, ended]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
        if not done.done():
            raise RefusalError(503, "draining", "the service is ending", (b"retry-after", b"5"))
        return done.result()

    async def snapshot(self, body: bytes, query: bytes) -> Reply:
        """Begin a snapshot; it is stored with the next commits."""
        writer = self.service.writer
        decoded(EMPTY, body)

        def take(core: Any) -> int:
            writer.take_snapshot()
            return core.seq

        return Reply(202, encode({"status": "begun", "seq": await self.service.ask(take)}))

    async def backup(self, body: bytes, query: bytes) -> Reply:
        """Copy the log, in another thread and through another connection."""
        name = decoded(BACKUP, body).file
        path = self._file()
        out = path.with_name(name)
        failure = await self._beside(partial(backup, path, out))
        if isinstance(failure, FileExistsError):
            raise RefusalError(409, "conflict", str(failure)) from None
        if failure is not None:
            raise failure
        self.service.lines("backup", file=str(out))
        return Reply(200, encode({"status": "done", "file": name}))

    async def evaluate(self, body: bytes, query: bytes) -> Reply:
        """Evaluate the log in another process, one at a time."""
        path = self._file()
        try:
            policies = require_policies(values(query, "policy"))
            if self.evaluating.locked():
                raise RefusalError(503, "busy", "another evaluation runs", (b"retry-after", b"10"))
            async with self.evaluating:
                made = await evaluated(str(path), policies, self.service.draining)
        except ValueError as error:
            raise RefusalError(422, "invalid", str(error)) from None
        if made is None:
            raise RefusalError(503, "draining", "the service is ending", (b"retry-after", b"5"))
        return Reply(200, encode(made))

    def _file(self) -> Path:
        path = Path(self.service.app.server.file)
        if not path.is_file():
            raise RefusalError(409, "no_file", "the log is not in a file")
        return path


def _moment(core: Any) -> tuple[int, Any, dict[str, Any]]:
    return core.seq, core.models.moment(), core.settings


def values(query: bytes, name: str) -> list[str]:
    """Return the values of the only parameter that a query may have."""
    given = parse_qs(query.decode("latin-1"), keep_blank_values=True, max_num_fields=100)
    for key in given:
        if key != name:
            raise ValueError(f"the only parameter is {name}, got {key!r}")
    return given.get(name, [])
