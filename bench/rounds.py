"""A million rounds from a stream that is made as it is played: how much memory, how even the rate.

Run as `python -m bench.rounds N` it plays N rounds, again and again, and prints what it saw.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from bench.timing import child
from onearm import Banditron, Stream, SynSep

LENGTHS = (10_000, 100_000, 1_000_000)
ROWS_AT_LEAST, TIMES_AT_LEAST = 100_000, 3


def timed(stream: Stream, spent: list[float]) -> Stream:
    """The same stream; the CPU seconds spent in making its rows are added to `spent`."""

    def source() -> Iterator:
        rows = stream.chunks()
        while True:
            began = time.process_time()
            chunk = next(rows, None)
            spent[0] += time.process_time() - began
            if chunk is None:
                return
            yield chunk

    return replace(stream, source=source)


def play(n_rows: int) -> tuple[float, float]:
    """CPU seconds of playing and of making rows."""
    spent, began = [0.0], time.process_time()
    Banditron(9, 400).play(timed(SynSep(n_rows), spent))
    return time.process_time() - began - spent[0], spent[0]


def observe(n_rows: int) -> dict[str, Any]:
    """What one process sees."""
    play(100)  # compiles
    times = [play(n_rows) for _ in range(max(TIMES_AT_LEAST, ROWS_AT_LEAST // n_rows))]
    playing, making = zip(*times, strict=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    rate = n_rows / min(playing)
    return {"rows_per_cpu_second": rate, "playing": playing, "making": making, "peak_rss": peak}


def measure(lengths: tuple[int, ...], done: Callable[[], Any]) -> dict[str, Any]:
    """Every length in a process of its own."""
    seen = {}
    for n_rows in lengths:
        seen[str(n_rows)] = json.loads(child([sys.executable, "-m", "bench.rounds", str(n_rows)]))
        done()
    rates = [one["rows_per_cpu_second"] for one in seen.values()]
    return {
        "lengths": seen,
        "flatness": min(rates) / max(rates),
        "peak_rss": max(one["peak_rss"] for one in seen.values()),
    }


if __name__ == "__main__":
    print(json.dumps(observe(int(sys.argv[1]))))
