"""A large log in a Parquet file: seconds of one core for reading and for judging, and memory.

`python -m bench.ope.million read PATH` and `judge PATH` print JSON; each runs in a process of its
own, so that the peak of its memory is its own.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import onearm
from bench.timing import peak_memory
from onearm.log.events import Events, as_events

K, D, CHUNK = 10, 100, 2**16
ESTIMATORS = ("ips", "snips", "dr")


def weights() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(D, K)) / D**0.5


def chunks(n: int) -> Iterator[Events]:
    """Yield events of a policy that prefers some labels by the row, with rewards 0 and 1."""
    rng, W = np.random.default_rng(0), weights()
    for first in range(0, n, CHUNK):
        m = min(CHUNK, n - first)
        X = rng.normal(size=(m, D))
        s = X @ W
        p = np.exp(s - s.max(axis=1, keepdims=True))
        p = 0.8 * p / p.sum(axis=1, keepdims=True) + 0.02
        label = (rng.random((m, 1)) > np.cumsum(p, axis=1)[:, :-1]).sum(axis=1)
        rows = np.arange(m)
        reward = (rng.random(m) < 1 / (1 + np.exp(-s[rows, (label + 3) % K]))) * 1.0
        yield as_events(X, label, p[rows, label], reward, K, (0.0, 1.0), first, chances=p)


def write(path: Path, n: int) -> None:
    onearm.Log(lambda: chunks(n), K, D).write(path)


def policy(X: np.ndarray) -> np.ndarray:
    """Return labels by a linear rule that is not that of the log."""
    return (X @ np.roll(weights(), 3, axis=1)).argmax(axis=1)


def read(path: Path) -> dict[str, Any]:
    n = sum(len(events) for events in onearm.Log.read(path).chunks())
    return {"events": n}


def judge(path: Path) -> dict[str, Any]:
    result = onearm.evaluate(onearm.Log.read(path), {"linear": policy}, estimator=ESTIMATORS)
    return {
        "estimates": [
            [e.estimator, e.interval, e.value, e.low, e.high] for e in result.estimates[1:]
        ],
        "difference": [result.differences[0].low, result.differences[0].high],
    }


def measured(task: Callable[[Path], dict[str, Any]], path: Path) -> dict[str, Any]:
    wall, cpu = time.perf_counter(), time.process_time()
    results = task(path)
    taken = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    return results | taken | {"peak_mib": peak_memory() / 2**20}


def warm(path: Path) -> None:
    """Compile what is compiled, and import what is imported, on the first events."""
    log = onearm.Log.read(path).first(1000)
    onearm.evaluate(log, {"linear": policy}, estimator=ESTIMATORS)


if __name__ == "__main__":
    import pyarrow

    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    file = Path(sys.argv[2])
    warm(file)
    print("\n" + json.dumps(measured({"read": read, "judge": judge}[sys.argv[1]], file)))
