"""Cold start: seconds of import, help and a first play in new processes."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.timing import Timing, child, format_command

SCRIPT = Path(sys.executable).with_name("onearm")
PLAY = (
    "import numpy as np; from onearm import Banditron; t = np.arange(1000); "
    "Banditron(10, 64).play(np.eye(64)[t % 64], t % 10)"
)
COMMANDS = {
    "import": [sys.executable, "-c", "import onearm"],
    "help": [str(SCRIPT), "--help"],
    "first play": [sys.executable, "-c", PLAY],
}


def measure(repeats: int, done: Callable[[], Any]) -> dict[str, Any]:
    """Time all commands by turns, after one run that leaves the compiled kernels on disk."""
    installed = {name: line for name, line in COMMANDS.items() if Path(line[0]).exists()}
    timings = {name: Timing() for name in installed}
    for line in installed.values():
        child(line)
    for _ in range(repeats):
        for name, line in installed.items():
            child(line, timings[name])
        done()
    return {name: _record(line, timings.get(name)) for name, line in COMMANDS.items()}


def _record(line: list[str], timing: Timing | None) -> dict[str, Any]:
    command = {"command": format_command(line), "installed": timing is not None}
    if timing is None:
        return command
    best = {"cpu_seconds": min(timing.cpu), "seconds": min(timing.wall)}
    return {**command, **best, "cpu": timing.cpu, "wall": timing.wall}
