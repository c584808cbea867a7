"""The server: uvicorn around a service, with limits, draining, and an end when a commit fails."""

import asyncio
import gc
import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from typing import Any

import apsw
import uvicorn

from onearm.service.app import App
from onearm.service.clock import Clock
from onearm.service.core import Core
from onearm.service.lines import Lines
from onearm.service.meanings import meanings, not_deciding
from onearm.service.protocol import close_slow, limited
from onearm.service.sqlite import SqliteStore
from onearm.service.store import Store
from onearm.service.warming import warm_up
from onearm.service.watcher import Watcher
from onearm.service.web import Service
from onearm.service.writer import Writer

FAILED = 74  # exit code after a commit that failed: an error of input or output
KEPT = 75  # seconds that a connection may be idle
GRACE = 3  # seconds that who reads slowly has for the answers when a service ends
PATIENCE = 1.0  # seconds in which a request that was begun may come as a whole
LOOKS = 50  # ticks of uvicorn, ten a second, between looks for connections that are too slow
LINGER = 1.0  # seconds for answers that a commit has failed, before all ends


class Running(uvicorn.Server):
    """A server that drains its service before it ends."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self.service, self.signalled = service, False
        self.opened: Callable[[], Any] = lambda: None  # is called once requests are taken

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take requests; signals are heard by now."""
        await super().startup(sockets)
        self.opened()

    async def on_tick(self, counter: int) -> bool:
        """Close connections that are too slow, now and then."""
        if counter % LOOKS == 0:
            close_slow(self.server_state.connections, LOOKS / 10)
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Drain at the first signal: meanwhile requests get 503. A second Ctrl-C ends at once."""
        if not self.signalled:
            self.signalled = True
            self.service.mailbox.loop.call_soon_threadsafe(self._drain)
        elif sig == signal.SIGINT:
            self.force_exit = self.should_exit = True

    def _drain(self) -> None:
        self.draining = asyncio.ensure_future(self._drained())

    async def _drained(self) -> None:
        self.service.lines("draining", waiting=self.service.writer.n_waiting)
        deadline = time.monotonic() + PATIENCE
        await self.service.drain()
        while self._half_sent() and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        self.should_exit = True

    def _half_sent(self) -> list[Any]:
        """Return connections whose request has not come as a whole."""
        cycles = [(connection.cycle, connection) for connection in self.server_state.connections]
        return [
            c for cycle, c in cycles if cycle and cycle.more_body and not cycle.response_complete
        ]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for answers, but not for requests: who sent half of one will send it again."""
        for connection in self._half_sent():
            connection.transport.close()
        await super().shutdown(sockets)


def make(
    app: App, store: Store, lines: Lines, failed: Callable[[BaseException], Any] | None = None,
    reader: Store | None = None,
) -> Running:  # fmt: skip
    """Return a server for an app over a store; `failed` is called if a commit fails.

    `reader` is a second connection to the store, for who reads beside the writer.
    """
    core = Core(store, app.settings, Clock())
    writer = Writer(core, failed or _fail_stop(lines), app.server.queue)
    watcher = Watcher(reader or store, writer)
    watcher.failed = partial(_watch_failed, lines)
    service = Service(app, writer, watcher, lines)
    config = uvicorn.Config(
        service, app.server.host, app.server.port, loop="uvloop", http=limited(app.server.headers),
        ws="none", lifespan="on", proxy_headers=False, log_config=None, access_log=False,
        server_header=False, date_header=False, timeout_keep_alive=KEPT,
        timeout_graceful_shutdown=GRACE, backlog=2048,
    )  # fmt: skip
    return Running(config, service)


def _watch_failed(lines: Lines, error: Exception) -> None:
    """Say that nobody looks any more: decisions and feedback go on."""
    lines("watcher_failed", "error", error=f"{type(error).__name__}: {error}")


def _fail_stop(lines: Lines) -> Callable[[BaseException], Any]:
    def stop(error: BaseException) -> None:
        """End the process: nothing that was not committed is answered."""
        lines("commit_failed", "error", error=f"{type(error).__name__}: {error}")
        time.sleep(LINGER)
        os._exit(FAILED)

    return stop


def serve(app: App, lines: Lines, opened: Callable[[str], Any] = lambda address: None) -> int:
    """Run a service until SIGTERM or SIGINT; return the exit code.

    `opened` is called with the address once requests are taken. The address is bound first: a start
    that fails has written nothing.
    """
    begin = time.perf_counter()
    _raise_limit_of_connections()
    with (
        closing(listen(app.server.host, app.server.port)) as listener,
        closing(SqliteStore(app.server.file)) as store,
        closing(SqliteStore(app.server.file, read_only=True)) as reader,
    ):
        server = _started(app, store, reader, lines)
        host, port = listener.getsockname()[:2]
        address = f"http://{host if ':' not in host else f'[{host}]'}:{port}"
        core = server.service.writer.core

        def started() -> None:
            lines(
                "start", address=address, app=app.name, file=app.server.file, seq=core.seq,
                seconds=round(time.perf_counter() - begin, 3), champion=core.models.champion,
            )  # fmt: skip
            opened(address)

        server.opened = started
        server.run(sockets=[listener])
    lines("stop", seq=core.seq, snapshot_seq=server.service.writer.snapshot_seq)
    return 1 if server.force_exit else 0


def _raise_limit_of_connections() -> None:
    """Allow as many open files as the system does: 1024 are usual until a program asks for more."""
    import resource  # of POSIX only

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with suppress(OSError, ValueError):  # what an administrator has set stays
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _started(app: App, store: Store, reader: Store, lines: Lines) -> Running:
    """Return a server that is ready; what its settings have changed is logged with its meaning."""
    try:
        server = make(app, store, lines, reader=reader)
    except apsw.Error as error:
        raise OSError(f"{app.server.file} cannot be read or written: {error}") from error
    except ValueError as error:
        raise ValueError(f"{app.server.file}: {error}") from error
    core = server.service.writer.core
    for what, meaning in meanings(core.changed, core.models.champion):
        lines("change", change=what, meaning=meaning)
    note = not_deciding(app.settings["champion"], core.models.champion)
    if note is not None:
        lines("not_deciding", "warning", meaning=note)
    warm_up(core)
    gc.collect()
    gc.freeze()  # what is loaded stays: a collection that walks over it stops all for 50 ms
    return server


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or an error that names the address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(error.errno, f"{error.strerror}: {host}:{port}") from None
    listener.listen(2048)
    return listener
