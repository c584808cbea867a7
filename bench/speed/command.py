"""Speed, ours and that of peers, in one run: `python -m bench.peers`.

Writes results/speed.json and results/speed.md, and fails where a demand is not met.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from bench.speed import calls, report
from bench.speed import cold_start as cold
from bench.speed import long_streams as rounds
from bench.speed import playing as rates
from bench.speed.requirements import checks
from bench.speed.streams import SEED, streams
from bench.timing import one_core

COLD_REPEATS = 5


def options() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000, help="rows of each stream")
    parser.add_argument("--calls", type=int, default=20_000, help="rows given one at a time")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="try it out: few rows, two repeats")
    asked = parser.parse_args()
    if asked.quick:
        asked.rows, asked.calls, asked.repeats = 40_000, 2_000, 2
    return asked


def measure(asked: argparse.Namespace, folder: Path, progress: Progress) -> dict[str, Any]:
    """Every part; one that breaks leaves its error in its place."""
    results: dict[str, Any] = {"errors": []}
    both = streams(asked.rows)
    n, repeats = min(asked.calls, asked.rows), asked.repeats
    lengths = rounds.LENGTHS[:2] if asked.quick else rounds.LENGTHS

    def part(name: str, steps: int, run: Callable[[Callable[[], Any]], Any]) -> None:
        task = progress.add_task(name, total=steps)
        try:
            results[name] = run(lambda: progress.advance(task))
        except Exception as error:  # the other parts are still worth having
            results["errors"].append(f"{name}: {type(error).__name__}: {error}")

    part("rates", 2 * (1 + repeats), lambda done: {
        rows.name: rates.measure(rows, repeats, folder, done) for rows in both})  # fmt: skip
    part("calls", 2 * repeats, lambda done: {
        rows.name: calls.measure(rows, n, repeats, done) for rows in both})  # fmt: skip
    part("rounds", 1, lambda done: rounds.measure(lengths, done))
    part("cold", COLD_REPEATS, lambda done: cold.measure(COLD_REPEATS, done))
    return results


def main() -> int:
    """Measure, write, and say what failed."""
    asked, console = options(), Console(stderr=True)
    one_core()
    command = " ".join(["python -m bench.peers", *sys.argv[1:]])
    sizes = {"rows": asked.rows, "calls_rows": asked.calls, "repeats": asked.repeats, "seed": SEED}
    with tempfile.TemporaryDirectory() as folder, Progress(console=console) as progress:
        measured = measure(asked, Path(folder), progress)
    found = checks(measured)
    failures = measured.pop("errors") + [str(check) for check in found if not check.met]
    demanded = [{**check._asdict(), "met": bool(check.met)} for check in found]
    about = {"command": command, "about": report.about(), **sizes}
    report.write({**about, **measured, "demands": demanded}, failures)
    for failure in failures:
        console.print(f"[red]not met[/red] {failure}", highlight=False, soft_wrap=True)
    console.print(f"{len(found) - sum(not c.met for c in found)} of {len(found)} demands met")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
