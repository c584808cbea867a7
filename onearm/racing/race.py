"""The race: play what is missing of a plan, and tell what came of it."""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from onearm.core.kernels import is_compiled
from onearm.racing import report
from onearm.racing.live import Display
from onearm.racing.plan import Plan
from onearm.racing.pool import ALL_CORES, MOST_WORKERS, WHERE, play_all
from onearm.racing.records import belongs, finished
from onearm.racing.run import Job, Record
from onearm.racing.sources import ready
from onearm.racing.storage import add, naming, opened, write_together
from onearm.racing.summary import Score, scores

RUNS = "runs.jsonl"


class Results:
    """What came of a race.

    Parameters
    ----------
    plan
        What was raced.
    runs
        The record of each run: its whole configuration, versions, errors and curve.
    failures
        What went wrong, a sentence for each run that has no record.
    """

    def __init__(self, plan: Plan, runs: list[Record], failures: list[str]) -> None:
        self.plan, self.runs, self.failures = plan, runs, failures

    def scores(self) -> list[Score]:
        """Return each learner on each stream over all repeats, the least error first."""
        return scores(self.runs)

    def rows(self) -> list[dict[str, Any]]:
        """Return the same as flat rows of numbers, for a data frame."""
        return report.rows(self.scores())

    def write(self, folder: str | Path, command: str = "", figures: bool = False) -> list[Path]:
        """Write the page, numbers and the plan into a folder, with `figures` also SVG and PNG."""
        from onearm import page
        from onearm.racing.figures import is_figure, write_figures

        folder, found = Path(folder), self.scores()
        if not found:
            raise ValueError(f"no run has ended: {'; '.join(self.failures[:1])}")
        folder.mkdir(parents=True, exist_ok=True)
        data = report.page_data(self.plan, found, self.failures, command)

        def write(new: Path) -> list[Path]:
            page.write(data, new / "race.html")
            (new / "race.toml").write_text(self.plan.toml(), encoding="utf-8")
            written = [new / "race.html", new / "race.toml", *report.write_numbers(found, new)]
            return written + (write_figures(found, new) if figures else [])

        with naming(folder):
            return write_together(folder, write, is_figure)


def race(
    streams: Any,
    learners: Any = None,
    *,
    on: str | int = ALL_CORES,
    out: str | Path | None = None,
    console: Console | None = None,
    **plan: Any,
) -> Results:
    """Let learners play streams, and return what came of it.

    `streams` and `learners` are one or several, as the parameters of a Plan are, or `streams` is a
    Plan. With a folder `out` every run that ends is kept there, and the same race again plays only
    what is missing. `on` is where: a number of cores, "all-cores", "ray", or the address of a Ray
    cluster.

    >>> results = race("SynSep", ["Perceptron", "Banditron"], rounds=2000, on=1)
    >>> [(score.name, score.full_information) for score in results.scores()]
    [('Perceptron', True), ('Banditron', False)]
    """
    if not isinstance(streams, Plan):
        streams = Plan(_several(streams), _several(learners or []), **plan)
    if not (isinstance(on, str) and on) and not (type(on) is int and 1 <= on <= MOST_WORKERS):
        raise ValueError(f"{WHERE}, got {on!r}")
    console = console or Console(quiet=True)
    jobs = {job.key(): job for job in streams.jobs()}
    new = set()  # learners that are not yet compiled
    for one in {job.name: job for job in jobs.values()}.values():
        try:
            learner = one.cls(3, 4, **one.parameters)  # refuses what it cannot have
        except (ValueError, TypeError) as error:
            raise ValueError(f"{one.cls.__name__}: {error}") from error
        if not is_compiled(learner.kernels.play):
            new.add(one.cls.__name__)
    for each in streams.sources():
        ready(each, lambda line: console.print(line, highlight=False, soft_wrap=True, markup=False))
    path = None if out is None else Path(out) / RUNS
    there = {} if path is None else _usable(path, jobs, console)
    todo = [job for key, job in jobs.items() if key not in there]
    to_compile = sorted({job.cls.__name__ for job in todo} & new)
    if to_compile and not _beyond(on):
        console.print(f"compiling {', '.join(to_compile)} (once)", highlight=False)
    failures = []
    with (
        Display(list(jobs.values()), list(there.values()), console, _beyond(on)) as shown,
        opened(path) as lines,
    ):
        for job, result in play_all(todo, on, shown.address) if todo else ():
            if isinstance(result, str):
                failures.append(f"{job.name} on {job.source.name}, repeat {job.repeat}: {result}")
                shown.failed(job.key(), failures[-1])
                continue
            there[job.key()] = result
            with naming(path or Path(os.devnull)):
                add(lines, result)
            shown.ended(job.key(), result)
    return Results(streams, [there[key] for key in jobs if key in there], failures)


def _beyond(on: str | int) -> bool:
    """Whether runs may be played on other machines than this one."""
    return isinstance(on, str) and on != ALL_CORES


def _several(told: Any) -> Sequence[Any]:
    return told if isinstance(told, list | tuple) else [told]


def _usable(path: Path, jobs: dict[str, Job], console: Console) -> dict[str, Record]:
    """Return the runs of a file that need not be played again, and warn of those that must."""
    faults: dict[str, str] = {}
    found = finished(path, faults)
    for key, job in jobs.items():
        if key in found and not belongs(found[key], job):
            faults[key] = "it is of another configuration than its key"
            del found[key]
        if key in faults and key not in found:
            what = f"{job.name} on {job.source.name}, repeat {job.repeat}"
            _warn(f"{path}: {what} is damaged and played again: {faults[key]}", console)
    return {key: found[key] for key in jobs if key in found}


def _warn(text: str, console: Console) -> None:
    if console.quiet:
        warnings.warn(text, stacklevel=4)  # of the caller of `race`
    else:
        console.print(text, highlight=False, soft_wrap=True, markup=False)
