"""Table I of C09: `onearm papers c09.table1`.

First settles γ and C by runs of their own, then plays whatever is not yet in
results/c09/runs.jsonl, on all cores, and writes table1.md and curves.png beside it from all runs of
the present sources. It can be stopped at any time and goes on from there. RCV1 is played only where
it is asked for by name, and fetched by scikit-learn.

G. Chen, G. Chen, J. Zhang, S. Chen, C. Zhang. Beyond Banditron: a conservative and efficient
reduction for online multiclass prediction with bandit setting model. ICDM 2009.
"""

import argparse
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import track

from papers import RESULTS
from papers.c09 import figure as c09_figure
from papers.c09 import report as c09_table
from papers.c09.paper import METHODS
from papers.c09.report import settled
from papers.c09.runs import RUNS, SIZES, TUNED, Job, key, play, playing, ready, tuning
from papers.pool import play_all, wanted
from papers.records import Record, by_what, finished

FOLDER = RESULTS / "c09"
QUICK_SEEDS, QUICK_ROUNDS = 2, 2000
FETCHED = "rcv1"


def options() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(prog="onearm papers c09.table1", description=__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=[*SIZES, *METHODS], default=[], metavar="NAME",
        help=f"play these alone: {', '.join((*SIZES, *METHODS))}",
    )  # fmt: skip
    parser.add_argument("--seeds", type=int, help=f"runs of each, {RUNS} unless told")
    parser.add_argument("--out", type=Path, help="folder of the results")
    parser.add_argument(
        "--quick", action="store_true",
        help=f"{QUICK_SEEDS} runs of the first {QUICK_ROUNDS:,} rounds, into results/c09/quick",
    )  # fmt: skip
    asked = parser.parse_args()
    asked.seeds = asked.seeds or (QUICK_SEEDS if asked.quick else RUNS)
    asked.out = asked.out or (FOLDER / "quick" if asked.quick else FOLDER)
    asked.rounds = QUICK_ROUNDS if asked.quick else c09_table.ALL
    return asked


def said(run: Record) -> str:
    """A run in a line."""
    changes = "".join(f" {name}={value}" for name, value in run["changes"])
    what = f"{run['data']} {run['method']} ({run['rows']}){changes} seed {run['seed']}"
    return f"{what}: error {100 * run['error']:.2f} %"


def identity(job: Job) -> str:
    """The key of the run that a job becomes."""
    return key({**job._asdict(), **by_what(job.make())})


def play_missing(jobs: Iterable[Job], asked: argparse.Namespace, console: Console) -> list[str]:
    """Play what was asked for and is not there; return what went wrong."""
    path = asked.out / "runs.jsonl"
    there = finished(path, key)
    chosen = (job for job in jobs if wanted(job, asked.only, SIZES, METHODS))
    todo = [job for job in chosen if identity(job) not in there]
    kinds = {job.method: job for job in todo}
    for job in track(kinds.values(), "preparing", console=console):
        ready(job)
    return play_all(play, todo, path, said, console)


def main() -> int:
    """Settle the parameters, play what is missing, and write the table and the figure."""
    asked, console = options(), Console(stderr=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    names = [data for data in SIZES if data != FETCHED or data in asked.only]
    failures = play_missing(tuning(names, asked.rounds), asked, console)
    tried = present(tuning(list(SIZES), asked.rounds), asked.out)
    best = settled(tried)
    later = partial(playing, seeds=asked.seeds, rounds=asked.rounds)
    jobs = [j for d in SIZES for j in later(d, {m: best[d, m] for m in TUNED if (d, m) in best})]
    if not failures:
        failures = play_missing((job for job in jobs if job.data in names), asked, console)
    records = present(jobs, asked.out)
    c09_table.write(records, tried, asked.out, asked.rounds)
    c09_figure.draw(records, best, asked.out / "curves.png")
    for failure in failures:
        console.print(f"[red]failed[/red] {failure}", highlight=False, soft_wrap=True)
    console.print(f"{len(records)} runs: {asked.out / 'table1.md'}")
    return 1 if failures else 0


def present(jobs: Iterable[Job], folder: Path) -> list[Record]:
    """Those of the jobs that have been played."""
    there = finished(folder / "runs.jsonl", key)
    return [there[one] for one in map(identity, jobs) if one in there]


if __name__ == "__main__":
    sys.exit(main())
