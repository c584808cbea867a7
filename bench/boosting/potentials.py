"""BanditBBM by number of weak learners and classes, `python -m bench.potentials`.

Writes results/potentials.json and .md: rounds per CPU second with linear weak learners, which cost
so little that the potentials show.
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from bench.speed import report
from bench.speed.report import table
from bench.timing import one_core
from onearm import BanditBBM

RESULTS = Path(__file__).parents[1] / "results"
CLASSES = [2, 3, 4, 5, 10, 20, 26, 30]
LEARNERS = [20, 40, 60, 80, 100]
COLUMNS = 10
AT_ONCE = 32  # rounds between two looks at the clock


def rate(k: int, N: int, seconds: float) -> float:
    """Rounds per CPU second, a tenth of whose labels is noise, in about so many seconds."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, COLUMNS))
    y = (X @ rng.normal(size=(COLUMNS, k))).argmax(axis=1)
    y = np.where(rng.random(len(y)) < 0.1, rng.integers(0, k, len(y)), y)
    learner, compiling = (BanditBBM(k, COLUMNS, n_learners=N, weak="linear") for _ in range(2))
    compiling.play(X[:1], y[:1], trace=False)
    began, rounds = time.process_time(), 0
    while rounds < len(y) and time.process_time() - began < seconds:
        here = slice(rounds, rounds + AT_ONCE)
        learner.play(X[here], y[here], trace=False)
        rounds += AT_ONCE
    return rounds / (time.process_time() - began)


def text(results: dict[str, Any]) -> str:
    about = results["about"]
    rows = [
        [f"{k}", *(f"{seen:,.0f}" for seen in rates)]
        for k, rates in zip(CLASSES, results["rates"], strict=True)
    ]
    return f"""# Potentials

Rounds of BanditBBM per CPU second, linear weak learners, {COLUMNS} features, by number k of classes
and N of weak learners. Written by `{results["command"]}` on {about["date"]}, {about["cpu"]}, python
{about["python"]}, onearm {about["onearm"]}, numpy {about["numpy"]}, numba {about["numba"]}.

{table(["k", *(f"N = {N}" for N in LEARNERS)], rows)}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.potentials", description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each number")
    asked = parser.parse_args()
    one_core()
    warnings.filterwarnings("ignore", "n_classes=")  # that there is no table
    results = {
        "command": " ".join(["python -m bench.potentials", *sys.argv[1:]]),
        "about": report.about(), "learners": LEARNERS, "classes": CLASSES,
        "rates": [[rate(k, N, asked.seconds) for N in LEARNERS] for k in track(CLASSES, "classes")],
    }  # fmt: skip
    (RESULTS / "potentials.json").write_text(json.dumps(results, indent=1) + "\n")
    (RESULTS / "potentials.md").write_text(text(results))
    Console().print(text(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
