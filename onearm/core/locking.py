"""One estimator, many threads: who may use its arrays, and when.

Kernels that play a single round keep Python's lock (the GIL), so no two of them overlap. Loops let
go of it: they hold the estimator's lock, and raise its `busy` flag before they begin. A round
that finds the flag raised returns at once, and is played again by a call that waits for the lock.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np

FREE = np.zeros(1, np.uint8)  # the flag that rounds are given which hold the lock
GIL = getattr(sys, "_is_gil_enabled", lambda: True)()
Result = TypeVar("Result")


class Lock:
    """Runs one call at a time; a signal handler may run another amid one of its thread.

    The lock itself is entered by a `with` of C: an interrupt cannot leave it taken.
    """

    def __init__(self, always: bool = False) -> None:
        self.always = always or not GIL  # rounds may be interrupted anywhere: never without lock
        self.busy = np.zeros(1, np.uint8)
        self.start()
        _every.add(self)

    def start(self) -> None:
        """Nobody is inside: at first, and in a child process after a fork."""
        self._inside: Any = threading.RLock()
        self._waiting: list[None] = []
        self.busy[0] = self.always

    def run(self, call: Callable[..., Result], *given: Any) -> Result:
        """Return `call(*given)`, while no other call runs."""
        again = self._inside._is_owned()
        self._waiting.append(None)
        with self._inside:
            self._waiting.pop()
            try:
                self.busy[0] = 1
                return call(*given)
            finally:
                if not again:
                    self.busy[0] = self.always

    def parts(self, n: int) -> Iterator[slice]:
        """Cut n rounds into parts of about a tenth of a second, by how long the last ones took.

        Between them Ctrl-C, progress and other threads get in.
        """
        start, rows = 0, 64
        while start < n:
            began = time.perf_counter()
            yield slice(start, min(n, start + rows))
            start += rows
            rows = rows * 2 if time.perf_counter() - began < 0.05 else max(1, rows // 2)
            if self._waiting:  # threads that wait come before the next part
                time.sleep(0.001)

    def __reduce__(self) -> tuple[Any, ...]:
        return Lock, (self.always,)  # a copy has a lock of its own, which is free


_every: WeakSet[Lock] = WeakSet()


def _restart() -> None:
    for lock in list(_every):
        lock.start()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restart)


def lock_file(number: int) -> bool:
    """Take the lock of an open file, which ends when it is closed; False if another has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
