"""Chorus without each of its parts, on the streams that were used in its development.

Stores each run in results/chorus/parts.jsonl and writes parts.md and parts.png there; re-running
plays what is missing.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

import onearm
from bench.benchmark import PlayedBenchmark, run_record
from bench.chorus.parts_report import CHANGING, SIZED, WIDE, draw, report
from bench.chorus.streams import stream
from bench.chorus.variants import NOT_FOR_TEXTS, VARIANTS, WAVES, make
from onearm import datasets
from onearm.chorus.echo import FROZEN
from onearm.experiments.job import OnProgress, Record
from onearm.streams.stream import Stream
from papers.playing import play_timed

REPEATS = {
    "balance": 3, "mice": 3, "pendigits": 3, "letter": 3, "newsgroups": 3, "SynNonSep": 3,
    "elec2": 1, "rings": 3, WIDE: 3,
} | dict.fromkeys(CHANGING, 3)  # fmt: skip
TEXTS = ("newsgroups",)


class Job(NamedTuple):
    """A run of a variant on a repeat of a stream."""

    variant: str
    stream: str
    seed: int

    def configuration(self) -> Record:
        """Return what identifies the run; other code is no other run."""
        return self._asdict()

    def play(self, progress: OnProgress) -> Record:
        """Return error and time, and the rounds of recovery where the labels change."""
        rows = load(self.stream, self.seed)
        learner = make(self.variant, rows, self.seed)
        correct, seconds = play_timed(learner, rows)
        record = run_record(correct, seconds) | {"alarmed": bool(learner.change[FROZEN])}
        return record | (recovery(correct) if self.stream in CHANGING else {})

    def summary(self, record: Record) -> str:
        run = f"{self.variant} on {self.stream}, seed {self.seed}"
        return f"{run}: {record['error']:.4f} in {record['cpu_seconds']:.1f} s"


@lru_cache(maxsize=1)
def load(name: str, seed: int) -> Stream:
    if name == WIDE:
        return onearm.Separable(20_000, 10, 64, seed=seed)
    if name not in CHANGING:
        return stream(name, seed)
    if CHANGING[name] == "SynNonSep":
        return stream("drifting", seed)
    rows = datasets.load(CHANGING[name])
    return rows.repeated(2).shuffled(seed).drifting([rows.n_rows or 0], seed=seed)


def recovery(correct: np.ndarray, window: int = 200, tolerance: float = 0.02) -> Record:
    """Return rounds until the error is near that of the last fifth before the change.

    Counted from the start and from the change, with the error over the next `window` rounds.
    """
    half = len(correct) // 2
    limit = 1.0 - correct[half - half // 5 : half].mean() + tolerance

    def rounds(part: np.ndarray) -> int:
        errors = np.convolve(~part, np.ones(window), "valid") / window
        return int(np.argmax(errors <= limit)) if (errors <= limit).any() else len(part)

    return {"from_start": rounds(correct[:half]), "after_change": rounds(correct[half:])}


def variants(name: str) -> list[str]:
    if name in CHANGING:
        return ["whole", "without echo"]
    if name == WIDE:
        return ["whole", *WAVES]
    left_out = {"without echo", *(() if name in SIZED else WAVES)}
    left_out |= set(NOT_FOR_TEXTS) if name in TEXTS else set()
    return [variant for variant in VARIANTS if variant not in left_out]


def jobs() -> list[Job]:
    return [
        Job(variant, name, seed)
        for name, repeats in REPEATS.items()
        for seed in range(1, repeats + 1)
        for variant in variants(name)
    ]


main = PlayedBenchmark("chorus.parts", __doc__, "chorus/parts.jsonl", jobs, report, draw).main
