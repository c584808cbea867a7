"""Jobs on all cores, each in a process that was started afresh."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

CORES = len(os.sched_getaffinity(0))


def everywhere(function: Callable[[Any], Any], jobs: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Give each job with its result, or with the exception that ended it, once it has ended.

    Left early, as by Ctrl-C, those that have not begun are forgotten; Ctrl-C ends the others too.
    """
    end_at_once = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_DFL)}
    with ProcessPoolExecutor(CORES, get_context("spawn"), **end_at_once) as pool:
        asked = {pool.submit(function, job): job for job in jobs}
        try:
            for done in as_completed(asked):
                yield asked[done], done.exception() or done.result()
        finally:
            pool.shutdown(cancel_futures=True)
