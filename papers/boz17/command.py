"""Figure 2 of BOZ17: `onearm papers boz17.figure2`.

Plays whatever is not yet in results/boz17/runs.jsonl, on all cores, and writes figure2.md and
figure2.png beside it from all runs of the present sources. It can be stopped at any time and goes
on from there. RCV1 is played only where it is asked for by name, and fetched by scikit-learn.

A. Beygelzimer, F. Orabona, C. Zhang. Efficient online bandit multiclass learning with Õ(√T) regret.
ICML 2017.
"""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track

from papers import RESULTS
from papers.boz17 import figure as boz17_figure
from papers.boz17 import report as boz17_table
from papers.boz17.runs import LEARNERS, OTHERWISE, RUNS, SIZES, Job, jobs, key, play, ready
from papers.pool import play_all, wanted
from papers.records import Record, by_what, finished

FOLDER = RESULTS / "boz17"
QUICK_SEEDS, QUICK_ROUNDS = 2, 5000
FETCHED = "rcv1"


def options() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(prog="onearm papers boz17.figure2", description=__doc__)
    names = (*SIZES, *LEARNERS)
    parser.add_argument(
        "--only", nargs="+", choices=names, default=[], metavar="NAME",
        help=f"play these alone: {', '.join(names)}",
    )  # fmt: skip
    parser.add_argument("--seeds", type=int, help=f"runs of each, {RUNS} unless told")
    parser.add_argument("--out", type=Path, help="folder of the results")
    parser.add_argument(
        "--quick", action="store_true",
        help=f"{QUICK_SEEDS} runs of the first {QUICK_ROUNDS:,} rounds, into results/boz17/quick",
    )  # fmt: skip
    asked = parser.parse_args()
    asked.seeds = asked.seeds or (QUICK_SEEDS if asked.quick else RUNS)
    asked.out = asked.out or (FOLDER / "quick" if asked.quick else FOLDER)
    return asked


def said(run: Record) -> str:
    """A run in a line."""
    gamma = f" γ = 2^-{run['power']}" if run["power"] else ""
    what = f"{run['data']} {run['learner']}{gamma} seed {run['seed']}"
    return f"{what}: error {run['error']:.4f}, last tenth {run['last']:.4f}"


def main() -> int:
    """Play what is missing, and write the table and the figure."""
    asked, console = options(), Console(stderr=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / "runs.jsonl"
    there = finished(path, key)
    rounds = QUICK_ROUNDS if asked.quick else 10**9
    unasked = {FETCHED, *(OTHERWISE if asked.quick else ())} - set(asked.only)
    data_sets = [data for data in SIZES if data not in unasked]
    todo = [
        job for job in jobs(data_sets, asked.seeds, rounds)
        if identity(job) not in there and wanted(job, asked.only, SIZES, LEARNERS)
    ]  # fmt: skip
    kinds = {job.learner: job for job in todo}
    for job in track(kinds.values(), "preparing", console=console):
        ready(job)
    failures = play_all(play, todo, path, said, console)
    there = finished(path, key)
    every = {identity(job) for job in jobs(list(SIZES), RUNS, rounds)}
    records = [run for one, run in there.items() if one in every]
    boz17_table.write(records, asked.out, QUICK_ROUNDS if asked.quick else None)
    boz17_figure.draw(records, asked.out / "figure2.png")
    for failure in failures:
        console.print(f"[red]failed[/red] {failure}", highlight=False, soft_wrap=True)
    console.print(f"{len(records)} runs: {asked.out / 'figure2.md'}")
    return 1 if failures else 0


def identity(job: Job) -> str:
    """The key of the run that a job becomes."""
    return key({**job._asdict(), **by_what(job.make())})


if __name__ == "__main__":
    sys.exit(main())
