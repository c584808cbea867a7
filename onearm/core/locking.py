"""One estimator, many threads: who may use its arrays, and when.

Kernels that play a single round keep Python's lock (the GIL), so no two of them overlap. Loops let
go of it: they hold the estimator's own lock, and raise its `busy` flag before they begin. A round
that finds the flag raised returns at once, and is played again by a call that waits for the lock.
"""

import os
import sys
import threading
from types import TracebackType
from typing import Any
from weakref import WeakSet

import numpy as np

FREE = np.zeros(1, np.uint8)  # the flag that rounds are given which hold the lock
GIL = getattr(sys, "_is_gil_enabled", lambda: True)()


class Lock:
    """A lock that lets in the thread that waited, not the one that has just left.

    A thread may enter again while it is inside or waits, as a signal handler does: both locks may
    be taken several times by one thread.
    """

    def __init__(self, always: bool = False) -> None:
        self.always = always or not GIL  # rounds may be interrupted anywhere: never without lock
        self.busy = np.zeros(1, np.uint8)
        self.start()
        _every.add(self)

    def start(self) -> None:
        """Nobody is inside: at first, and in a child process after a fork."""
        self._inside: Any = threading.RLock()
        self._next = threading.RLock()
        self._depth = 0
        self.busy[0] = self.always

    def __enter__(self) -> None:
        if self._inside._is_owned():
            self._inside.acquire()
        else:
            with self._next:
                self._inside.acquire()
        self._depth += 1
        self.busy[0] = 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._depth -= 1
            if self._depth == 0:
                self.busy[0] = self.always
        finally:
            self._inside.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return Lock, (self.always,)  # a copy has a lock of its own, which is free


_every: WeakSet[Lock] = WeakSet()


def _restart() -> None:
    for lock in list(_every):
        lock.start()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restart)
