"""Speed of AdaBoostMH.

On MNIST a full search and a round of EXP3.P beside a stump of scikit-learn's AdaBoostClassifier,
and two threads beside one; the cost of a round and of a policy by the number of columns; a million
rows through ten thousand stumps. Writes results/mh_speed.json, .md and .png.
"""

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
from rich.console import Console

from bench.benchmark import Option, Results, TimedBenchmark
from bench.mh.speed_report import PACKAGES, draw, report, requirements
from bench.timing import best_of
from onearm.core.kernels import kernel
from onearm.core.rng import seeded
from onearm.mh.bandits import Bandit, pull, reward
from onearm.mh.classifier import AdaBoostMH
from papers.b10.data import load

BASES = {"stump": 6, "product": 2, "tree": 1}  # rounds of a full search to be timed
PAIRS = 4  # times that full searches are timed with one thread and with two, in each process
WIDTHS = (100, 1000, 10_000, 100_000)
ROWS = 300  # of the wide tables
POLICIES = ("uniform", "exp3p", "ucb", "ucbv", "recent")
OPTIONS = (Option("repeats", 5, "of which the best counts"),)


def started(base: str, arms: str, n_jobs: int = 1, rounds: int = 1) -> AdaBoostMH:
    """Return a classifier on MNIST that has played some rounds."""
    data = load("mnist")
    settings = {"n_rounds": rounds, "n_jobs": n_jobs, "random_state": 0}
    model = AdaBoostMH(base, arms=arms, warm_start=True, **settings)  # keeps what rounds need
    return model.fit(data.X, data.y)


def rounds_of(model: AdaBoostMH, rounds: int) -> Callable[[], Any]:
    return lambda: model.ensemble_.boost(rounds, model._training)


def scikit_learn() -> float:
    """Return the seconds of each further stump of AdaBoostClassifier."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    data = load("mnist")
    X = data.X.astype(np.float32)  # as its trees want it

    def fit(n: int) -> Callable[[], Any]:
        model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=n)
        return lambda: model.fit(X, data.y)

    return (best_of(1, fit(3)) - best_of(1, fit(1))) / 2


def by_turns(base: str) -> list[list[float]]:
    """Return seconds of full searches with one thread and with two, timed by turns."""
    models = [started(base, "full", n_jobs) for n_jobs in (1, 2)]
    rounds = BASES[base]
    seconds: list[list[float]] = [[], []]
    for _ in range(PAIRS):
        for model, times in zip(models, seconds, strict=True):
            times.append(best_of(1, rounds_of(model, rounds)) / rounds)
    return seconds


def searches(repeats: int) -> Results:
    """Return the seconds of full searches, by threads, and of rounds of EXP3.P.

    The place of arrays in memory matters much, so full searches are timed in several processes.
    """
    full: Results = {}
    for base in BASES:
        with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
            seconds = np.concatenate(list(pool.map(by_turns, [base] * repeats)), axis=1)
        full[base] = {"one": seconds[0].tolist(), "two": seconds[1].tolist()}
    bandit = {
        base: best_of(repeats, rounds_of(started(base, "exp3p", 1, 100), 200)) / 200
        for base in BASES
    }
    peer = min(scikit_learn() for _ in range(repeats))
    return {"full": full, "exp3p": bandit, "AdaBoostClassifier": peer}


@kernel
def play_arms(n, arms, rng):
    """Pull n arms, each with the same reward."""
    for _ in range(n):
        reward(pull(0, arms, rng), 0.01, 1.0, arms)


def policies(repeats: int) -> Results:
    """Return the seconds of a pull with its reward, by policy and number of columns."""
    seconds: Results = {policy: {} for policy in POLICIES}
    for policy, by_width in seconds.items():
        for d in WIDTHS:
            arms = Bandit(np.arange(d), policy, 1, "log", 0.15, 0.3, 10_000, False)
            arms.statistics[:, 0] = 1.0
            pulls, rng = max(20, 2_000_000 // d), seeded(0)
            play_arms(2, arms.model(), rng)
            play = lambda arms=arms, n=pulls, rng=rng: play_arms(n, arms.model(), rng)  # noqa: E731
            by_width[d] = best_of(repeats, play) / pulls
    return seconds


def widths(repeats: int) -> Results:
    """Return the seconds of a round by the number of columns, for three policies."""
    rng, seconds = np.random.default_rng(0), {}
    for d in WIDTHS:
        X = rng.integers(0, 256, (ROWS, d)).astype(float)
        y = rng.integers(0, 10, ROWS)
        seconds[d] = {}
        for policy in ("uniform", "exp3p", "recent"):
            settings = {"n_rounds": 50, "warm_start": True, "random_state": 0}
            model = AdaBoostMH("stump", arms=policy, **settings).fit(X, y)
            seconds[d][policy] = best_of(repeats, rounds_of(model, 100)) / 100
    return seconds


def prediction(repeats: int) -> Results:
    """Time a million rows of 64 columns through 10,000 stumps."""
    rng = np.random.default_rng(0)
    X = rng.random((3000, 64))
    y = (X @ rng.normal(size=(64, 10))).argmax(axis=1)
    model = AdaBoostMH("stump", n_rounds=10_000, random_state=0).fit(X, y)
    rows = rng.random((1_000_000, 64))
    model.predict(rows[:10])
    return {"rows": len(rows), "stumps": int((model.alpha_ > 0).sum()),
            "seconds": best_of(repeats, lambda: model.predict(rows))}  # fmt: skip


def measure(options: argparse.Namespace) -> Results:
    results: Results = {"repeats": options.repeats}
    for part in (policies, widths, prediction, searches):
        Console(stderr=True).print(f"measuring {part.__name__} …")
        results[part.__name__] = part(options.repeats)
    return results


main = TimedBenchmark(
    "mh.speed", __doc__, "mh_speed", measure, report, draw, requirements, OPTIONS, PACKAGES
).main
