"""Progress of runs that other processes or machines play: small datagrams, which may be lost."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from onearm.experiments.job import OnProgress

Address = tuple[str, int]
SEND_EVERY = 0.2  # seconds between two datagrams of a run
TIMEOUT = 0.5  # seconds after which the listener looks whether it was closed


@contextmanager
def reporter(key: str, address: Address | None) -> Iterator[OnProgress]:
    """Give a function that sends how far a run is to an address, if there is one, now and then."""
    began = last = 0.0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:

        def report(rounds: int, correct: int, of: int) -> None:
            nonlocal began, last
            began = began or time.process_time()  # kernels are compiled before round one
            if address and time.monotonic() - last >= SEND_EVERY:
                last = time.monotonic()
                content = [key, rounds, correct, time.process_time() - began, of]
                with suppress(OSError):
                    channel.sendto(json.dumps(content).encode(), address)

        yield report


class Listener:
    """Receives what reporters send, from `beyond` this machine too; use it in a `with`.

    `receive(key, rounds, correct, seconds, of)` is called in a thread.
    """

    def __init__(self, receive: Callable[..., Any], beyond: bool = False) -> None:
        self.receive = receive
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
            except (OSError, ValueError, TypeError):  # closed, silent, or not from a reporter
                continue
            self.receive(str(key), rounds, correct, seconds, of)
