"""Regressors at their defaults on rows and targets of any scale, as they are and prepared.

Eight problems, each with columns times 1/100, 1 and 100, and with targets times 1 and 1000. Shown
is the loss in the second half over the variance there: 1 is what the mean would have. From losses
alone targets have a deviation of 1: their scale cannot be known, and `lr`, `R` and `delta` are in
units of it. Writes results/regression_scale.md.
"""

from typing import Any, NamedTuple

import numpy as np

import onearm
from bench.benchmark import PlayedBenchmark, last_run
from bench.timing import now
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from onearm.streams import datasets
from papers.markdown import table

ROUNDS = 4000
ENTRIES = {"abalone": "abalone-rings", "adult": "adult-income", "letter": "letter-halves"}
SYNTHETIC = ("Friedman 1", "Friedman 2", "Friedman 3", "columns of all scales", "heavy tails")
PROBLEMS = (*ENTRIES, *SYNTHETIC)
GRADIENTS, LOSSES = ("OGD", "GradientBooster", "SpanBooster"), ("NFKM", "BanditGradientBooster")
FORMS = (("columns / 100", 0.01, 1.0), ("as they are", 1.0, 1.0), ("columns × 100", 100.0, 1.0),
         ("targets × 1000", 1.0, 1000.0))  # fmt: skip
NOISE = 0.1


def problem(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and targets of a problem, shuffled."""
    rng = np.random.default_rng(0)
    if name in ENTRIES:
        X, y = datasets.load(ENTRIES[name]).arrays()
        index = rng.permutation(len(y))[:ROUNDS]
        return X[index].toarray(), np.asarray(y, float)[index]
    U, e = rng.uniform(size=(ROUNDS, 10)), rng.normal(size=ROUNDS)
    if name == "Friedman 1":
        wave = 10 * np.sin(np.pi * U[:, 0] * U[:, 1])
        return U, wave + 20 * (U[:, 2] - 0.5) ** 2 + 10 * U[:, 3] + 5 * U[:, 4] + e
    if name.startswith("Friedman"):
        low, high = np.array([0, 40 * np.pi, 0, 1]), np.array([100, 560 * np.pi, 1, 11])
        X = low + (high - low) * U[:, :4]
        reactance = X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])
        if name == "Friedman 2":
            return X, np.hypot(X[:, 0], reactance) + 125 * e
        return X, np.arctan(reactance / X[:, 0]) + 0.1 * e
    Z = rng.normal(size=(ROUNDS, 6)) if name != "heavy tails" else rng.standard_t(3, (ROUNDS, 6))
    y = Z @ [1.0, -1.0, 0.5, 0.5, 0.0, 0.0] + 0.3 * e
    return Z * 10.0 ** np.arange(-2, 4) + np.arange(6) * 100.0, y


class Job(NamedTuple):
    """What is to be played: a regressor on a problem in each form."""

    problem: str
    regressor: str
    prepared: bool

    def make(self, d: int) -> Any:
        """Return a new regressor with default parameters."""
        if self.prepared:
            return onearm.PreparedRegressor(d, regressor=self.regressor)
        return getattr(onearm, self.regressor)(d)

    def configuration(self) -> Record:
        """Return everything that decides the results."""
        return self._asdict() | {"rounds": ROUNDS, "defaults": repr(self.make(2))}

    def play(self, progress: OnProgress) -> Record:
        """Return the shares of the variance that are left, form by form."""
        X, y = problem(self.problem)
        full, shares = self.regressor in GRADIENTS, []
        if not full:
            y = (y - y.mean()) / y.std()
        for _, columns, targets in FORMS if full else FORMS[:3]:
            if self.regressor == "SpanBooster" and not self.prepared:
                more = {"B": float(abs(y).max() * targets)}  # else it refuses targets
                regressor = onearm.SpanBooster(X.shape[1], **more)
            else:
                regressor = self.make(X.shape[1])
            noise = {} if full else {"noise": NOISE}
            losses = regressor.play(columns * X, targets * y, **noise)[1][len(y) // 2 :]
            shares.append(float(losses.mean() / (targets * y[len(y) // 2 :]).var()))
        return {"shares": shares, "versions": versions(), "date": now()}

    def summary(self, record: Record) -> str:
        form = "prepared" if self.prepared else "as it is"
        return f"{self.problem} {self.regressor} {form}: " + _shown(record["shares"])


def jobs() -> list[Job]:
    """Return every job."""
    names = (*GRADIENTS, *LOSSES)
    return [Job(p, name, form) for name in names for p in PROBLEMS for form in (False, True)]


def report(records: list[Record]) -> str:
    """Return the tables in Markdown."""
    runs = {(r["regressor"], r["problem"], r["prepared"]): r["shares"] for r in records}
    parts = []
    for name in (*GRADIENTS, *LOSSES):
        forms = FORMS if name in GRADIENTS else FORMS[:3]
        rows = []
        for p in PROBLEMS:
            both = [runs.get((name, p, form), []) for form in (False, True)]
            rows.append([p, *(f"{_number(a)} / {_number(b)}" for a, b in zip(*both, strict=True))])
        parts.append(f"## {name}\n\n" + table(["problem", *(form for form, *_ in forms)], rows))
    return f"""# Regressors on rows and targets of any scale

{last_run("regression.scale", records)} Squared loss in the second half of
{ROUNDS:,} shuffled rounds over the variance of the targets there, so that 1 is as good as their
mean; as it is / prepared, with default parameters. From losses (noise ±{NOISE}) targets have mean
0 and deviation 1.

{(chr(10) * 2).join(parts)}
"""


def _shown(shares: list[float]) -> str:
    return ", ".join(map(_number, shares))


def _number(share: float) -> str:
    return f"{share:.2f}" if share < 100 else f"{share:.0e}"


main = PlayedBenchmark("regression.scale", __doc__, "regression_scale.jsonl", jobs, report).main
