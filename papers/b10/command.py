"""Table 1 and Figure 4 of B10: `onearm papers b10.table1`.

Plays whatever is not yet in results/b10/runs.jsonl, on all cores, and writes table1.md and
figure4.png beside it. It can be stopped at any time and goes on from there. Figure 3 is made by
`onearm papers b10.figure3`.

R. Busa-Fekete, B. Kégl. Fast boosting using adversarial bandits. ICML 2010.
"""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track

from papers import RESULTS
from papers.b10 import report as b10_table
from papers.b10.paper import BASES, DATA_SETS, POLICIES
from papers.b10.runs import Record, configuration, finished, jobs, key, play, ready
from papers.pool import play_all, wanted

SEEDS = 20  # at most, that are looked for among earlier runs
FOLDER = RESULTS / "b10"


def options() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(prog="onearm papers b10.table1", description=__doc__)
    names = (*DATA_SETS, *BASES, *POLICIES)
    parser.add_argument(
        "--only", nargs="+", choices=names, default=[], metavar="NAME",
        help=f"play these alone: {', '.join(names)}",
    )  # fmt: skip
    parser.add_argument("--seeds", type=int, default=1, help="runs of each")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    return parser.parse_args()


def said(run: Record) -> str:
    """A run in a line."""
    what = f"{run['data']} {run['base']} {run['arms']} seed {run['seed']}"
    came = f"{100 * run['error']:.2f} % after {run['rounds']:,} rounds"
    return f"{what}: {came}, {run['cpu_seconds']:.1f} CPU s"


def main() -> int:
    """Play what is missing, and write the table and the figure."""
    asked, console = options(), Console(stderr=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / "runs.jsonl"
    keys = {job: key(configuration(job)) for job in jobs(max(asked.seeds, SEEDS))}
    there = finished(path)
    todo = [
        job for job in keys
        if keys[job] not in there and job.seed < asked.seeds
        and wanted(job, asked.only, DATA_SETS, BASES, POLICIES)
    ]  # fmt: skip
    bases = {job.base: job for job in todo}
    for job in track(bases.values(), "preparing", console=console):
        ready(job)
    failures = play_all(play, todo, path, said, console)
    there = finished(path)
    records = [there[one] for one in keys.values() if one in there]
    b10_table.write(records, asked.out)
    for failure in failures:
        console.print(f"[red]failed[/red] {failure}", highlight=False, soft_wrap=True)
    console.print(f"{len(records)} runs: {asked.out / 'table1.md'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
