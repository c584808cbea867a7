"""Speed of the learners beside Vowpal Wabbit, River and plain C, measured by turns in one run.

Writes results/speed.json and speed.md, and fails where a requirement is not met.
"""

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from bench.benchmark import Option, Results, TimedBenchmark
from bench.speed import calls, cold_start, long_streams, playing
from bench.speed.report import PACKAGES, report, requirements
from bench.speed.streams import SEED, streams
from bench.timing import one_core

COLD_REPEATS = 5
OPTIONS = (
    Option("rows", 200_000, "rows of each stream"),
    Option("calls", 20_000, "rows given one at a time"),
    Option("repeats", 5, "of which the best counts"),
    Option("quick", False, "try it out: few rows, two repeats"),
)


def measure(options: argparse.Namespace) -> Results:
    """Measure all parts on one core; one that fails leaves its error in `errors`."""
    if options.quick:
        options.rows, options.calls, options.repeats = 40_000, 2_000, 2
    one_core()
    repeats = options.repeats
    sizes = {"rows": options.rows, "calls_rows": options.calls, "repeats": repeats, "seed": SEED}
    results: Results = {**sizes, "compiler": compiler(), "errors": []}
    n, both = min(options.calls, options.rows), streams(options.rows)
    lengths = long_streams.LENGTHS[:2] if options.quick else long_streams.LENGTHS

    def part(name: str, steps: int, run: Callable[[Callable[[], Any]], Any]) -> None:
        task = progress.add_task(name, total=steps)
        try:
            results[name] = run(lambda: progress.advance(task))
        except Exception as error:  # the other parts are still worth having
            results["errors"].append(f"{name}: {type(error).__name__}: {error}")

    with tempfile.TemporaryDirectory() as name, Progress(console=Console(stderr=True)) as progress:
        folder = Path(name)
        part("rates", 2 * (1 + repeats), lambda done: {
            rows.name: playing.measure(rows, repeats, folder, done) for rows in both})  # fmt: skip
        part("calls", 2 * repeats, lambda done: {
            rows.name: calls.measure(rows, n, repeats, done) for rows in both})  # fmt: skip
        part("rounds", 1, lambda done: long_streams.measure(lengths, done))
        part("cold", COLD_REPEATS, lambda done: cold_start.measure(COLD_REPEATS, done))
    return results


def compiler() -> str:
    cc = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True).stdout
    return f"{cc.splitlines()[0]}; {' '.join(playing.COMPILE)}"


main = TimedBenchmark(
    "speed", __doc__, "speed", measure, report, None, requirements, OPTIONS, PACKAGES
).main
