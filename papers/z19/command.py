"""Tables 1 and 2 and the learning curves of Z19: `onearm papers z19.table1`.

Plays whatever is not yet in results/z19/runs.jsonl, on all cores, and writes tables.md and
curves.png beside it from all runs of the present configuration. It can be stopped at any time and
goes on from there. `onearm papers z19.boosting` asks whether AdaBandit boosts at all.

D. Zhang, Y. H. Jung, A. Tewari. Online multiclass boosting with bandit feedback. AISTATS 2019.
"""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.progress import track

from papers import RESULTS
from papers.pool import play_all
from papers.z19 import figure as z19_figure
from papers.z19 import report as z19_tables
from papers.z19.data import is_there
from papers.z19.paper import DATA_SETS, LEARNERS, TABLES
from papers.z19.runs import (
    SETTINGS,
    Job,
    Record,
    configuration,
    finished,
    jobs,
    key,
    play,
    ready,
)

FOLDER = RESULTS / "z19"


def options() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(prog="onearm papers z19.table1", description=__doc__)
    names = {name.lower() for name in (*LEARNERS, *DATA_SETS)}
    parser.add_argument(
        "--only", nargs="+", type=str.lower, choices=sorted(names), default=[], metavar="NAME",
        help=f"play these learners and data sets alone: {', '.join(sorted(names))}",
    )  # fmt: skip
    parser.add_argument("--seeds", type=int, default=20, help="runs of each at most")
    parser.add_argument("--settings", nargs="+", choices=SETTINGS, default=SETTINGS)
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    return parser.parse_args()


def wanted(job: Job, asked: argparse.Namespace) -> bool:
    """Whether a job was asked for."""
    learners = {name.lower() for name in LEARNERS} & set(asked.only)
    data_sets = set(DATA_SETS) & set(asked.only)
    return (
        job.settings in asked.settings
        and job.seed in TABLES[job.data].seeds[: asked.seeds]
        and (not learners or job.learner.lower() in learners)
        and (not data_sets or job.data in data_sets)
    )


def compile_all(todo: list[Job], console: Console) -> None:
    """Compile in this process, so that all others find it done."""
    kinds = {(job.data, job.learner, job.settings): job for job in todo}
    for job in track(kinds.values(), "preparing", console=console):
        ready(job)


def said(run: Record) -> str:
    """A run in a line."""
    what = f"{run['data']} {run['learner']} ({run['settings']}) seed {run['seed']}"
    came = f"last 20 % {run['asymptotic']:.3f}, total {run['total']:.3f}"
    return f"{what}: {came}, {run['cpu_seconds']:.1f} CPU s"


def about(records: list[Record]) -> str:
    """Where the numbers come from."""
    versions = {json.dumps(record["versions"], sort_keys=True) for record in records}
    shown = "; ".join(", ".join(f"{k} {v}" for k, v in json.loads(one).items()) for one in versions)
    today = datetime.now(UTC).date().isoformat()
    return f"Written by `onearm papers z19.table1` on {today} from {len(records)} runs; {shown}."


def main() -> int:
    """Play what is missing, and write tables and curves."""
    asked, console = options(), Console(stderr=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / "runs.jsonl"
    keys = {
        job: key(configuration(job))
        for job in track(jobs(), "configuring", console=console)
        if wanted(job, asked) or is_there(job.data)  # others cannot be configured, nor played
    }
    there = finished(path)
    todo = [job for job in keys if keys[job] not in there and wanted(job, asked)]
    compile_all(todo, console)
    failures = play_all(play, todo, path, said, console)
    there = finished(path)
    records = [there[one] for one in keys.values() if one in there]
    if len(there) > len(records):
        other = len(there) - len(records)
        console.print(f"{other} runs of {path} are of other sources or settings and do not count")
    (asked.out / "tables.md").write_text(z19_tables.text(records, about(records)))
    z19_figure.draw(records, asked.out / "curves.png")
    for failure in failures:
        console.print(f"[red]failed[/red] {failure}", highlight=False, soft_wrap=True)
    console.print(f"{len(records)} of {len(jobs())} runs: {asked.out / 'tables.md'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
