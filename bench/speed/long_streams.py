"""A million rounds from a stream that is made as it is played: how much memory, how even the rate.

Run as `python -m bench.rounds N ...` it plays streams of these lengths and prints what it saw.
"""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.timing import child
from onearm import Banditron, Stream, SynSep

LENGTHS = (10_000, 100_000, 1_000_000)
TURNS = 5


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


def play(n_rows: int) -> float:
    """CPU seconds of playing, without those of making rows."""
    spent, began = [0.0], time.process_time()
    Banditron(9, 400).play(timed(SynSep(n_rows), spent))
    return time.process_time() - began - spent[0]


def observe(lengths: list[int]) -> dict[str, Any]:
    """What one process sees.

    Every length plays as many rows in a turn: the best of many short times is always better than
    the best of few long ones, whatever the lengths.
    """
    play(100)  # compiles
    rows = max(lengths)
    turns: dict[int, list[list[float]]] = {n: [] for n in lengths}
    for _ in range(TURNS):
        for n, seen in turns.items():
            seen.append([play(n) for _ in range(rows // n)])
    rates = {n: rows / min(map(sum, seen)) for n, seen in turns.items()}
    return {
        "rows_per_turn": rows,
        "rows_per_cpu_second": rates,
        "flatness": min(rates.values()) / max(rates.values()),
        "peak_rss": peak(),
        "cpu_of_turns": {n: [sum(times) for times in seen] for n, seen in turns.items()},
        "shortest_play": {n: min(map(min, seen)) for n, seen in turns.items()},
    }


def peak() -> int:
    """The most memory this process has held, in bytes.

    Not getrusage's figure: that of a child begins with what its parent held when it forked.
    """
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def measure(lengths: tuple[int, ...], done: Callable[[], Any]) -> dict[str, Any]:
    """In a process of its own."""
    seen = json.loads(child([sys.executable, "-m", "bench.speed.long_streams", *map(str, lengths)]))
    done()
    return seen


if __name__ == "__main__":
    print(json.dumps(observe([int(n) for n in sys.argv[1:]])))
