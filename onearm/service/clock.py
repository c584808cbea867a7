"""The clock of a service: seconds since 1970 that pass evenly, whatever happens to the wall clock.

Within a process it is the wall clock of its start plus monotonic time. So when the wall clock is
set forward, no decision expires early, and when it is set back, none waits longer.
"""

import time
from collections.abc import Callable


class Clock:
    """Seconds since 1970, by the wall clock once and by monotonic time from then on.

    >>> clock = Clock(wall=lambda: 100.0)
    >>> clock() <= clock()
    True
    """

    def __init__(
        self, wall: Callable[[], float] = time.time, passed: Callable[[], float] = time.monotonic
    ) -> None:
        self.passed, self.begin = passed, passed()
        self.wall = wall()

    def __call__(self) -> float:
        return self.wall + (self.passed() - self.begin)
