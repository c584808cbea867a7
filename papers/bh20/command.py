"""Table 2 of BH20: `onearm papers bh20.table2`.

Plays whatever is not yet in results/bh20/runs.jsonl, on all cores, and writes table2.md beside it.
It can be stopped at any time and goes on from there. Table 1 is made by
`onearm papers bh20.table1`.

N. Brukhim, E. Hazan. Online boosting with bandit feedback. ALT 2021.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from rich.console import Console

from papers import RESULTS
from papers import records as runs
from papers.bh20 import report as bh20_table
from papers.bh20.data import NAMES
from papers.bh20.runs import METHODS, ORDERS, Job, Record, play
from papers.pool import play_all, wanted

FOLDER = RESULTS / "bh20"


def options() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(prog="onearm papers bh20.table2", description=__doc__)
    names = (*NAMES, *ORDERS, *METHODS)
    parser.add_argument(
        "--only", nargs="+", choices=names, default=[], metavar="NAME",
        help=f"play these alone: {', '.join(names)}",
    )  # fmt: skip
    parser.add_argument("--runs", type=int, default=bh20_table.RUNS, help="of each")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    return parser.parse_args()


def said(run: Record) -> str:
    """A job in a line."""
    what = f"{run['data']} {run['order']} {run['method']}"
    came = f"{sum(run['losses']) / len(run['losses']):.4f} of {len(run['losses'])} runs"
    return f"{what}: {came} with {run['settings']}, {run['cpu_seconds']} CPU s"


def finished(path: Path) -> dict[Job, Record]:
    """What a file holds; nothing if there is no file."""
    return runs.finished(path, lambda run: Job(*(run[key] for key in Job._fields)))


def main() -> int:
    """Play what is missing, and write the table."""
    asked, console = options(), Console(stderr=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / "runs.jsonl"
    jobs = [Job(data, o, m, asked.runs) for data in NAMES for o in ORDERS for m in METHODS]
    there = finished(path)
    size = ["abalone", "letter", "adult", "census"]
    todo = [
        job for job in jobs if job not in there and wanted(job, asked.only, NAMES, ORDERS, METHODS)
    ]
    todo.sort(key=lambda job: size.index(job.data.split()[0]))
    failures = play_all(partial(play, before=there), todo, path, said, console)
    there = finished(path)
    records = [there[job] for job in jobs if job in there]
    bh20_table.write(records, len(jobs), asked.out)
    for failure in failures:
        console.print(f"[red]failed[/red] {failure}", highlight=False, soft_wrap=True)
    console.print(f"{len(records)} cells: {asked.out / 'table2.md'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
