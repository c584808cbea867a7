"""One run of B10's Table 1: what AdaBoost.MH attains on a data set, and in what time.

How many rounds are played is decided as in the paper: four fifths of the training rows are boosted,
the other fifth says after how many rounds T the smoothed error was least. Then all training rows
are boosted for T rounds. Where a full search takes very long, T is simply the most there may be.
"""

import json
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from onearm.core.code_digest import digest
from onearm.mh.classifier import AdaBoostMH
from onearm.mh.early_stopping import ValidationCurve
from papers import records as runs
from papers.b10.data import Split, load
from papers.b10.paper import BASES, DATA_SETS, POLICIES, SIZES, SMOOTHED, of

ROUNDS = {  # the most, in the order of the paper's data sets: of a bandit, and of a full search
    "stump": ((20_000, 20_000, 20_000, 60_000, 20_000), (3000, 3000, 5000, 60_000, 20_000)),
    "product": ((15_000, 10_000, 5000, 20_000, 10_000), (3000, 8000, 2000, 3000, 10_000)),
    "tree": ((5000, 5000, 3000, 5000, 3000), (500, 500, 1000, 300, 1000)),
}
TOO_LONG = ("mnist", "isolet")  # to play full searches twice
POINTS = 100  # of a curve
AT_ONCE = 50  # rounds between two looks at the clock
Record = dict[str, Any]


class Job(NamedTuple):
    """What is to be played."""

    data: str
    base: str
    arms: str
    seed: int

    def most(self) -> int:
        """The most rounds there may be."""
        bandits, full = ROUNDS[self.base]
        return of(self.data, full if self.arms == "full" else bandits)

    def validated(self) -> bool:
        """Whether the number of rounds is decided by rows held back."""
        return self.arms != "full" or self.data not in TOO_LONG

    def make(self, rounds: int, **more: Any) -> "Timed":
        """A new classifier."""
        names = {"product": "n_terms", "tree": "n_leaves"}
        size: dict[str, Any] = (
            {names[self.base]: of(self.data, SIZES[self.base])} if self.base in names else {}
        )
        return Timed(
            self.base, n_rounds=rounds, arms=self.arms, random_state=self.seed, **size, **more
        )


class Timed(AdaBoostMH):
    """AdaBoostMH that remembers how many rounds it had played when."""

    def _boost(self, rounds: int, curve: ValidationCurve | None) -> None:
        self.clock_ = [(0, time.process_time())]
        if curve is not None:
            return super()._boost(rounds, curve)
        while rounds > 0:
            before = len(self.ensemble_.alpha)
            super()._boost(min(rounds, AT_ONCE), None)
            rounds -= AT_ONCE
            self.clock_.append((len(self.ensemble_.alpha), time.process_time()))
            if len(self.ensemble_.alpha) - before < min(rounds, AT_ONCE):
                return None
        return None


def jobs(seeds: int) -> list[Job]:
    """Every run there is, the short ones first."""
    found = [
        Job(data, base, arms, seed)
        for seed in range(seeds)
        for data in DATA_SETS
        for base in BASES
        for arms in POLICIES
        if seed == 0 or arms != "full"  # which draws nothing
    ]
    size = {"pendigits": 0, "usps": 1, SMOOTHED: 1, "letter": 2, "isolet": 3, "mnist": 4}
    return sorted(found, key=lambda job: (job.seed, job.arms == "full", size[job.data]))


def configuration(job: Job) -> Record:
    """All that decides what comes of a run."""
    packages = ("onearm", "numpy", "numba", "scikit-learn")
    return {
        **job._asdict(),
        "most": job.most(),
        "validated": job.validated(),
        "parameters": job.make(job.most()).get_params(),
        "versions": {"python": platform.python_version()} | {p: version(p) for p in packages},
    }


def key(record: Record) -> str:
    """A text that is the same for records of the same configuration."""
    parts = ("data", "base", "arms", "seed", "most", "validated", "parameters")
    return json.dumps([record[part] for part in parts], sort_keys=True)


def ready(job: Job) -> None:
    """Compile what a job needs, or load it."""
    data = load(job.data)
    job.make(2, validation=0.5).fit(data.X[:300], data.y[:300])
    job.make(2).fit(data.X[:300], data.y[:300])


def play(job: Job) -> Record:
    """Decide on T, play T rounds, and see how the error on test rows went."""
    ready(job)
    data, began = load(job.data), time.process_time()
    rounds = rounds_by_validation(job, data) if job.validated() else job.most()
    decided = time.process_time()
    model = job.make(rounds).fit(data.X, data.y)
    t, clock = np.array(model.clock_).T
    truth = data.y_test[:, None] == model.classes_
    curve = ValidationCurve(data.X_test, truth, np.ones(len(truth)))
    curve.update(model.ensemble_, False)
    smoothed = curve.smoothed()
    at = np.unique(np.geomspace(1, len(smoothed), POINTS).round().astype(int))
    seconds = np.interp(at, t, clock - decided)
    return {
        **configuration(job),
        "code": digest(AdaBoostMH),
        "rounds": len(smoothed),
        "error": float(smoothed[-1]),
        "loss": float(np.log(model.loss_).sum()),
        "cpu_seconds": round(clock[-1] - decided, 3),
        "setup_seconds": round(clock[0] - decided, 3),
        "validation_seconds": round(decided - began, 3),
        "curve": {
            "rounds": at.tolist(),
            "seconds": seconds.round(4).tolist(),
            "error": smoothed[at - 1].round(5).tolist(),
        },
    }


def rounds_by_validation(job: Job, data: Split) -> int:
    """T: after how many rounds the smoothed error on a fifth of the rows was least."""
    model = job.make(job.most(), validation=0.2, patience=100.0).fit(data.X, data.y)
    return len(model.alpha_)


def finished(path: Path) -> dict[str, Record]:
    """The runs of a file by their configurations; none if there is no file."""
    return runs.finished(path, key)
