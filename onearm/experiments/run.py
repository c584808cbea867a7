"""Playing an experiment: what its ledger lacks is played, and everything is recorded."""

import json
from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from rich import progress as bars
from rich.console import Console

from onearm.experiments.job import Job, Record, key
from onearm.experiments.ledger import Ledger
from onearm.experiments.pool import ALL_CORES, Address, Result, RunError, describe_error, play_all

AnyJob = TypeVar("AnyJob", bound=Job)


class Experiment(Generic[AnyJob]):
    """Jobs, the records of those that are finished, and what went wrong with others.

    `damaged` describes records of the ledger that cannot be used: their jobs are played again.
    """

    def __init__(self, jobs: Sequence[AnyJob], ledger: Ledger) -> None:
        self.ledger = ledger
        pairs = [(job, job.configuration()) for job in jobs]
        self.jobs = {key(configuration): job for job, configuration in pairs}
        self.configurations = {key(configuration): configuration for _, configuration in pairs}
        self.failures: list[str] = []
        self.damaged: list[str] = []
        self.finished = self._usable_records()

    def _usable_records(self) -> dict[str, Record]:
        records, usable = self.ledger.records(), {}
        for name, job in self.jobs.items():
            fault = self.ledger.faults.get(name)
            if name in records:
                expected = json.loads(json.dumps(self.configurations[name])).items()
                same = all(records[name].get(field) == value for field, value in expected)
                fault = None if same else "it is of another configuration than its key"
            if fault:
                what = f"{self.ledger.path}: {job} is damaged and played again"
                self.damaged.append(f"{what}: {fault}")
            elif name in records:
                usable[name] = records[name]
        return usable

    def missing(self) -> dict[str, AnyJob]:
        """Return the jobs that have no record, by key."""
        return {name: job for name, job in self.jobs.items() if name not in self.finished}

    def records(self) -> list[Record]:
        """Return the records there are, in the order of the jobs."""
        return [self.finished[name] for name in self.jobs if name in self.finished]

    def play(
        self, on: str | int = ALL_CORES, address: Address | None = None
    ) -> Iterator[tuple[str, Result]]:
        """Play what is missing; give each job's key with its record or error once it has ended."""
        missing = self.missing()
        with self.ledger.writer() as write:
            for name, result in play_all(missing, on, address) if missing else ():
                if isinstance(result, Exception):
                    reason = result if isinstance(result, RunError) else describe_error(result)
                    self.failures.append(f"{missing[name]}: {reason}")
                    yield name, result
                    continue
                record = {"key": name, **self.configurations[name], **result}
                write(record)
                self.finished[name] = record
                yield name, record


class Played(NamedTuple):
    """The records of the jobs that are finished, in their order, and sentences about failures."""

    records: list[Record]
    failures: list[str]


def play_missing(
    jobs: Sequence[Job], ledger: Ledger, console: Console, on: str | int = ALL_CORES
) -> Played:
    """Play what the ledger lacks of the jobs, with a progress bar and a line for each that ends.

    Ctrl-C is a failure like others: what is finished stays. Missing data are raised in the end.
    """
    experiment, missing_data = Experiment(jobs, ledger), []
    for text in experiment.damaged:
        print_line(text, console)
    times = bars.TimeElapsedColumn(), bars.TimeRemainingColumn()
    columns = "{task.description}", bars.BarColumn(), bars.MofNCompleteColumn(), *times
    with bars.Progress(*columns, console=console) as progress:
        task = progress.add_task("playing", total=len(experiment.missing()))
        try:
            for name, result in experiment.play(on):
                if isinstance(result, FileNotFoundError):
                    missing_data.append(result)
                elif not isinstance(result, Exception):
                    print_line(experiment.jobs[name].summary(result), console)
                progress.advance(task)
        except KeyboardInterrupt:
            experiment.failures.append("stopped before the end; the same command resumes")
    if missing_data:
        raise missing_data[0]
    return Played(experiment.records(), experiment.failures)


def print_line(text: str, console: Console) -> None:
    """Print a text as it is."""
    console.print(text, highlight=False, soft_wrap=True, markup=False)
