"""Runs in a file, a line of JSON each, with all that decides what came of them."""

import json
import platform
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from onearm import metrics

Record = dict[str, Any]
Key = TypeVar("Key")


def by_what(learner: Any) -> Record:
    """With what a learner plays: its parameters, its compiled code, and versions.

    The code is named by a hash, so that a run by another state of the sources is another run.
    """
    packages = ("onearm", "numpy", "numba")
    return {
        "parameters": learner.params(),
        "code": learner.kernels.play.py_func.__qualname__,
        "versions": {"python": platform.python_version()} | {p: version(p) for p in packages},
    }


def finished(path: Path, key: Callable[[Record], Key]) -> dict[Key, Record]:
    """The runs of a file by their keys, none if there is no file; damaged lines are none."""
    found = {}
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            record = json.loads(line)
            found[key(record)] = record
        except (ValueError, KeyError, TypeError):  # cut off, or not a run
            continue
    return found


def evenly(n: int, points: int, least: int = 1) -> np.ndarray:
    """At most so many rounds from `least` to n, even on a logarithmic scale."""
    return np.unique(np.geomspace(min(least, n), n, points).round().astype(int))


def errors(correct: np.ndarray, ends: np.ndarray) -> list[float]:
    """The share of errors in the rounds up to each of `ends`, to three digits."""
    return [float(f"{share:.3g}") for share in np.cumsum(~correct)[ends - 1] / ends]


def half_width(values: Sequence[float]) -> float:
    """Of a 95 % interval of the mean, by Student's t; infinite of a single value."""
    if len(values) < 2:
        return float("inf")
    found = metrics.interval(np.array(values))
    return found.high - found.mean


def written_by(command: str, records: list[Record]) -> str:
    """Where the numbers come from."""
    versions = sorted({json.dumps(record["versions"]) for record in records})
    shown = "; ".join(", ".join(f"{k} {v}" for k, v in json.loads(one).items()) for one in versions)
    minutes = sum(record["cpu_seconds"] for record in records) / 60
    today = datetime.now(UTC).date().isoformat()
    what = f"{len(records):,} runs, which played for {minutes:.0f} min of CPU time"
    return f"Written by `{command}` on {today} from\n{what}; {shown}."
