"""Chorus beside every other learner with its best setting, and Vowpal Wabbit, on 21 streams.

Stores each run in results/chorus/rivals.jsonl, those of Chorus with its defaults in chorus.jsonl;
re-running plays what is missing. Phase 1 tries settings on the first rounds of repeat 0; phase 2
plays the best of each learner on all rounds of repeats 1, 2, …
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

import onearm
from bench.benchmark import OUT, Option, parse, show_failures
from bench.chorus import learners, vowpal_wabbit
from bench.chorus.learners import TooSlowError, results
from bench.chorus.streams import NAMES, repeats, stream
from bench.timing import now
from onearm.experiments.identity import code, versions
from onearm.experiments.job import OnProgress, Record
from onearm.experiments.ledger import Ledger
from onearm.experiments.run import Experiment, play_missing

TUNING_ROUNDS = 10_000  # of phase 1
TUNING_SECONDS = 150.0  # CPU seconds that a run of phase 1 may take
MAX_SECONDS = 600.0  # those that a run of phase 2 may be expected to take
BULKY = ("parts", "versions")  # left out of the records of phase 1, of which there are thousands
FAR = 1.5, 0.02  # times the lowest error of phase 1, plus this: worse learners get few repeats
FEW = 2
Settings = Callable[[str, str], learners.Settings]  # of a learner on a stream


class Job(NamedTuple):
    """A run: in phase 1 of the first rounds of repeat 0, in phase 2 of all rounds."""

    stream: str
    learner: str  # a class of ours, or an explorer of Vowpal Wabbit
    parameters: Record
    repeat: int
    phase: int
    expected: float = 0.0  # CPU seconds that phase 2 will take, by phase 1
    note: str = ""

    def __str__(self) -> str:
        return f"{self.stream}, {self.learner} {self.parameters}, repeat {self.repeat}"

    def configuration(self) -> Record:
        """Return what identifies the run; code is recorded, but other code is no other run."""
        names = ("stream", "learner", "parameters", "repeat", "phase")
        return {name: getattr(self, name) for name in names}

    def play(self, progress: OnProgress) -> Record:
        """Return results and versions; `skipped` says why a run takes too long or fails."""
        rounds = stream(self.stream, self.repeat).n_rows or 0
        if self.expected > MAX_SECONDS:
            why = f"{rounds:,} rounds would take {self.expected:.0f} CPU seconds"
            return {"skipped": why, "date": now()}
        if self.phase == 1:
            rounds = min(rounds, TUNING_ROUNDS)
        record: Record = {"seed": self.repeat, "rounds": rounds}
        record |= {"note": self.note} if self.note else {}
        try:
            record |= self._run(rounds)
        except TooSlowError as error:
            record["skipped"] = str(error)
        except (MemoryError, RuntimeError, ValueError) as error:
            record["skipped"] = f"{type(error).__name__}: {error}"
        if self.phase == 1:
            record = {name: value for name, value in record.items() if name not in BULKY}
        return record | {"date": now()}

    def _run(self, rounds: int) -> Record:
        given = (self.parameters, self.repeat, rounds)
        if self.learner in vowpal_wabbit.EXPLORERS:
            run, used = vowpal_wabbit.play(self.stream, *given), versions(("vowpalwabbit",))
        else:
            cls: Any = getattr(onearm, self.learner)
            most = TUNING_SECONDS if self.phase == 1 else 2 * MAX_SECONDS
            run, used = learners.play(self.stream, cls, *given, most), versions()
            used["code"] = code(cls)
        return {"versions": used, **run.details, **results(run.correct, run.seconds)}

    def summary(self, record: Record) -> str:
        if "skipped" in record:
            return f"{self}: {record['skipped']}"
        return f"{self}: {record['error']:.4f} in {record['cpu_seconds']:.1f} s"


def everyone() -> list[str]:
    """Return the names of Chorus, all other learners, and the explorers of Vowpal Wabbit."""
    return ["Chorus", *learners.learners(), *vowpal_wabbit.EXPLORERS]


def ledger_path(folder: Path, name: str) -> Path:
    """Return the file of the runs of Chorus, an earlier version of it, or all others."""
    return folder / "chorus" / f"{name}.jsonl"


def best(records: Iterable[Record], name: str, team: Iterable[str]) -> dict[str, Record]:
    """Return the run of each learner that has the lowest error in phase 1 on a stream."""
    lowest: dict[str, Record] = {}
    for record in records:
        learner = record["learner"]
        if record["phase"] == 1 and record["stream"] == name and "skipped" not in record:
            if learner in team and record["error"] < lowest.get(learner, {"error": 2.0})["error"]:
                lowest[learner] = record
    return lowest


def phase_1(name: str, team: dict[str, Settings]) -> list[Job]:
    """Return the runs of all settings of a team on a stream."""
    return [
        Job(name, learner, parameters, 0, 1)
        for learner, settings in team.items()
        for parameters in settings(learner, name)
    ]


def phase_2(name: str, chosen: dict[str, Record], limit: float, repeat: int) -> list[Job]:
    """Return a repeat of all learners with the settings chosen in phase 1.

    Those whose error in phase 1 was above the limit play at most FEW repeats.
    """
    length, jobs = stream(name, 0).n_rows or 0, []
    for learner, record in chosen.items():
        few = record["error"] > limit
        if not few or repeat <= FEW:
            seconds = record["cpu_seconds"] * length / record["rounds"]
            note = f"far from the best in phase 1: at most {FEW} repeats" if few else ""
            jobs.append(Job(name, learner, record["parameters"], repeat, 2, seconds, note))
    return jobs


def batches(
    name: str, team: dict[str, Settings], chosen: Sequence[str], ledger: Ledger, n: int
) -> Iterator[list[Job]]:
    """Yield the runs of a team on a stream, batch by batch: the ledger decides what comes next.

    A learner that was skipped in phase 2 plays no more.
    """
    yield phase_1(name, {learner: team[learner] for learner in team if learner in chosen})
    tuned = best(ledger.records().values(), name, team)
    limit = FAR[0] * min((record["error"] for record in tuned.values()), default=0.0) + FAR[1]
    for repeat in range(1, n + 1):
        skipped = {
            record["learner"]
            for record in ledger.records().values()
            if record["phase"] == 2 and record["stream"] == name and "skipped" in record
        }
        left = {learner: tuned[learner] for learner in tuned if learner in chosen}
        left = {learner: record for learner, record in left.items() if learner not in skipped}
        yield phase_2(name, left, limit, repeat)


def plan(options: argparse.Namespace) -> Iterator[tuple[list[Job], Ledger]]:
    """Yield all runs batch by batch, with the ledger of each."""
    rivals = Ledger(ledger_path(options.out, "rivals"))
    chosen = [name for name in everyone() if name in options.only] or everyone()
    for name in [name for name in NAMES if name in options.only] or NAMES:
        n = options.repeats or repeats(name)
        if "Chorus" in chosen:
            jobs = [Job(name, "Chorus", {}, repeat, 2) for repeat in range(1, n + 1)]
            yield jobs, Ledger(ledger_path(options.out, "chorus"))
        ours = dict.fromkeys(learners.learners(), learners.settings)
        theirs = dict.fromkeys(vowpal_wabbit.EXPLORERS, vowpal_wabbit.settings)
        for team in (ours, theirs):
            if set(team) & set(chosen):
                yield from ((jobs, rivals) for jobs in batches(name, team, chosen, rivals, n))


def main(arguments: Sequence[str]) -> int:
    every = (
        Option("only", (), "streams and learners", [*NAMES, *everyone()]),
        Option("repeats", 0, "of phase 2; 0: 10, of large streams 3"),
        OUT,
    )
    options, console = parse("chorus", __doc__, every, arguments), Console(stderr=True)
    for jobs, ledger in plan(options):
        if Experiment(jobs, ledger).missing():
            failures = play_missing(jobs, ledger, console).failures
            if failures:
                return show_failures(failures, console)
    return 0
