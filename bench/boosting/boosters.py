"""Boosters: speed, growth of the cost of a round, and memory.

Writes results/boosters.json, .md and .png, and fails where a requirement is not met. The authors'
program (Zhang, Jung, Tewari, AISTATS 2019) is not run here: its rates were measured with the
unmodified program under Python 2.7 on one core, the faster one of seeds 4 and 5.
"""

import argparse
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

import onearm
from bench.benchmark import Option, Results, TimedBenchmark
from bench.boosting.boosters_report import draw, report, requirements
from bench.timing import one_core
from onearm import AdaBandit, AdaBoostOLM, BanditBBM, OnlineMBBM, Separable
from papers.z19.data import load

THEIRS = {
    ("BanditBBM", "balance"): 94, ("AdaBandit", "balance"): 151, ("BinBandit", "balance"): 811,
    ("OnlineMBBM", "balance"): 306, ("AdaBoostOLM", "balance"): 273,
    ("BanditBBM", "car"): 83, ("AdaBandit", "car"): 149, ("BinBandit", "car"): 637,
    ("OnlineMBBM", "car"): 194, ("AdaBoostOLM", "car"): 288,
}  # rounds per CPU second  # fmt: skip
COPIES = {"balance": 10, "car": 6, "isolet": 15}
REQUIRED = dict.fromkeys(("AdaBandit", "BanditBBM"), 200)  # times the authors' rate
N_LEARNERS = [5, 10, 15, 20, 25, 30]  # for more see bench.boosting.potentials
N_CLASSES = [3, 6, 12, 25, 50, 100]
COLUMNS = 20
GROWING = (AdaBandit, BanditBBM, AdaBoostOLM, OnlineMBBM)
MAX_BYTES = 64 * 2**20
OPTIONS = (
    Option("repeats", 3, "of which the best counts"),
    Option("long", 10_000_000, "rounds of the long stream"),
    Option("rounds", 5_000, "rounds for the growth of the cost"),
)


def published(name: str, data: str) -> tuple[Any, Any, np.ndarray]:
    """Return a learner with the published settings, and its stream."""
    stream = load(data).repeated(COPIES[data]).shuffled(4)
    sizes = {"n_classes": stream.n_classes, "n_features": stream.n_features}
    learner = getattr(onearm, name).paper(data, **sizes, nominal=stream.nominal, seed=4)
    return learner, *stream.arrays()


def seconds(learner: Any, X: Any, y: np.ndarray) -> float:
    """Return CPU seconds of a play, after one row has compiled everything."""
    type(learner)(**learner.params()).play(X[:1], y[:1], trace=False)
    began = time.process_time()
    learner.play(X, y, trace=False)
    return time.process_time() - began


def rates(repeats: int) -> list[Results]:
    """Return rounds per CPU second of all boosters, with those of the authors' program."""
    rows = []
    for (name, data), theirs in track(THEIRS.items(), "beside the authors' program"):
        runs = []
        for _ in range(repeats):
            learner, X, y = published(name, data)
            runs.append(len(y) / seconds(learner, X, y))
        rows.append({
            "learner": name, "data": data, "N": learner.n_learners, "rounds": len(y),
            "ours": max(runs), "worst": min(runs), "theirs": theirs, "ratio": max(runs) / theirs,
            "required": REQUIRED.get(name),
        })  # fmt: skip
    return rows


def growth(rounds: int, repeats: int) -> Results:
    """Return CPU microseconds of a round by the number of weak learners, and of classes."""
    by_N, by_k = {}, {}
    for cls in GROWING:
        name = cls.__name__
        by_N[name] = [cost(cls, 10, N, rounds, repeats) for N in track(N_LEARNERS, f"{name}: N")]
        by_k[name] = [cost(cls, k, 20, rounds, repeats) for k in track(N_CLASSES, f"{name}: k")]
    exponents = {
        by: {name: exponent(x, y) for name, y in costs.items()}
        for by, x, costs in (("N", N_LEARNERS, by_N), ("k", N_CLASSES, by_k))
    }
    return {
        "rounds": rounds, "d": COLUMNS, "N": N_LEARNERS, "by_N": by_N, "k": N_CLASSES,
        "by_k": by_k, "exponents": exponents,
    }  # fmt: skip


def cost(cls: Any, k: int, N: int, rounds: int, repeats: int) -> float:
    """Return CPU microseconds of a round, the best of some repeats."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rounds, COLUMNS))
    y = (X @ rng.normal(size=(COLUMNS, k))).argmax(axis=1)
    learners = (cls(k, COLUMNS, n_learners=N, seed=1) for _ in range(repeats))
    return 1e6 * min(seconds(learner, X, y) for learner in learners) / rounds


def exponent(x: list[int], y: list[float]) -> float:
    """Return the b of y ∝ x^b, by least squares over the logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def memory(rounds: int) -> Results:
    """Return the bytes of a learner's arrays, and the growth of the process, on a long stream."""
    stream = Separable(rounds, n_classes=10, n_features=20, margin=0.01, seed=1)
    learner = AdaBandit(10, 20, n_learners=5, max_bytes=MAX_BYTES, seed=1)
    learner.play(stream.first(10_000), trace=False)
    before = resident()
    with Console(stderr=True).status("a long stream") as status:
        tally = learner.play(
            stream, trace=False, progress=lambda n, _: status.update(f"{n:,} of {rounds:,} rounds")
        )
    growth = resident() - before
    return {
        "rounds": tally.rounds, "correct": tally.correct, "max_bytes": MAX_BYTES,
        "array_bytes": sum(array.nbytes for array in learner.arrays().values()),
        "growth_bytes": growth, "nodes": learner.learners.used[:, 0].tolist(),
    }  # fmt: skip


def resident() -> int:
    """Return the bytes of this process that are in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def measure(options: argparse.Namespace) -> Results:
    one_core()
    learner, X, y = published("AdaBandit", "isolet")
    return {
        "repeats": options.repeats, "rates": rates(options.repeats),
        "isolet": {"rounds": len(y), "N": learner.n_learners, "seconds": seconds(learner, X, y)},
        "growth": growth(options.rounds, options.repeats), "memory": memory(options.long),
    }  # fmt: skip


main = TimedBenchmark(
    "boosters", __doc__, "boosters", measure, report, draw, requirements, OPTIONS
).main
