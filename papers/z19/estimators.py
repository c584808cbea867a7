"""Estimator (3) of Z19 beside (4): does (4) perform much better, as the paper says?

Both are unbiased estimates of the loss of every label. (3) is 1[right]/p·(1 - e_label): zero after
every wrong answer. (4), which the learners use, also learns from the greedy label's wrong answers.
The boosters here are the library's, with the published settings and (3) in the place of (4).
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from onearm import AdaBandit, BanditBBM
from onearm.boosting import adabandit, bbm
from onearm.core.kernels import compose, kernel
from onearm.experiments.job import Record
from papers.claims import Claim, claims_table, count, lower
from papers.replication import Options, Replication
from papers.z19 import runs
from papers.z19.data import sizes
from papers.z19.paper import TABLES

DATA_SETS = ("balance", "car", "nursery", "mice")
RUNS = 10


@kernel
def loss_when_right(label, greedy, propensity, truth, k):
    """A vector with mean 1[r ≠ y] (Z19, eq. 3): zero unless the label was right."""
    loss = np.zeros(k)
    if label == truth:
        for r in range(k):
            if r != label:
                loss[r] = 1.0 / propensity
    return loss


def templates(module: Any, **replaced: Any) -> dict[str, Any]:
    """Return the templates of a booster's kernels, with others in the place of some callees."""
    others = {name: getattr(module, name) for name in ("scores", "chances", "choose")}
    return {**others, "update": compose(module.update, **replaced)}


@dataclass
class AdaBanditWhenRight(AdaBandit, **templates(adabandit, zero_one_loss=loss_when_right)):
    """AdaBandit with estimator (3)."""


@dataclass
class BanditBBMWhenRight(BanditBBM, **templates(bbm, zero_one_loss=loss_when_right)):
    """BanditBBM with estimator (3)."""


EQUATIONS = ("(3)", "(4)")
FORMS = {"AdaBandit": (AdaBanditWhenRight, AdaBandit), "BanditBBM": (BanditBBMWhenRight, BanditBBM)}


class Job(runs.Job):
    """A run with the published settings and one of the equations as its settings."""

    def make(self) -> Any:
        """Return a new learner."""
        cls: Any = FORMS[self.learner][EQUATIONS.index(self.settings)]
        return cls.paper(self.data, **sizes(self.data), seed=self.seed)


def jobs(*_: Any) -> list[Job]:
    """Return every run."""
    return [
        Job(data, learner, equation, seed)
        for data in DATA_SETS
        for learner in FORMS
        for seed in TABLES[data].seeds[:RUNS]
        for equation in EQUATIONS
    ]


def claims(records: list[Record]) -> list[Claim]:
    """Return whether (4) has lower errors than (3), by pairs of runs on the same rows."""
    tested = []
    for data, learner in product(DATA_SETS, FORMS):
        for part, says in (("asymptotic", "in the last fifth"), ("total", "over the whole stream")):
            both = [runs.errors(records, part, data=data, learner=learner, settings=equation)
                    for equation in ("(4)", "(3)")]  # fmt: skip
            statement = f"{learner} has a lower error with (4) than with (3), {says}"
            tested += lower(statement, data, ("(4)", "(3)"), both)
    return tested


def text(records: list[Record], _: Options) -> list[str]:
    """Return the claims in Markdown."""
    tested = claims(records)
    notes = f"""\
Errors in percent with the published settings, mean of {RUNS} shuffles, ± half the width of a 95 %
interval; verdicts by pairs of runs on the same rows. {count(tested)}"""
    return [notes, claims_table(tested)]


REPLICATION = Replication(
    stages=(jobs,), title="Estimators (3) and (4) of Z19", report="estimators.md", text=text,
    ledger="estimators.jsonl", names=(DATA_SETS, tuple(FORMS)), claims={"z19.estimators": claims},
)  # fmt: skip
