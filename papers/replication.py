"""A table or figure of a paper: what is played for it, what is written, and with which options."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from onearm.experiments.job import Job, Record
from onearm.experiments.ledger import Ledger
from onearm.experiments.run import Experiment, play_missing
from papers.claims import Claim
from papers.markdown import written_by
from papers.verdicts import Cell


class Options(NamedTuple):
    """What a command asks for; what it leaves out is as the table has it."""

    only: tuple[str, ...] = ()  # names of data sets, learners, ...; all if empty
    runs: int | None = None  # of each cell
    cap: int | None = None  # on the steps of a round, or on rounds
    quick: bool = False

    def command(self, name: str) -> str:
        """Return the command that asks for this."""
        words = ["onearm papers", name, *["--quick"] * self.quick]
        words += ["--only", f'"{",".join(self.only)}"'] if self.only else []
        for option, value in (("--runs", self.runs), ("--cap", self.cap)):
            words += [option, str(value)] if value is not None else []
        return " ".join(words)


class Request(NamedTuple):
    """Options that are complete, and where the results go."""

    options: Options
    folder: Path
    command: str


Stage = Callable[[Request, list[Record]], Sequence[Job]]


@dataclass(frozen=True)
class Replication:
    """What is played for a table or figure, and what is written.

    A stage returns all jobs that count, given the records of the stages before; those that the
    options select are played. `cells` and `claims` are those of a paper's table or figure, by name.
    """

    stages: tuple[Stage, ...]
    title: str  # of the report
    report: str  # its file, in the results' folder
    text: Callable[[list[Record], Options], list[str]]  # its paragraphs, in Markdown
    cut: Callable[[list[Record], Options], list[str]] = lambda *_: []  # how it is cut, if it is
    figure: str = ""
    draw: Callable[[list[Record], Path], None] | None = None
    names: tuple[Collection[str], ...] = ()  # that --only may have, kind by kind
    defaults: Options = Options()  # None: the table has no such option
    quick: Options | None = None
    ledger: str = "runs.jsonl"
    on_request: tuple[str, ...] = ()  # played only if --only names them
    needs_all: bool = False  # whether nothing can be written from a part of the runs
    repeat: Callable[[Any], int] = lambda job: getattr(job, "seed", 0)  # which run of its cell
    cells: Mapping[str, Callable[[list[Record]], list[Cell]]] = field(default_factory=dict)
    claims: Mapping[str, Callable[[list[Record]], list[Claim]]] = field(default_factory=dict)

    def complete(self, name: str, given: Options) -> Options:
        """Return the options with defaults; refuse what the table does not have."""
        known = {label.lower(): label for kind in self.names for label in kind}
        for label in given.only:
            if not known:
                raise ValueError(f"{name} has no option --only, got {label}")
            if label.lower() not in known:
                raise ValueError(f"only must be of {', '.join(known.values())}, got {label!r}")
        if given.quick and self.quick is None:
            raise ValueError(f"{name} has one size: leave out --quick")
        small = self.quick if given.quick and self.quick else Options()
        values: dict[str, Any] = {"only": given.only or small.only, "quick": given.quick}
        for option in ("runs", "cap"):
            asked, default = getattr(given, option), getattr(self.defaults, option)
            if asked is not None and default is None:
                raise ValueError(f"{name} has no option --{option}, got {asked}")
            values[option] = next(
                (v for v in (asked, getattr(small, option), default) if v is not None), None
            )
        return Options(**values)

    def selects(self, job: Any, options: Options) -> bool:
        """Whether a job is asked for: where a kind of names is restricted, it has one of them."""
        only = {label.lower() for label in options.only}
        has = {str(value).lower() for value in job.values().values()}
        kinds = [{label.lower() for label in kind} & only for kind in self.names]
        if options.runs is not None and self.repeat(job) >= options.runs:
            return False
        if has & set(self.on_request) - only:
            return False
        return all(not kind or has & kind for kind in kinds)

    def run(self, name: str, given: Options, folder: Path, console: Console) -> int:
        """Play what is missing and write the report; 0 if nothing failed."""
        request = Request(self.complete(name, given), folder, given.command(name))
        ledger, records, failures = Ledger(folder / self.ledger), list[Record](), list[str]()
        n_jobs = 0
        for stage in self.stages:
            jobs = stage(request, records)
            n_jobs += len(jobs)
            selected = [job for job in jobs if self.selects(job, request.options)]
            if not failures:
                failures = play_missing(selected, ledger, console).failures
            records = records + Experiment(jobs, ledger).records()
        if len(records) == n_jobs or not self.needs_all:
            self.write(records, request)
        other = len(ledger.records()) - len(records)
        if other:
            console.print(f"{other} runs of {ledger.path} are of other code and do not count")
        for failure in failures:
            console.print(f"failed: {failure}", highlight=False, soft_wrap=True, markup=False)
        report = folder / self.report
        console.print(f"{len(records)} runs: {report}", highlight=False, soft_wrap=True)
        return 1 if failures else 0

    def page(self, records: list[Record], request: Request) -> str:
        """Return the report: in brackets after its title stands how it is cut."""
        cut = self.cut(records, request.options)
        title = f"# {self.title}" + f" ({', '.join(cut)})" * bool(cut)
        parts = [title, written_by(request.command, records), *self.text(records, request.options)]
        return "\n\n".join(part for part in parts if part) + "\n"

    def write(self, records: list[Record], request: Request) -> None:
        """Write the report and the figure."""
        (request.folder / self.report).write_text(self.page(records, request))
        if self.draw and records:
            self.draw(records, request.folder / self.figure)
