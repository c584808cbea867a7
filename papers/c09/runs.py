"""One run of C09's Table I: a learner plays a data set once, and its errors are counted.

    reuters      four topics of Reuters-21578, in place of the four of RCV1 in the paper
    rcv1         those, where scikit-learn can fetch them
    mnist        70,000 images, training and test; grey values from 0 to 1
    newsgroups   18,846 messages, 26,214 terms, 1 where a term occurs; the paper has 19,928
    usps         9298 images, training and test; grey values from 0 to 1, of which it says nothing

Every run shuffles the rows with its seed, of which the paper says nothing. What it leaves open can
be played otherwise: rows of norm 1 (`unit`), grey values from -1 to 1 (`signed`), rows in the order
of the file (`file`), and for the offset tree its rule and its exploration.
"""

import json
import time
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

import onearm
from onearm import Stream, SynSep
from papers import texts
from papers.b10 import data as b10_data
from papers.c09.paper import GAMMA, METHODS, OVA, STAND_IN, TREES
from papers.records import Record, by_what, errors, evenly

SIZES = {  # k and d
    "reuters": (4, 18_933),
    "mnist": (10, 784),
    "newsgroups": (20, 26_214),
    "usps": (10, 256),
    "rcv1": (4, 47_236),
}
ROWS = {
    "mnist": ("unit", "file"),
    "newsgroups": ("unit",),
    "usps": ("unit", "signed", "file", "signed file"),
}
TREE_FORMS = ((("rule", "after"),), (("explore", 1.0),), (("rule", "after"), ("explore", 1.0)))
GRIDS = {
    "gamma": (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5),
    "C": (1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
}
TUNED = {"Banditron": "gamma"} | {m: "C" for m in (*OVA, *TREES) if not m.endswith(" PA")}
RUNS, OTHERWISE = 10, 5  # runs of a cell of the table, and of what is played otherwise
TUNING = range(1000, 1003)  # seeds of the runs that settle a parameter
TOLD, POINTS, FIRST = "told", 30, 50
Changes = tuple[tuple[str, Any], ...]


class Job(NamedTuple):
    """What is to be played."""

    data: str
    method: str
    rows: str  # as the paper tells, or one of ROWS
    changes: Changes  # of parameters
    seed: int
    rounds: int  # at most

    def make(self) -> Any:
        """A new learner."""
        name, own = METHODS[self.method]
        more = own | dict(self.changes)
        return getattr(onearm, name)(*SIZES[self.data], seed=self.seed, **more)


def tuning(data_sets: list[str], rounds: int) -> list[Job]:
    """The runs that settle γ and C."""
    return [
        Job(data, method, TOLD, ((name, value),), seed, rounds)
        for data in data_sets
        for method, name in TUNED.items()
        for value in GRIDS[name]
        for seed in TUNING
    ]


def playing(data: str, best: dict[str, float], seeds: int, rounds: int) -> list[Job]:
    """The runs that are told of, given the best values of parameters as far as settled."""
    found: dict[str, Changes] = {method: () for method in METHODS if method != "Banditron"}
    if "Banditron" in best:
        found["Banditron"] = (("gamma", best["Banditron"]),)
    cells = [(method, TOLD, own) for method, own in found.items()]
    others = [(method, rows, own) for rows in ROWS.get(data, ()) for method, own in found.items()]
    others += [(method, TOLD, form) for form in TREE_FORMS for method in TREES]
    others += [(method, TOLD, ((TUNED[method], value),)) for method, value in best.items()]
    others += [("Banditron", TOLD, (("gamma", GAMMA[STAND_IN.get(data, data)]),))]
    more = [cell for cell in dict.fromkeys(others) if cell not in cells]
    return [
        Job(data, *cell, seed, rounds)
        for seed in range(seeds)
        for cell in cells + (more if seed < OTHERWISE else [])
    ]


def key(record: Record) -> str:
    """A text that is the same for records of the same configuration."""
    parts = (*Job._fields, "parameters", "code", "versions")
    return json.dumps([record[part] for part in parts], sort_keys=True)


@cache
def load(data: str) -> Stream:
    """The rows of a data set as the paper tells, in the order of the file."""
    if data not in ("mnist", "usps"):
        return texts.load(data)
    split = b10_data.load(data)
    X = np.concatenate([split.X, split.X_test]) / (255.0 if data == "mnist" else 1.0)
    return Stream.of(csr_array(X), np.concatenate([split.y, split.y_test]), name=data)


@lru_cache(maxsize=8)
def stream(data: str, rows: str, seed: int, rounds: int) -> Stream:
    """Rows in memory, as the run with this seed plays them."""
    X, y = load(data).arrays()
    if rows == "unit":
        X = texts.scaled(X)
    elif "signed" in rows:
        X = csr_array(2.0 * X.toarray() - 1.0)
    told = Stream.of(X, y, name=data)
    ordered = (told if "file" in rows else told.shuffled(seed)).first(rounds)
    kept = list(ordered.chunks())
    return replace(ordered, source=lambda: iter(kept))


def ready(job: Job) -> None:
    """Compile what a job needs, or load it."""
    name, own = METHODS[job.method]
    SynSep(1).learner(getattr(onearm, name), **own).play(SynSep(1))


def play(job: Job) -> Record:
    """Play to the end."""
    ready(job)
    rows, learner = stream(job.data, job.rows, job.seed, job.rounds), job.make()
    began = time.process_time()
    correct = learner.play(rows).correct
    seconds = time.process_time() - began
    n = len(correct)
    told = job.rows == TOLD and job.seed < RUNS
    return {
        **job._asdict(),
        **by_what(learner),
        "played": n,
        "error": round(float((~correct).mean()), 6),
        "cpu_seconds": round(seconds, 2),
        "curve": errors(correct, evenly(n, POINTS, FIRST)) if told else [],
    }
