"""A line on stderr when compiling takes more than a second: otherwise a first call seems to hang.

Worker processes print nothing: what started them reports.
"""

import sys
from multiprocessing import current_process
from threading import Timer
from typing import Any

from numba.core import event

PATIENCE = 1.0  # seconds
PER_SECOND = 1500  # bytes of bytecode that are compiled in a second, about


class Notice(event.Listener):
    """Listens for Numba compiling, which it does not do for a kernel from disk."""

    def __init__(self) -> None:
        self.depth = 0  # kernels compile those that they call
        self.timer: Timer | None = None

    def on_start(self, event: Any) -> None:
        """Begin to wait, if this is one of our kernels and not called by another."""
        kernel = event.data["dispatcher"]
        if self.depth == 0 and hasattr(kernel, "describe") and is_main_process():
            self.timer = Timer(PATIENCE, _print, [kernel])
            self.timer.daemon = True
            self.timer.start()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        """It took less than that, or was printed."""
        self.depth -= 1
        if self.depth == 0 and self.timer:
            self.timer.cancel()
            self.timer = None


def is_main_process() -> bool:
    """Whether this process was started by the user."""
    return current_process().name == "MainProcess"


def _print(kernel: Any) -> None:
    print(f"compiling {kernel.describe()}", file=sys.stderr, flush=True)


def listen() -> None:
    """Give notice from now on."""
    event.register("numba:compile", Notice())
