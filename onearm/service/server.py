"""The server: uvicorn around a service, with limits, draining, and an end when a commit fails."""

import asyncio
import logging
import os
import signal
import socket
import time
import warnings
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from onearm.core.dispatcher import Notice
from onearm.service.app import App
from onearm.service.clock import Clock
from onearm.service.core import Core
from onearm.service.lines import Handler, Lines
from onearm.service.sqlite import SqliteStore
from onearm.service.store import Store
from onearm.service.warming import warm_up
from onearm.service.watcher import Watcher
from onearm.service.web import Service
from onearm.service.writer import Writer

FAILED = 74  # exit code after a commit that failed: an error of input or output
KEPT = 75  # seconds that a connection may be idle
GRACE = 10  # seconds that connections have to close when a service ends
REASON = b'{"status":"too_large","reason":"the headers are too large"}'
TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%b" % (len(REASON), REASON)
)


class Running(uvicorn.Server):
    """A server that drains its service before it ends."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self.service, self.signalled = service, False

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
        await self.service.drain()
        self.should_exit = True


def limited(most: int) -> type[HttpToolsProtocol]:
    """Return the protocol with a limit for the bytes of target and headers."""

    class Limited(HttpToolsProtocol):
        def on_message_begin(self) -> None:
            self.n_bytes = 0
            super().on_message_begin()

        def on_url(self, url: bytes) -> None:
            self.n_bytes += len(url)
            super().on_url(url)

        def on_header(self, name: bytes, value: bytes) -> None:
            self.n_bytes += len(name) + len(value)
            if self.n_bytes > most:
                if not self.transport.is_closing():
                    self.transport.write(TOO_LARGE)
                    self.transport.close()
                return
            super().on_header(name, value)

    return Limited


def make(
    app: App, store: Store, lines: Lines, failed: Callable[[BaseException], Any] | None = None,
    reader: Store | None = None,
) -> Running:  # fmt: skip
    """Return a server for an app over a store; `failed` is called if a commit fails.

    `reader` is a second connection to the store, for who reads beside the writer.
    """
    core = Core(store, app.settings, Clock())
    writer = Writer(core, failed or _fail_stop(lines), app.server.queue)
    service = Service(app, writer, Watcher(reader or store, writer), lines)
    config = uvicorn.Config(
        service, app.server.host, app.server.port, loop="uvloop", http=limited(app.server.headers),
        ws="none", lifespan="on", proxy_headers=False, log_config=None, access_log=False,
        server_header=False, date_header=False, timeout_keep_alive=KEPT,
        timeout_graceful_shutdown=GRACE, backlog=2048,
    )  # fmt: skip
    return Running(config, service)


def _fail_stop(lines: Lines) -> Callable[[BaseException], Any]:
    def stop(error: BaseException) -> None:
        """End the process: nothing that was not committed is answered."""
        lines("commit_failed", "error", error=f"{type(error).__name__}: {error}")
        os._exit(FAILED)

    return stop


def serve(app: App, lines: Lines, opened: Callable[[str], Any] = lambda address: None) -> int:
    """Run a service until SIGTERM or SIGINT; return the exit code.

    `opened` is called with the address once requests are taken.
    """
    logging.getLogger("uvicorn.error").handlers = [Handler(lines)]
    logging.getLogger("uvicorn.error").propagate = False
    warnings.showwarning = lambda message, *_, **__: lines("warning", "warning", reason=message)
    Notice.write = staticmethod(lambda text: lines("compiling", reason=text))
    begin = time.perf_counter()
    store = SqliteStore(app.server.file)
    reader = SqliteStore(app.server.file, read_only=True)
    server = make(app, store, lines, reader=reader)
    warm_up(server.service.writer.core)
    listener = listen(app.server.host, app.server.port)
    host, port = listener.getsockname()[:2]
    address = f"http://{host if ':' not in host else f'[{host}]'}:{port}"
    core = server.service.writer.core
    lines(
        "start", address=address, app=app.name, file=app.server.file, seq=core.seq,
        seconds=round(time.perf_counter() - begin, 3), champion=core.models.champion,
    )  # fmt: skip
    opened(address)
    server.run(sockets=[listener])
    reader.close()
    store.close()
    lines("stop", seq=core.seq, snapshot_seq=server.service.writer.snapshot_seq)
    return 1 if server.force_exit else 0


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
