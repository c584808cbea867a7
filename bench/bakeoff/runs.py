"""A run of the bake-off, and its record: errors, seconds, and which rounds were correct."""

import base64
import resource
import zlib
from typing import Any, NamedTuple

import numpy as np

import onearm
from bench.bakeoff import extra_trees, ours, vowpal
from bench.bakeoff.rivals import CHORUS, EXTRA_TREES, VW_OPTIONS, algorithms, on
from bench.bakeoff.sets import MAX_ROUNDS, Set, repeat, sets
from bench.chorus.learners import Run
from bench.timing import now
from onearm import metrics
from onearm.experiments.identity import PACKAGES, code, versions
from onearm.experiments.job import OnProgress, Record
from onearm.streams.stream import Stream

PARTS = 10  # equal parts of a run whose errors are recorded
PAIRED_REPEATS = 3  # the first repeats of a set, whose rounds are recorded one by one
STUDIED = (CHORUS,)  # learners whose runs are others with other code


class Job(NamedTuple):
    """An algorithm with a setting on a repeat of a set, or on its first rounds."""

    set: str
    algorithm: str
    setting: Record
    repeat: int
    rounds: int = 0  # 0: all

    def __str__(self) -> str:
        start = f", first {self.rounds:,} rounds" if self.rounds else ""
        return f"{self.set}, {self.algorithm} {self.setting or ''}, repeat {self.repeat}{start}"

    def configuration(self) -> Record:
        given = {name: value for name, value in self._asdict().items() if name != "rounds"}
        given |= {"rounds_at_most": self.rounds} if self.rounds else {}
        studied = self.algorithm in STUDIED
        return given | ({"code": code(getattr(onearm, self.algorithm))} if studied else {})

    def play(self, progress: OnProgress) -> Record:
        """Return errors and seconds; `spent` are all of the job, with reading rows."""
        began = _cpu_seconds()
        data = sets()[self.set]
        if self.algorithm in VW_OPTIONS:
            n = self.rounds or data.rounds
            informed = algorithms()[self.algorithm].informed
            run = vowpal.play(self.set, on(self.setting, data), self.repeat, n, informed)
        else:
            rows = repeat(self.set, self.repeat)
            rows = rows.first(self.rounds) if self.rounds else rows
            run = play(rows, self.algorithm, self.setting, self.repeat)
        record = {**results(run), "spent": round(_cpu_seconds() - began, 3)}
        if self.rounds:
            return {name: value for name, value in record.items() if name != "parts"}
        record |= {"versions": versions(self._packages()), "date": now()}
        return record | ({"rounds": pack(run.correct)} if paired(data, self.repeat) else {})

    def _packages(self) -> tuple[str, ...]:
        return ("vowpalwabbit",) if self.algorithm in VW_OPTIONS else PACKAGES

    def summary(self, record: Record) -> str:
        return f"{self}: {record['error']:.4f} in {record['cpu_seconds']:.1f} s"


def paired(data: Set, seed: int) -> bool:
    """Whether the rounds of a repeat are recorded: of long sets those of the first repeat only."""
    return seed < PAIRED_REPEATS and (seed + 1) * data.rounds <= MAX_ROUNDS


def _cpu_seconds() -> float:
    """Return the CPU seconds of this process and of those that it started."""
    used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def play(rows: Stream, algorithm: str, setting: dict[str, Any], seed: int) -> Run:
    """Play the rows of a repeat with a learner, or with ExtraTrees."""
    if algorithm == EXTRA_TREES:
        return extra_trees.play(rows, seed)
    return ours.play(rows, algorithm, setting, seed)


def results(run: Run) -> Record:
    """Return errors and CPU seconds, for the record of a run."""
    parts = [part for part in np.array_split(run.correct, PARTS) if len(part)]
    return {
        "error": round(metrics.error(run.correct), 6),
        "parts": [round(metrics.error(part), 4) for part in parts],
        "n": len(run.correct),
        "cpu_seconds": round(run.seconds, 4),
    }


def pack(correct: np.ndarray) -> str:
    """Return truth values as a short text.

    >>> unpack(pack(np.array([True, False, True])), 3)
    array([ True, False,  True])
    """
    return base64.b64encode(zlib.compress(np.packbits(correct).tobytes(), 9)).decode()


def unpack(text: str, n: int) -> np.ndarray:
    """Return the n truth values of a text that `pack` returned."""
    packed = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)
    return np.unpackbits(packed, count=n).astype(bool)
