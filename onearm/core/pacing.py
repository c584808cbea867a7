"""Long work in parts of about a tenth of a second: Ctrl-C, progress and other threads get in."""

import time
from collections.abc import Iterator

from onearm.core.locking import Lock


def paced(n: int, lock: Lock) -> Iterator[tuple[int, int]]:
    """Cut n rounds into parts, each as long as the last ones suggest."""
    start, rows = 0, 64
    while start < n:
        stop = min(n, start + rows)
        began = time.perf_counter()
        yield start, stop
        rows = rows * 2 if time.perf_counter() - began < 0.05 else max(1, rows // 2)
        start = stop
        lock.give_way()
