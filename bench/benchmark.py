"""What all benchmarks share: options, requirements, results in files, and reports made of these.

A `TimedBenchmark` is measured alone and stores its numbers as one JSON file; a `PlayedBenchmark`
plays jobs on all cores and stores each run in a ledger. Both write their report from what is
stored, and with --render do only that.
"""

import argparse
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from bench.timing import now
from onearm.experiments.identity import PACKAGES, about, versions
from onearm.experiments.job import Job, Record
from onearm.experiments.ledger import Ledger
from onearm.experiments.run import Experiment, play_missing

RESULTS = Path(__file__).with_name("results")
Results = dict[str, Any]


class Option(NamedTuple):
    """An option of a command; its default has its type, and a tuple stands for several values."""

    name: str
    default: Any
    help: str
    choices: Collection[str] | None = None


OUT = Option("out", RESULTS, "folder of the results")
RENDER = Option("render", False, "only write the report again, from the stored results")


def parse(
    name: str, doc: str | None, options: Sequence[Option], arguments: Sequence[str]
) -> argparse.Namespace:
    """Return the options of `python -m bench NAME`, with the whole command as `command`."""
    parser = argparse.ArgumentParser(
        prog=f"python -m bench {name}",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for option in options:
        kind: dict[str, Any] = {"type": type(option.default)}
        if isinstance(option.default, bool):
            kind = {"action": "store_true"}
        elif isinstance(option.default, tuple):
            kind = {"nargs": "+", "choices": option.choices}
        parser.add_argument(f"--{option.name}", default=option.default, help=option.help, **kind)
    parsed = parser.parse_args(arguments)
    parsed.command = " ".join([parser.prog, *arguments])
    return parsed


class Requirement(NamedTuple):
    """A bound on a measured value."""

    what: str
    value: float
    sign: str  # ≥, ≤ or <
    bound: float

    @property
    def met(self) -> bool:
        if self.sign == "≥":
            return bool(self.value >= self.bound)
        return bool(self.value <= self.bound if self.sign == "≤" else self.value < self.bound)

    def __str__(self) -> str:
        return f"{self.what}: {self.value:.4g}, required {self.sign} {self.bound:.4g}"


def verdict(requirements: Sequence[Requirement], errors: Sequence[str] = ()) -> str:
    """Return a paragraph about requirements that are not met, and parts that failed."""
    failures = [*errors, *(str(bound) for bound in requirements if not bound.met)]
    if not failures:
        return "All requirements are met."
    return "**Not met in this run:**\n\n" + "\n".join(f"- {failure}" for failure in failures)


def written_by(results: Results, packages: Sequence[str] = PACKAGES) -> str:
    """Return by which command a report was written, when, where and with which versions."""
    facts = results["about"]
    used = ", ".join(f"{name} {facts[name]}" for name in ("python", *packages))
    return f"Written by `{results['command']}` on {facts['date']}, {facts['cpu']}, {used}."


def run_record(correct: np.ndarray, seconds: float) -> Record:
    """Return error and CPU time of a run, with date and versions."""
    return {
        "rounds": len(correct), "error": float(1.0 - correct.mean()),
        "cpu_seconds": round(seconds, 3), "versions": versions(), "date": now(),
    }  # fmt: skip


def last_run(name: str, records: Sequence[Record]) -> str:
    """Return by which command a report was written, and when and by what the last run was."""
    last = max(records, key=lambda record: record["date"])
    used = ", ".join(f"{package} {version}" for package, version in last["versions"].items())
    return f"Written by `python -m bench {name}` on {last['date'][:10]}, {used}."


@dataclass(frozen=True)
class TimedBenchmark:
    """Measurements that run alone, stored as one JSON file, with a report and perhaps a figure.

    Results may have `errors`: sentences about parts that failed.
    """

    name: str  # of the command: python -m bench NAME
    doc: str | None
    files: str  # name of the result files, without their suffix
    measure: Callable[[argparse.Namespace], Results]
    report: Callable[[Results], str]
    draw: Callable[[Results, Path], None] | None = None
    requirements: Callable[[Results], list[Requirement]] = lambda results: []
    options: tuple[Option, ...] = ()
    packages: tuple[str, ...] = PACKAGES  # whose versions are recorded

    def main(self, arguments: Sequence[str]) -> int:
        """Measure and write; 0 if all requirements are met."""
        options = parse(self.name, self.doc, (*self.options, OUT, RENDER), arguments)
        console = Console(stderr=True)
        path = options.out / f"{self.files}.json"
        if not options.render:
            header = {"command": options.command, "about": about(self.packages)}
            self._store({**header, **self.measure(options)}, path)
        results = json.loads(path.read_text())
        path.with_suffix(".md").write_text(self.report(results))
        if self.draw:
            self.draw(results, path.with_suffix(".png"))
        requirements = self.requirements(results)
        failures = [str(bound) for bound in requirements if not bound.met]
        met = len(requirements) - len(failures)
        console.print(f"{met} of {len(requirements)} requirements met: {path.with_suffix('.md')}")
        return show_failures(results.get("errors", []) + failures, console)

    def _store(self, results: Results, path: Path) -> None:
        results = json.loads(json.dumps(results))  # its keys as they will be read: strings
        checked = [{**bound._asdict(), "met": bound.met} for bound in self.requirements(results)]
        results |= {"requirements": checked} if checked else {}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class PlayedBenchmark:
    """Jobs whose runs are stored in a ledger, with a report and perhaps a figure beside it.

    Both get the records in the order of the jobs.
    """

    name: str
    doc: str | None
    ledger: str  # its file, in the folder of the results
    jobs: Callable[[], Sequence[Job]]
    report: Callable[[list[Record]], str]
    draw: Callable[[list[Record], Path], None] | None = None

    def main(self, arguments: Sequence[str]) -> int:
        """Play what is missing and write; 0 if nothing failed."""
        options = parse(self.name, self.doc, (OUT, RENDER), arguments)
        console = Console(stderr=True)
        ledger, failures = Ledger(options.out / self.ledger), list[str]()
        if options.render:
            records = Experiment(self.jobs(), ledger).records()
        else:
            records, failures = play_missing(self.jobs(), ledger, console)
        if records:
            path = options.out / self.ledger
            path.with_suffix(".md").write_text(self.report(records))
            if self.draw:
                self.draw(records, path.with_suffix(".png"))
        return show_failures(failures, console)


def show_failures(failures: Sequence[str], console: Console) -> int:
    """Print what failed and return the exit status."""
    for failure in failures:
        console.print(f"failed: {failure}", highlight=False, soft_wrap=True, markup=False)
    return 1 if failures else 0
