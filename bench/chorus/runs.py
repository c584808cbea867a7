"""A run of the comparison with Chorus: a learner, or Vowpal Wabbit, on a repeat of a stream."""

from pathlib import Path
from typing import Any, NamedTuple

import onearm
from bench.chorus import learners, vowpal_wabbit
from bench.chorus.learners import TooSlowError, results
from bench.chorus.streams import stream
from bench.timing import now
from onearm.experiments.identity import code, versions
from onearm.experiments.job import OnProgress, Record

TUNING_ROUNDS = 10_000  # of phase 1
TUNING_SECONDS = 150.0  # CPU seconds that a run of phase 1 may take
MAX_SECONDS = 600.0  # those that a run of phase 2 may be expected to take
BULKY = ("parts", "versions")  # left out of the records of phase 1, of which there are thousands


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
        """Return error and time, or why the run was skipped."""
        if "skipped" in record:
            return f"{self}: {record['skipped']}"
        return f"{self}: {record['error']:.4f} in {record['cpu_seconds']:.1f} s"


def everyone() -> list[str]:
    """Return the names of Chorus, all other learners, and the explorers of Vowpal Wabbit."""
    return ["Chorus", *learners.learners(), *vowpal_wabbit.EXPLORERS]


def ledger_path(folder: Path, name: str) -> Path:
    """Return the file of the runs of Chorus, an earlier version of it, or all others."""
    return folder / "chorus" / f"{name}.jsonl"
