"""Cells of Z19's Table 1 that differ most from the paper's: what may lie behind them.

The authors' program differs from the paper's formulas in places, and from ours. Two of them are put
into our learners, one at a time; for BinBandit, whose published settings are the fewest, its trees,
their number and what it teaches are changed.

    Monte Carlo   potentials are the means of 100 draws, drawn once: here the exact potential plus
                  normal noise of that variance
    slope sign    in the slope of the logistic loss by α the sigmoid's argument has the wrong sign
                  where the weak learner is right
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from onearm import AdaBoostOLM, BinBandit, OnlineMBBM
from onearm.boosting import adabandit
from onearm.boosting.costs import sigmoid
from onearm.core.kernels import compose, kernel
from onearm.experiments.identity import learner_identity
from onearm.experiments.job import OnProgress, Record
from papers.markdown import table, written_by
from papers.playing import play_timed
from papers.replication import Options, Replication, Request
from papers.verdicts import half_width
from papers.z19.data import load, sizes
from papers.z19.paper import TABLES
from papers.z19.runs import window

DRAWS = 100  # of the Monte Carlo potentials
AS_PUBLISHED = "as published"
SEEDS = {"mice": range(4, 14), "isolet": range(4, 6)}


class NoisyMBBM(OnlineMBBM):
    """OnlineMBBM whose potentials have the noise of 100 draws."""

    def start(self) -> None:
        super().start()
        step, phi, tables = self.potential
        noise = np.random.default_rng(self.seed).normal(size=len(phi))
        noisy = phi + noise * np.sqrt(np.clip(phi * (1 - phi), 0, 1) / DRAWS)
        self.potential = step, np.clip(noisy, 0, 1).astype(phi.dtype), tables


@kernel
def slope_of_the_program(s, h, alpha, g):
    """The derivative by α, but g_h σ(v) where it should be g_h (1 - σ(v))."""
    total = 0.0
    for r in range(len(s)):
        if r != h:
            v = s[h] + alpha - s[r]
            total += g[r] * sigmoid(v) - g[h] * sigmoid(v)
    return total


ADAPTIVE = {name: getattr(adabandit, name) for name in ("scores", "chances", "choose")}


@dataclass
class WrongSlope(
    AdaBoostOLM, **ADAPTIVE, update=compose(adabandit.update, slope=slope_of_the_program)
):
    """AdaBoostOLM with the slope of the authors' program."""


READINGS: dict[tuple[str, str, str], tuple[Any, dict[str, Any]]] = {
    ("mice", "BinBandit", AS_PUBLISHED): (BinBandit, {}),
    ("mice", "BinBandit", "grace period 5 to 20"): (BinBandit, {"grace_period": (5.0, 20.0)}),
    ("mice", "BinBandit", "20 trees per class"): (BinBandit, {"n_learners": 20}),
    ("mice", "BinBandit", "others"): (BinBandit, {"others": True}),
    ("mice", "BinBandit", "naive Bayes leaves"): (BinBandit, {"leaf_prediction": "bayes"}),
    ("isolet", "OnlineMBBM", AS_PUBLISHED): (OnlineMBBM, {}),
    ("isolet", "OnlineMBBM", "Monte Carlo"): (NoisyMBBM, {}),
    ("isolet", "AdaBoostOLM", AS_PUBLISHED): (AdaBoostOLM, {}),
    ("isolet", "AdaBoostOLM", "slope sign"): (WrongSlope, {}),
}


class Job(NamedTuple):
    """What is to be played."""

    data: str
    learner: str
    reading: str
    seed: int

    def make(self) -> Any:
        """Return a new learner with the published settings, but for the reading."""
        cls, changed = READINGS[self.data, self.learner, self.reading]
        return cls.paper(self.data, **sizes(self.data), seed=self.seed, **changed)

    def configuration(self) -> Record:
        """Return everything that decides the results."""
        copies = {"copies": TABLES[self.data].copies}
        return self._asdict() | copies | learner_identity(self.make())

    def play(self, progress: OnProgress) -> Record:
        """Play to the end."""
        stream = load(self.data).repeated(TABLES[self.data].copies).shuffled(self.seed)
        correct, _ = play_timed(self.make(), stream)
        return {"accuracy": float(correct[-window(len(correct)) :].mean())}

    def summary(self, record: Record) -> str:
        """Return a run in a line."""
        return f"{self.data} {self.learner}, {self.reading}: {record['accuracy']:.3f}"


def jobs(*_: Any) -> list[Job]:
    """Return every run."""
    return [Job(*reading, seed) for reading in READINGS for seed in SEEDS[reading[0]]]


def text(records: list[Record], request: Request) -> str:
    """Return the table in Markdown."""
    rows = []
    for data, learner, reading in READINGS:
        cell = (data, learner, reading)
        runs = [r["accuracy"] for r in records if (r["data"], r["learner"], r["reading"]) == cell]
        if runs:
            width = f" ± {half_width(runs):.3f}" if len(runs) > 1 else ""
            printed = f"{TABLES[data].asymptotic[learner]:.2f}"
            mean = f"{np.mean(runs):.3f}{width}"
            rows.append([data, learner, printed, reading, mean, f"{len(runs)}"])
    head = ["data", "algorithm", "in the paper", "changed", "here", "runs"]
    return f"""# Readings of Z19's program

{written_by(request.command, records)}

Accuracy in the last fifth of the stream with the published settings, changed one at a time; ± half
the width of a 95 % interval. "Monte Carlo" and "slope sign" are what the authors' program does.

{table(head, rows)}
"""


REPLICATION = Replication(
    stages=(jobs,), report="readings.md", text=text, ledger="readings.jsonl",
    names=(tuple(SEEDS),), defaults=Options(), repeat=lambda job: 0,
)  # fmt: skip
