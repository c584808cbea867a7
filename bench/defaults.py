"""Where the learners' defaults come from: errors over a few values of the main parameters.

Plays rows of norm 1, stores the runs in results/defaults.jsonl and writes results/defaults.md.
Re-running plays what is missing.
"""

from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import onearm
from bench.benchmark import PlayedBenchmark, last_run
from bench.timing import now
from onearm import metrics
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from papers.markdown import table

SEEDS = 3
ROUNDS = 30_000
STREAMS = ("SynNonSep", "digits × 20")
GRIDS: dict[str, dict[str, list]] = {
    "Banditron": {"gamma": [0.0, 0.01, 0.02, 0.05, 0.1]},
    "SOBA": {"gamma": [0.0, 2**-7, 2**-6, 2**-5, 2**-4]},
    "Newtron": {"gamma": [2**-10, 2**-8, 2**-6], "D": [1.0, 6.5, 20.0]},
    "ConservativeOVA": {"variant": ["PA", "PA-I", "PA-II"]},
    "OffsetTree": {"rule": ["before", "after"], "explore": [0.0, 1.0]},
    "Confidit": {"eta": [0.01, 0.1, 1.0, 10.0]},
    "Gaptron": {"loss": ["logistic", "hinge", "smooth_hinge"], "gamma": [0.005, 0.02, 0.05]},
    "RDUE": {"q0": [0.005, 0.02, 0.05]},
    "SLB": {},
    "InverseGap": {"loss": ["logistic", "squared"], "eta": [0.1, 0.5, 2.0, 4.0]},
    "EpsilonGreedy": {"estimator": ["mtr", "dr", "ips"], "eta": [0.1, 0.5, 2.0]},
    "LinUCB": {"alpha": [0.1, 0.3, 1.0, 2.0]},
    "LinTS": {"v": [0.03, 0.1, 0.3, 1.0]},
    "Bag": {"epsilon": [0.01, 0.05, 0.1], "eta": [0.5, 2.0, 4.0]},
}


class Job(NamedTuple):
    """A learner with some parameters, played on all streams with all seeds."""

    learner: str
    parameters: Record

    def configuration(self) -> Record:
        return {**self._asdict(), "seeds": SEEDS, "rounds": ROUNDS}

    def play(self, progress: OnProgress) -> Record:
        """Return the errors by stream, a list over seeds each."""
        cls, errors = getattr(onearm, self.learner), {}
        for stream in STREAMS:
            X, y = rows(stream)
            sizes = int(y.max()) + 1, X.shape[1]
            learners = [cls(*sizes, **self.parameters, seed=seed) for seed in range(SEEDS)]
            errors[stream] = [metrics.error(learner.play(X, y).correct) for learner in learners]
        return {"errors": errors, "versions": versions(), "date": now()}

    def summary(self, record: Record) -> str:
        return f"{self.learner} {self.parameters}: {', '.join(means(record))}"


@cache
def rows(stream: str) -> tuple[Any, np.ndarray]:
    """Return rows of norm 1: sparse texts with noise, or images repeated twenty times."""
    if stream == "SynNonSep":
        return onearm.SynNonSep(ROUNDS, unit=True, seed=0).arrays()
    from sklearn.datasets import load_digits

    digits = load_digits()
    X = digits.data / np.linalg.norm(digits.data, axis=1, keepdims=True)
    images = onearm.Stream.of(X, digits.target, name=stream).repeated(20).shuffled(0)
    return images.first(ROUNDS).arrays()


def jobs() -> list[Job]:
    """Return every learner with every value of its grid."""
    return [
        Job(name, dict(zip(grid, values, strict=True)))
        for name, grid in GRIDS.items()
        for values in product(*grid.values())
    ]


def means(record: Record) -> list[str]:
    return [f"{np.mean(record['errors'][stream]):.3f}" for stream in STREAMS]


def report(records: list[Record]) -> str:
    """Return the table; defaults are bold."""
    lines = []
    for record in records:
        given = ", ".join(f"{name}={value}" for name, value in record["parameters"].items())
        given = f"**{given}**" if given and is_default(record) else given
        lines.append([record["learner"], given, *means(record)])
    return f"""\
Mean error of {SEEDS} seeds over {ROUNDS:,} rounds, rows of norm 1. Defaults in bold.
{last_run("defaults", records)}

{table(["learner", "parameters", *STREAMS], lines)}
"""


def is_default(record: Record) -> bool:
    """Whether the learner with its default parameters has the same model."""
    cls = getattr(onearm, record["learner"])
    default, given = (_numbers(cls(2, 1, **p).model()) for p in ({}, record["parameters"]))
    return default == given


def _numbers(model: tuple) -> list:
    parts = [_numbers(part) if isinstance(part, tuple) else part for part in model]
    return [part for part in parts if not isinstance(part, np.ndarray)]


main = PlayedBenchmark("defaults", __doc__, "defaults.jsonl", jobs, report).main
