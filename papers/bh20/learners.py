"""More weak learners than the paper's 30, and predictions within Y, on data sets of Table 2.

Theorem 9 bounds the regret of boosting by a term of 1/N beside those of its weak learners. Here
every N has its own search for steps and bounds, as in Table 2, and rows are in the order of the
file. Algorithm 2 predicts Π_Y(y^N); the paper does not say what Y is in its runs, and Table 2
leaves Π_Y out. "within Y" has for Y the range of the answers in the first half.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from papers.bh20 import runs
from papers.bh20.runs import LOSSES_ALONE, METHODS, MOST, RUNS
from papers.markdown import table
from papers.replication import Options, Replication
from papers.trial import Trial
from papers.verdicts import mean

DATA = ("abalone", "letter")
BOOSTERS = ("full", "bandit")
N = (5, 10, 30, 100, 300)
N_WITHIN = 30  # for which predictions within Y are tried, too


@dataclass(frozen=True, order=True)
class Job(Trial):
    """What is to be played: a booster with N weak learners."""

    data: str
    method: str
    N: int

    def constants(self) -> Record:
        """Return what is the same for all jobs."""
        return {"search": runs.SEARCH, "runs": RUNS}

    def play(self, progress: OnProgress) -> Record:
        """Tune on the first half, play the second."""
        data = runs.load(self.data)
        n, half = len(data[1]), len(data[1]) // 2
        index, rows = np.arange(half)[:MOST], np.arange(half, n)
        settings, _ = runs.tune(self.method, data, index, (self.N,), False)
        seeds = range(RUNS if self.method in LOSSES_ALONE else 1)
        y = data[1][:half]
        bounds = [{}] + [{"low": y.min(), "high": y.max()}] * (self.N == N_WITHIN)
        losses = [[runs.loss(self.method, settings, data, rows, s, **Y) for s in seeds]
                  for Y in bounds]  # fmt: skip
        return {
            "settings": settings,
            "losses": np.round(losses[0], 6).tolist(),
            "within": np.round(losses[1], 6).tolist() if len(losses) > 1 else None,
            "versions": versions(),
        }


def jobs(*_: Any) -> list[Job]:
    """Return every job, quick ones first."""
    return [Job(data, method, n) for data in DATA for n in N for method in BOOSTERS]


def text(records: list[Record], _: Options) -> list[str]:
    """Return the table in Markdown."""
    cells = {(run["data"], run["method"], run["N"]): run for run in records}
    rows = []
    for data, method in product(DATA, BOOSTERS):
        some = [cells.get((data, method, n)) for n in N]
        if not any(some):
            continue
        near = cells.get((data, method, N_WITHIN))
        within = mean(near["within"] if near else [], 4, "–")
        row = [mean(run["losses"] if run else [], 4, "–") for run in some]
        bounds = ", ".join(f"{run['settings']['R']:g}" if run else "–" for run in some)
        rows.append([data, METHODS[method], *row, within, bounds])
    head = ["data", "booster", *(f"N = {n}" for n in N), f"N = {N_WITHIN} within Y"]
    notes = f"""\
Mean squared loss on the second half, rows in the order of the file; tuned on the first half for
each N. From losses: {RUNS} runs; ± half the width of a 95 % interval. "Within Y": predictions are
clipped to the range of the answers in the first half, as Π_Y."""
    return [notes, table([*head, "R chosen"], rows)]


REPLICATION = Replication(
    stages=(jobs,), title="More weak learners than in Table 2 of BH20", report="learners.md",
    text=text, ledger="learners.jsonl", names=(DATA, BOOSTERS),
)  # fmt: skip
