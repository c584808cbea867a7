"""Speed of BanditBBM by the numbers of weak learners and classes.

Writes results/potentials.json and .md: rounds per CPU second with linear weak learners, which are
so fast that the cost of the potentials is visible.
"""

import argparse
import time
import warnings

import numpy as np
from rich.progress import track

from bench.benchmark import Option, Results, TimedBenchmark, written_by
from bench.timing import one_core
from onearm import BanditBBM
from papers.markdown import table

CLASSES = [2, 3, 4, 5, 10, 20, 26, 30]
LEARNERS = [20, 40, 60, 80, 100]
COLUMNS = 10
CHUNK = 32  # rounds between two looks at the clock


def rate(k: int, N: int, seconds: float) -> float:
    """Return rounds per CPU second, measured for about so long; a tenth of the labels is noise."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, COLUMNS))
    y = (X @ rng.normal(size=(COLUMNS, k))).argmax(axis=1)
    y = np.where(rng.random(len(y)) < 0.1, rng.integers(0, k, len(y)), y)
    learner, compiling = (BanditBBM(k, COLUMNS, n_learners=N, weak="linear") for _ in range(2))
    compiling.play(X[:1], y[:1], trace=False)
    began, rounds = time.process_time(), 0
    while rounds < len(y) and time.process_time() - began < seconds:
        chunk = slice(rounds, rounds + CHUNK)
        learner.play(X[chunk], y[chunk], trace=False)
        rounds += CHUNK
    return rounds / (time.process_time() - began)


def measure(options: argparse.Namespace) -> Results:
    one_core()
    warnings.filterwarnings("ignore", "n_classes=")  # that there is no table
    rates = [[rate(k, N, options.seconds) for N in LEARNERS] for k in track(CLASSES, "classes")]
    return {"learners": LEARNERS, "classes": CLASSES, "rates": rates}


def report(results: Results) -> str:
    rows = [
        [f"{k}", *(f"{rate:,.0f}" for rate in rates)]
        for k, rates in zip(results["classes"], results["rates"], strict=True)
    ]
    return f"""# Potentials

Rounds of BanditBBM per CPU second, linear weak learners, {COLUMNS} features, by the number k of
classes and N of weak learners.
{written_by(results)}

{table(["k", *(f"N = {N}" for N in results["learners"])], rows)}
"""


OPTIONS = (Option("seconds", 2.0, "CPU seconds of each number"),)
main = TimedBenchmark("potentials", __doc__, "potentials", measure, report, options=OPTIONS).main
