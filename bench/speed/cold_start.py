"""How long one waits at first, in processes that have just been started."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.timing import Timing, child, shown

SCRIPT = Path(sys.executable).with_name("onearm")
PLAY = (
    "import numpy as np; from onearm import Banditron; t = np.arange(1000); "
    "Banditron(10, 64).play(np.eye(64)[t % 64], t % 10)"
)
WAYS = {
    "import": [sys.executable, "-c", "import onearm"],
    "help": [str(SCRIPT), "--help"],
    "first play": [sys.executable, "-c", PLAY],
}


def measure(repeats: int, done: Callable[[], Any]) -> dict[str, Any]:
    """Each way in turn, after one run that leaves the compiled kernels on disk."""
    there = {name: way for name, way in WAYS.items() if Path(way[0]).exists()}
    timings = {name: Timing() for name in there}
    for way in there.values():
        child(way)
    for _ in range(repeats):
        for name, way in there.items():
            child(way, timings[name])
        done()
    return {name: _record(way, timings.get(name)) for name, way in WAYS.items()}


def _record(way: list[str], timing: Timing | None) -> dict[str, Any]:
    if timing is None:
        return {"command": shown(way), "there": False}
    best = {"cpu_seconds": min(timing.cpu), "seconds": min(timing.wall)}
    return {"command": shown(way), "there": True, **best, "cpu": timing.cpu, "wall": timing.wall}
