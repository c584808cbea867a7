"""Timing: CPU seconds first, wall clock beside it, every repeat recorded."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CORES = os.sched_getaffinity(0)
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMBA")}


@dataclass
class Timing:
    """How long the same rows took in each repeat."""

    rows: int = 1
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    error: float | None = None  # the share of wrong labels

    @contextmanager
    def running(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)

    def less(self, start: "Timing") -> "Timing":
        """Return the same times without that of starting."""
        cpu, wall = min(start.cpu), min(start.wall)
        return Timing(
            self.rows, [c - cpu for c in self.cpu], [w - wall for w in self.wall], self.error
        )

    def rate(self, clock: str = "cpu") -> float:
        return self.rows / min(getattr(self, clock))

    def record(self) -> dict[str, Any]:
        rates = {"rows_per_cpu_second": self.rate(), "rows_per_second": self.rate("wall")}
        return {"rows": self.rows, "error": self.error, **rates, "cpu": self.cpu, "wall": self.wall}


def one_core() -> None:
    """Restrict this process, and children unless they are `free`, to one core and one thread."""
    os.sched_setaffinity(0, {max(CORES)})
    os.environ.update(ONE_THREAD)


def best_of(repeats: int, run: Callable[[], Any]) -> float:
    """Return the least wall-clock seconds of some calls."""
    timing = Timing()
    for _ in range(repeats):
        with timing.running():
            run()
    return min(timing.wall)


def child(
    command: Sequence[str], timing: Timing | None = None, cwd: Path = ROOT, free: bool = False
) -> str:
    """Run a command, time it with all its threads, and return what it printed.

    `free` lets it run on every core: a program of two threads that hand rows to each other spends
    more CPU time when both must share one.
    """
    wall = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        preexec_fn=(lambda: os.sched_setaffinity(0, CORES)) if free else None,
    )  # fmt: skip
    with process.stdout:
        printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)  # this child's usage, not that of all so far
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{format_command(command)} failed: {printed.strip()[-400:]}")
    if timing is not None:
        timing.cpu.append(usage.ru_utime + usage.ru_stime)
        timing.wall.append(time.perf_counter() - wall)
    return printed


def peak_memory() -> int:
    """Return the peak memory of this process in bytes.

    Not by getrusage: for a child that begins with the memory of its parent at the fork.
    """
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def format_command(command: Sequence[str]) -> str:
    """Return a command as one would type it, without the paths of this machine."""
    first = "python" if command[0] == sys.executable else Path(command[0]).name
    return " ".join([first, *command[1:]])


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
