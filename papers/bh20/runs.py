"""One cell of BH20's Table 2: a method tuned on the first half of a data set, played on the second.

Settings are searched in the paper's ranges, in two passes: for each N all steps lr·t^(-c) and all
bounds R, on few rows, then the best of each N, on more. Where that takes hours (`COSTLY`), the
first pass has one N, and the best of it are tried with every N. A run is a new learner that plays
the second half; its loss is the mean over predictions, each made before its answer is revealed.

The answers are the rings of abalone, whether an income is high (adult, census), and whether a
letter is one of A to M.
"""

import itertools
import time
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import onearm
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from onearm.experiments.ledger import Ledger
from onearm.streams import datasets
from papers.replication import Request
from papers.trial import Trial

ENTRIES = {  # of the data catalogue
    "abalone": "abalone-rings", "adult": "adult-income", "census": "census-income",
    "letter": "letter-halves",
}  # fmt: skip
CENTRED = " centred"  # after a name: answers minus the mean of the first half
NAMES = (*ENTRIES, *(name + CENTRED for name in ("abalone", "adult", "letter")))
METHODS = {  # in the order of the table
    "ogd": "OGD",
    "full": "GradientBooster",
    "nfkm": "NFKM",
    "bandit": "BanditGradientBooster",
    "nfkm-predictions": "NFKM",
    "trees": "GradientBooster",
    "bandit-trees": "BanditGradientBooster",
}
LOSSES_ALONE = ("nfkm", "nfkm-predictions", "bandit", "bandit-trees")
LEAVES = 16
ORDERS = ("file", "shuffled")
LR = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
POWER = (0.25, 0.5, 0.75, 1.0)
R = (0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0)
N = (5, 10, 20, 30)
N_FIRST = 10  # of the first pass of costly searches, and of OGD, which has none
COSTLY = {  # data sets on which a method is first compared with that N alone
    "nfkm": ("adult", "census", *(name + CENTRED for name in ("abalone", "adult", "letter"))),
    **dict.fromkeys(("trees", "bandit-trees"), ("adult", "adult" + CENTRED, "census")),
}
SEARCH = "at every N"
FINALISTS = 8
FEW, MOST = 5000, 20_000  # rows that settings are compared on, in the first and the second pass
SEEDS = 4  # of each comparison; of the first, where there are FEW rows, one
LAST_ROWS = 40_000  # of the second pass with each setting, at least: more seeds where rows are few
DELTA, NOISE = 0.5, 0.1
CHUNK = 4096  # rows that are dense at a time
RUNS = 20
SIZES = ("abalone", "letter", "adult", "census")  # by their number of rows
Rows = tuple[csr_array, np.ndarray]


@dataclass(frozen=True, order=True)
class Job(Trial):
    """What is to be played."""

    data: str
    order: str
    method: str
    runs: int
    earlier: Record | None = None  # the record of fewer runs, which were tuned already

    def configuration(self) -> Record:
        """Return everything that decides the results."""
        fields = self.values()
        del fields["earlier"]
        return fields | ({} if self.is_quick_search() else {"search": SEARCH})

    def is_quick_search(self) -> bool:
        """Whether settings are first compared with one N, not with each."""
        return self.method == "ogd" or self.data in COSTLY.get(self.method, ())

    def play(self, progress: OnProgress) -> Record:
        """Tune and run a method, or add runs to those of an earlier record."""
        data, began = load(self.data), time.process_time()
        y, half = data[1], len(data[1]) // 2
        if self.earlier:
            settings, tried, losses = (
                self.earlier[part] for part in ("settings", "tried", "losses")
            )
            began -= self.earlier["cpu_seconds"]
        else:
            index = shuffled(half, self.order, 999)[:MOST]
            sizes = (N_FIRST,) if self.method == "ogd" else N
            settings, tried = tune(self.method, data, index, sizes, self.is_quick_search())
            losses = []
        random = self.order == "shuffled" or self.method in LOSSES_ALONE  # or all runs are equal
        for seed in range(len(losses), self.runs if random else 1):
            index = half + shuffled(len(y) - half, self.order, seed)
            losses = [*losses, round(loss(self.method, settings, data, index, seed), 6)]
        return {
            "settings": settings, "tried": tried, "losses": losses,
            "mean": round(float(loss_of_mean(y[half:])), 6),
            "zero": round(float((y[half:] ** 2).mean()), 6),
            "cpu_seconds": round(time.process_time() - began, 1),
            "versions": versions(),
        }  # fmt: skip


def jobs(request: Request, _: list[Record]) -> list[Job]:
    """Return a job for each cell, small data sets first."""
    runs, earlier = request.options.runs or RUNS, dict[Job, Record]()
    for record in Ledger(request.folder / "runs.jsonl").records().values():
        job = Job(*(record[name] for name in ("data", "order", "method", "runs")))
        if all(record.get(name) == value for name, value in job.configuration().items()):
            earlier[job] = record
    names = sorted(NAMES, key=lambda name: SIZES.index(name.split()[0]))
    cells = [Job(data, order, m, runs) for data in names for order in ORDERS for m in METHODS]
    fewer = [[replace(cell, runs=n) for n in reversed(range(runs))] for cell in cells]
    records = [next((earlier[job] for job in some if job in earlier), None) for some in fewer]
    return [replace(cell, earlier=record) for cell, record in zip(cells, records, strict=True)]


@cache
def load(name: str) -> Rows:
    """Return a data set in the order of its file."""
    X, y = datasets.load(ENTRIES[name.removesuffix(CENTRED)]).arrays()
    return X, y - y[: len(y) // 2].mean() if name.endswith(CENTRED) else y


def shuffled(n: int, order: str, seed: int) -> np.ndarray:
    """Return the numbers 0 … n-1 in an order."""
    return np.random.default_rng(seed).permutation(n) if order == "shuffled" else np.arange(n)


def loss(
    method: str, settings: Record, data: Rows, index: np.ndarray, seed: int, **bounds: float
) -> float:
    """Return the mean loss of a new learner on these rows; `bounds` are low and high."""
    X, y = data
    given = parameters(method, settings) | bounds
    learner = getattr(onearm, METHODS[method])(X.shape[1], seed=seed, **given)
    noise = {"noise": NOISE} if method in LOSSES_ALONE else {}
    total = 0.0
    for begin in range(0, len(index), CHUNK):
        part = index[begin : begin + CHUNK]
        total += learner.play(X[part].toarray(), y[part], "squared", **noise)[1].sum()
    mean = total / len(index)
    return mean if np.isfinite(mean) else np.inf


def parameters(method: str, settings: Record) -> dict[str, Any]:
    """Return the parameters of a method's class for settings in the paper's symbols."""
    given: dict[str, Any] = {name: settings[name] for name in ("lr", "power", "R")}
    N = "n_points" if "nfkm" in method else "n_learners"
    given |= {} if method == "ogd" else {N: settings["N"]}
    given |= {"delta": DELTA} if method in LOSSES_ALONE else {}
    given |= {"weak": "tree", "max_leaves": LEAVES} if "trees" in method else {}
    given |= {"perturb": "prediction"} if method == "nfkm-predictions" else {}
    return given | ({"R": given["R"] + DELTA} if method == "nfkm" else {})  # it plays δ inside R


def tune(
    method: str, data: Rows, index: np.ndarray, sizes: tuple[int, ...], quick: bool
) -> tuple[Record, int]:
    """Return the settings of least loss on these rows, and how many were tried."""
    keys, few = ("lr", "power", "R", "N"), index[:FEW]

    def ranked(settings: list[Record], rows: np.ndarray, n_seeds: int) -> list[Record]:
        seeds = range(1000, 1000 + (n_seeds if method in LOSSES_ALONE else 1))
        return sorted(
            settings, key=lambda given: np.mean([loss(method, given, data, rows, s) for s in seeds])
        )

    tried, last = 0, []
    for first in (N_FIRST,) if quick else sizes:
        grid = [dict(zip(keys, v, strict=True)) for v in itertools.product(LR, POWER, R, (first,))]
        best = ranked(grid, few, 1 if len(few) == FEW else SEEDS)[:FINALISTS]
        tried += len(grid)
        last += [settings | {"N": n} for settings in best for n in (sizes if quick else (first,))]
    n_seeds = SEEDS if quick else max(SEEDS, -(-LAST_ROWS // len(index)))
    return ranked(last, index, n_seeds)[0], tried + len(last)


def loss_of_mean(y: np.ndarray) -> float:
    """Return the mean squared loss of predicting the mean of the answers before each."""
    before = np.concatenate([[0.0], np.cumsum(y)[:-1]]) / np.maximum(np.arange(len(y)), 1)
    return ((y - before) ** 2).mean()
