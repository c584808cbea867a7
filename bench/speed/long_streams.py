"""Long streams, generated as they are played: peak memory, and rates by length.

Run as `python -m bench.speed.long_streams N ...` it plays streams of these lengths and prints JSON.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from bench.timing import child, peak_memory
from onearm import Banditron, Stream, SynSep

LENGTHS = (10_000, 100_000, 1_000_000)
TURNS = 5


def timed(stream: Stream, spent: list[float]) -> Stream:
    """Return the same stream; CPU seconds spent in generating rows are added to `spent`."""

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
    """Return CPU seconds of playing, without those of generating rows."""
    spent, began = [0.0], time.process_time()
    Banditron(9, 400).play(timed(SynSep(n_rows), spent))
    return time.process_time() - began - spent[0]


def observe(lengths: list[int]) -> dict[str, Any]:
    """Return the rates of all lengths and the peak memory of this process.

    Every length plays as many rows in a turn: the best of many short times is always better than
    the best of few long ones, whatever the lengths.
    """
    play(100)  # compiles
    rows = max(lengths)
    turns: dict[int, list[list[float]]] = {n: [] for n in lengths}
    for _ in range(TURNS):
        for n, times in turns.items():
            times.append([play(n) for _ in range(rows // n)])
    rates = {n: rows / min(map(sum, times)) for n, times in turns.items()}
    return {
        "rows_per_turn": rows,
        "rows_per_cpu_second": rates,
        "flatness": min(rates.values()) / max(rates.values()),
        "peak_rss": peak_memory(),
        "cpu_of_turns": {n: [sum(plays) for plays in times] for n, times in turns.items()},
        "shortest_play": {n: min(map(min, times)) for n, times in turns.items()},
    }


def measure(lengths: tuple[int, ...], done: Callable[[], Any]) -> dict[str, Any]:
    observed = json.loads(
        child([sys.executable, "-m", "bench.speed.long_streams", *map(str, lengths)])
    )
    done()
    return observed


if __name__ == "__main__":
    print(json.dumps(observe([int(n) for n in sys.argv[1:]])))
