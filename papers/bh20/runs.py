"""One cell of BH20's Table 2: a method tuned on the first half of a data set, played on the second.

Settings are searched in the paper's ranges, in two passes: all steps lr·t^(-c) and bounds R with N
fixed, on few rows, then the best of them with every N, on more. A run is a new learner that
plays the second half; its loss is the mean over predictions, each made before its answer is heard.
"""

import itertools
import platform
import time
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

import onearm
from papers.bh20.data import Rows, load

METHODS = {  # in the order of the table
    "ogd": "OGD",
    "full": "GradientBooster",
    "nfkm": "NFKM",
    "bandit": "BanditGradientBooster",
    "trees": "GradientBooster",
    "bandit-trees": "BanditGradientBooster",
}
LOSSES_ALONE = ("nfkm", "bandit", "bandit-trees")
LEAVES = 16
ORDERS = ("file", "shuffled")
LR = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
POWER = (0.25, 0.5, 0.75, 1.0)
R = (0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0)
N = (5, 10, 20, 30)
N_FIRST = 10
FINALISTS = 8
FEW, MOST = 5000, 20_000  # rows that settings are compared on, at first and at last
LOOKS = 4  # seeds of each comparison; of the first, where rows are not so few, one
DELTA, NOISE = 0.5, 0.1
CHUNK = 4096  # rows that are dense at a time
Record = dict[str, Any]


class Job(NamedTuple):
    """What is to be played."""

    data: str
    order: str
    method: str
    runs: int


cached = cache(load)


def shuffled(n: int, order: str, seed: int) -> np.ndarray:
    """The numbers 0 … n-1 in an order."""
    return np.random.default_rng(seed).permutation(n) if order == "shuffled" else np.arange(n)


def loss(method: str, settings: Record, data: Rows, index: np.ndarray, seed: int) -> float:
    """The mean loss of a new learner on these rows."""
    own = {key: value for key, value in settings.items() if key != "N"}
    if method != "ogd":
        own["n_points" if method == "nfkm" else "n_learners"] = settings["N"]
    own |= {"delta": DELTA} if method in LOSSES_ALONE else {}
    own |= {"weak": "tree", "max_leaves": LEAVES} if "trees" in method else {}
    own |= {"R": own["R"] + DELTA} if method == "nfkm" else {}  # whose line keeps δ off the bound
    learner = getattr(onearm, METHODS[method])(data.d, seed=seed, **own)
    noise = {"noise": NOISE} if method in LOSSES_ALONE else {}
    total = 0.0
    for begin in range(0, len(index), CHUNK):
        part = index[begin : begin + CHUNK]
        total += learner.play(data.dense(part), data.y[part], "squared", **noise)[1].sum()
    mean = total / len(index)
    return mean if np.isfinite(mean) else np.inf


def tuned(method: str, data: Rows, index: np.ndarray) -> tuple[Record, int]:
    """The settings of least loss on these rows, and how many were tried."""
    keys, sizes = ("lr", "power", "R", "N"), (N_FIRST,) if method == "ogd" else N
    grid = [dict(zip(keys, v, strict=True)) for v in itertools.product(LR, POWER, R, (N_FIRST,))]

    def ranked(some: list[Record], rows: np.ndarray, looks: int) -> list[Record]:
        seeds = range(1000, 1000 + (looks if method in LOSSES_ALONE else 1))
        return sorted(
            some, key=lambda one: np.mean([loss(method, one, data, rows, s) for s in seeds])
        )

    few = index[:FEW]
    first = ranked(grid, few, 1 if len(few) == FEW else LOOKS)[:FINALISTS]
    last = [one | {"N": n} for one in first for n in sizes]
    return ranked(last, index, LOOKS)[0], len(grid) + len(last)


def play(job: Job, before: dict[Job, Record]) -> Record:
    """Tune and run a method, or go on where it was tuned before and run less often."""
    data, began = cached(job.data), time.process_time()
    half = len(data.y) // 2
    less = [before[job._replace(runs=n)] for n in range(job.runs) if job._replace(runs=n) in before]
    if less:
        settings, tried, found = (less[-1][key] for key in ("settings", "tried", "losses"))
        began -= less[-1]["cpu_seconds"]
    else:
        settings, tried = tuned(job.method, data, shuffled(half, job.order, 999)[:MOST])
        found = []
    drawn = job.order == "shuffled" or job.method in LOSSES_ALONE  # or all runs are the same
    for seed in range(len(found), job.runs if drawn else 1):
        index = half + shuffled(len(data.y) - half, job.order, seed)
        found.append(round(loss(job.method, settings, data, index, seed), 6))
    packages = ("onearm", "numpy", "numba")
    return {
        **job._asdict(), "settings": settings, "tried": tried, "losses": found,
        "mean": round(float(trivial(data.y[half:])), 6),
        "zero": round(float((data.y[half:] ** 2).mean()), 6),
        "cpu_seconds": round(time.process_time() - began, 1),
        "versions": {
            "python": platform.python_version(), **{name: version(name) for name in packages}
        },
    }  # fmt: skip


def trivial(y: np.ndarray) -> float:
    """The mean squared loss of the mean of the answers before each."""
    before = np.concatenate([[0.0], np.cumsum(y)[:-1]]) / np.maximum(np.arange(len(y)), 1)
    return ((y - before) ** 2).mean()
