"""Progress of runs that other processes or machines play: small datagrams, which may be lost."""

import json
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

Address = tuple[str, int]
SEND_EVERY = 0.2  # seconds between two datagrams of a run
TIMEOUT = 0.5  # seconds after which the listener looks whether it was closed


class Reporter:
    """Sends how far a run is to an address, if there is one; use it in a `with`."""

    def __init__(self, key: str, address: Address | None) -> None:
        self.key, self.address = key, address
        self.began = self.last = 0.0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def __enter__(self) -> "Reporter":
        return self

    def __exit__(self, *_: Any) -> None:
        self.socket.close()

    def report(self, rounds: int, correct: int, of: int) -> None:
        """Send the progress of a job, unless it was sent a moment ago."""
        self.began = self.began or time.process_time()  # kernels are compiled before round one
        if self.address and time.monotonic() - self.last >= SEND_EVERY:
            self.last = time.monotonic()
            seconds = time.process_time() - self.began
            with suppress(OSError):
                content = json.dumps([self.key, rounds, correct, seconds, of])
                self.socket.sendto(content.encode(), self.address)


class Listener:
    """Receives what Reporters send, from `beyond` this machine too; use it in a `with`.

    `heard(key, rounds, correct, seconds, of)` is called in a thread.
    """

    def __init__(self, heard: Callable[..., Any], beyond: bool = False) -> None:
        self.heard = heard
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(TIMEOUT)
        self.socket.bind(("" if beyond else "127.0.0.1", 0))
        self.address: Address = ("127.0.0.1", self.socket.getsockname()[1])

    def __enter__(self) -> "Listener":
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.socket.close()

    def _listen(self) -> None:
        while self.socket.fileno() >= 0:
            try:
                key, *numbers = json.loads(self.socket.recv(1000))
                rounds, correct, seconds, of = map(float, numbers)
            except (OSError, ValueError, TypeError):  # closed, silent, or not from a Reporter
                continue
            self.heard(str(key), rounds, correct, seconds, of)
