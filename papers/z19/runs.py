"""One run of Z19: a learner with some settings plays a data set's stream once, and what came of it.

A finished run is a line of JSON with its whole configuration. The configuration includes a hash of
the compiled code that was run, so that a run by another state of the sources is another run.
"""

import json
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import onearm
from papers import records as runs
from papers.z19.data import load
from papers.z19.paper import DATA_SETS, LEARNERS, TABLES, TUNED

PAPER, DEFAULTS = "paper", "ours"
SETTINGS = (PAPER, DEFAULTS)
STILL = "ours, published step"  # for AdaBandit: what the step alone is worth
FIFTH = 0.2  # of the stream: the part that counts as asymptotic, and the window of the curves
POINTS = 100  # of a curve
Record = dict[str, Any]


class Job(NamedTuple):
    """What is to be played."""

    data: str
    learner: str
    settings: str  # those published for the data set, the class's defaults, or STILL
    seed: int

    def stream(self) -> onearm.Stream:
        """All copies of the rows, shuffled with the seed."""
        return load(self.data).repeated(TABLES[self.data].copies).shuffled(self.seed)

    def make(self) -> Any:
        """A new learner."""
        cls, rows = getattr(onearm, self.learner), load(self.data)
        if self.settings == DEFAULTS:
            return rows.learner(cls, seed=self.seed)
        if self.settings == STILL:
            return rows.learner(cls, seed=self.seed, step="paper", step_scale=1.0)
        sizes = {"n_classes": rows.n_classes, "n_features": rows.n_features}
        return cls.paper(self.data, **sizes, nominal=rows.nominal, seed=self.seed)


def jobs() -> list[Job]:
    """Every run there is, the long ones first."""
    return [
        Job(data, learner, settings, seed)
        for data in sorted(DATA_SETS, key=lambda data: -TABLES[data].stream_count)
        for settings in SETTINGS
        for learner in (LEARNERS if settings == PAPER else TUNED)
        for seed in TABLES[data].seeds
    ]


def configuration(job: Job) -> Record:
    """All that decides what comes of a run."""
    learner, packages = job.make(), ("onearm", "numpy", "numba")
    return {
        **job._asdict(),
        "copies": TABLES[job.data].copies,
        "parameters": learner.params(),
        "code": learner.kernels.play.py_func.__qualname__,
        "versions": {"python": platform.python_version()} | {p: version(p) for p in packages},
    }


def key(record: Record) -> str:
    """A text that is the same for records of the same configuration."""
    parts = ("data", "learner", "settings", "seed", "copies", "parameters", "code", "versions")
    return json.dumps([record[part] for part in parts], sort_keys=True)


def ready(job: Job) -> None:
    """Compile what a job needs, or load it."""
    rows, y = load(job.data).arrays()
    job.make().play(rows[:1], y[:1])


def play(job: Job) -> Record:
    """Play to the end."""
    stream, learner = job.stream(), job.make()
    ready(job)
    began = time.process_time()
    correct = learner.play(stream).correct
    seconds = time.process_time() - began
    adapted = {"alpha": learner.alpha.round(6).tolist()} if job.learner == "AdaBandit" else {}
    return {
        **configuration(job),
        "rounds": len(correct),
        "total": float(correct.mean()),
        "asymptotic": float(correct[-window(len(correct)) :].mean()),
        "cpu_seconds": round(seconds, 3),
        "curve": curve(correct),
        "nodes": nodes(learner),
        **adapted,
    }


def window(rounds: int) -> int:
    """A fifth of the rounds."""
    return round(FIFTH * rounds)


def curve(correct: np.ndarray) -> Record:
    """The accuracy of the latest fifth of the stream, from when there is a fifth."""
    n, size = len(correct), window(len(correct))
    right = np.concatenate([[0], np.cumsum(correct)])
    ends = np.linspace(size, n, POINTS).round().astype(int)
    values = (right[ends] - right[ends - size]) / size
    return {"rounds": ends.tolist(), "accuracy": values.round(4).tolist()}


def nodes(learner: Any) -> Record:
    """How large the trees have become, and how many have no room left to split."""
    trees = learner.learners
    n, slots = trees.used.T
    full = (slots >= trees.n_slots) | (n + 2 > trees.links.shape[1])
    return {"mean": float(n.mean()), "most": int(n.max()), "trees": len(n), "full": int(full.sum())}


def finished(path: Path) -> dict[str, Record]:
    """The runs of a file by their configurations; none if there is no file."""
    return runs.finished(path, key)
