"""One run of Z19: a learner with some settings plays a data set's stream once.

The configuration of a run includes a hash of the compiled code, so that a run by another state of
the sources is another run.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import onearm
from onearm.experiments.job import OnProgress, Record
from papers.playing import play_timed
from papers.records import select
from papers.trial import Trial
from papers.z19.data import load, sizes
from papers.z19.paper import DATA_SETS, LEARNERS, TABLES, TUNED

PAPER, DEFAULTS = "paper", "ours"
SETTINGS = (PAPER, DEFAULTS)
PUBLISHED_STEP = "ours, published step"  # of AdaBandit: what the step alone is worth
FIFTH = 0.2  # of the stream: the part that counts as asymptotic, and the window of the curves
POINTS = 100  # of a curve
FIRST_SEED = min(table.seeds.start for table in TABLES.values())


@dataclass(frozen=True, order=True)
class Job(Trial):
    """What is to be played."""

    data: str
    learner: str
    settings: str  # those published for the data set, the class's defaults, or PUBLISHED_STEP
    seed: int

    def stream(self) -> onearm.Stream:
        """Return all copies of the rows, shuffled with the seed."""
        return load(self.data).repeated(TABLES[self.data].copies).shuffled(self.seed)

    def make(self) -> Any:
        """Return a new learner."""
        cls, given = getattr(onearm, self.learner), {**sizes(self.data), "seed": self.seed}
        if self.settings == DEFAULTS:
            return cls(**given)
        if self.settings == PUBLISHED_STEP:
            return cls(**given, step="paper", step_scale=1.0)
        return cls.paper(self.data, **given)

    def constants(self) -> Record:
        """Return how many copies of the data set are played."""
        return {"copies": TABLES[self.data].copies}

    def play(self, progress: OnProgress) -> Record:
        """Play to the end."""
        learner = self.make()
        correct, seconds = play_timed(learner, self.stream())
        record = {
            "rounds": len(correct),
            "total": float(correct.mean()),
            "asymptotic": float(correct[-window(len(correct)) :].mean()),
            "cpu_seconds": round(seconds, 3),
            "curve": curve(correct),
            "nodes": nodes(learner),
        }
        if self.learner == "AdaBandit":
            record["alpha"] = learner.vote_weights.round(6).tolist()
        return record


def jobs(*_: Any) -> list[Job]:
    """Return every run of the tables, the long ones first."""
    return [
        Job(data, learner, settings, seed)
        for data in sorted(DATA_SETS, key=lambda data: -TABLES[data].stream_count)
        for settings in SETTINGS
        for learner in (LEARNERS if settings == PAPER else TUNED)
        for seed in TABLES[data].seeds
    ]


def repeat(job: Job) -> int:
    """Return which run of its cell a job is."""
    return job.seed - FIRST_SEED


def errors(records: list[Record], of: str = "asymptotic", **cell: Any) -> list[float]:
    """Return the errors of the runs that have these fields, by seed."""
    return [1.0 - run[of] for run in select(records, **cell)]


def window(rounds: int) -> int:
    """Return a fifth of the rounds."""
    return round(FIFTH * rounds)


def curve(correct: np.ndarray) -> Record:
    """Return the accuracy of the latest fifth of the stream, from when there is a fifth."""
    n, size = len(correct), window(len(correct))
    right = np.concatenate([[0], np.cumsum(correct)])
    ends = np.linspace(size, n, POINTS).round().astype(int)
    values = (right[ends] - right[ends - size]) / size
    return {"rounds": ends.tolist(), "accuracy": values.round(4).tolist()}


def nodes(learner: Any) -> Record:
    """Return how large the trees have become, and how many have no room left to split."""
    trees = learner.learners
    n, slots = trees.used.T
    full = (slots >= trees.n_slots) | (n + 2 > trees.links.shape[1])
    return {"mean": float(n.mean()), "most": int(n.max()), "trees": len(n), "full": int(full.sum())}
