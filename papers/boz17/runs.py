"""One run of BOZ17's Figure 2: a learner with some γ plays a stream once.

    synsep, synnonsep    a million rows each, drawn anew with the seed; raw, as Newtron's D = 1 asks
    covtype              581,012 rows, columns scaled to [0, 1] as in LibSVM's covtype.scale
    reuters              four topics of Reuters-21578, in place of the four of RCV1 in the paper
    rcv1                 those, where scikit-learn can fetch them
    covtype-raw          columns as they are, which LibSVM has too
    covtype-file         scaled, in the order of the file

Rows of data sets are shuffled with the seed. The paper fixes all parameters but γ: a = 1 of SOBA,
α = 10, β = 0.01 and D = 1 of PNewtron. It has Newtron's and SOBA's diagonal versions alone.

Differs from the paper: it does not say whether runs differ in the order of rows; ours do, and in
the rows of SynSep and SynNonSep. Our Newtron is scaled down to the ball of radius D.
"""

import json
import lzma
import time
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

import onearm
from onearm import Stream, SynNonSep, SynSep
from papers import texts
from papers.records import Record, by_what, errors, evenly
from papers.z19.data import find

MADE = {"synsep": SynSep, "synnonsep": SynNonSep}
DATA_SETS = ("synsep", "synnonsep", "covtype", "reuters", "rcv1")  # in the order of the figure
RAW, FILE = "covtype-raw", "covtype-file"
OTHERWISE = {RAW: 3, FILE: 3}  # where the paper can be read in other ways, and how many runs
ROUNDS = {"synsep": 10**6, "synnonsep": 10**6, "reuters": 6387}
ROUNDS |= dict.fromkeys(("covtype", RAW, FILE), 581_012)
SIZES = {  # k and d
    "synsep": (9, 400),
    "synnonsep": (9, 400),
    "covtype": (7, 54),
    "reuters": (4, 18_933),
    "rcv1": (4, 47_236),
    RAW: (7, 54),
    FILE: (7, 54),
}
LEARNERS: dict[
    str, tuple[str, dict[str, Any]]
] = {  # the paper's names, our classes, and what the paper fixes
    "Banditron": ("Banditron", {}),
    "PNewtron": ("Newtron", {"alpha": 10.0, "beta": 0.01, "D": 1.0, "diagonal": True}),
    "SOBAdiag": ("SOBA", {"a": 1.0, "diagonal": True}),
    "Perceptron": ("Perceptron", {}),
}
POWERS = range(1, 17)  # γ = 2 to minus these
POINTS, FIRST = 30, 100  # of a curve, and its first round
RUNS = 10


class Job(NamedTuple):
    """What is to be played."""

    data: str
    learner: str
    power: int  # γ = 2^-power; 0 for the perceptron, which explores nothing
    seed: int
    rounds: int  # at most

    def make(self) -> Any:
        """A new learner."""
        name, fixed = LEARNERS[self.learner]
        own = fixed | ({"gamma": 2.0**-self.power} if self.power else {})
        return getattr(onearm, name)(*SIZES[self.data], seed=self.seed, **own)


def jobs(data_sets: list[str], seeds: int, rounds: int) -> list[Job]:
    """Every run there is; those on the same rows stand together."""
    settings = [(name, power) for name in LEARNERS for power in powers(name)]
    return [
        Job(data, learner, power, seed, min(rounds, ROUNDS.get(data, rounds)))
        for seed in range(seeds)
        for data in data_sets
        for learner, power in settings
        if seed < OTHERWISE.get(data, seeds)
    ]


def powers(learner: str) -> range:
    return range(1) if learner == "Perceptron" else POWERS


def key(record: Record) -> str:
    """A text that is the same for records of the same configuration."""
    parts = (*Job._fields, "parameters", "code", "versions")
    return json.dumps([record[part] for part in parts], sort_keys=True)


@lru_cache(maxsize=1)
def stream(data: str, seed: int, rounds: int) -> Stream:
    """Rows in memory, as the run with this seed plays them."""
    if data in MADE:
        made = MADE[data](rounds, seed=seed)
    else:
        rows = covtype(data != RAW) if data.startswith("covtype") else texts.load(data)
        made = (rows if data == FILE else rows.shuffled(seed)).first(rounds)
    kept = list(made.chunks())
    return replace(made, source=lambda: iter(kept))


@cache
def covtype(scaled: bool) -> Stream:
    """The rows of Covtype in the order of the file."""
    with lzma.open(find("covtype.csv.xz"), "rt") as file:
        n = file.readline().count(",") + 1
        values = np.fromstring(file.read().replace("\n", ","), sep=",").reshape(-1, n)
    X, y = values[:, :-1], values[:, -1].astype(np.int64) - 1
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0) if scaled else X
    return Stream.of(csr_array(X), y, name="covtype")


def ready(job: Job) -> None:
    """Compile what a job needs, or load it."""
    job._replace(data="synsep", rounds=1).make().play(SynSep(1))


def play(job: Job) -> Record:
    """Play to the end."""
    ready(job)
    rows, learner = stream(job.data, job.seed, job.rounds), job.make()
    began = time.process_time()
    correct = learner.play(rows).correct
    seconds = time.process_time() - began
    n = len(correct)
    return {
        **job._asdict(),
        **by_what(learner),
        "played": n,
        "error": round(float((~correct).mean()), 6),
        "last": round(float((~correct[-max(1, n // 10) :]).mean()), 6),
        "cpu_seconds": round(seconds, 6),
        "curve": errors(correct, evenly(n, POINTS, FIRST)),
    }
