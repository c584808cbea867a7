"""One run of C09's Table I: a learner plays a data set once, and its errors are counted.

    reuters      four topics of Reuters-21578, in place of the four of RCV1 in the paper
    rcv1         those, where scikit-learn can fetch them
    mnist        70,000 images, training and test; grey values from 0 to 1
    newsgroups   18,846 messages, 26,214 terms, 1 where a term occurs; the paper has 19,928
    usps         9298 images, training and test; grey values from 0 to 1, a guess

Every run shuffles the rows with its seed, which the paper leaves open. Alternatives to what it
leaves open are played too: rows of norm 1 (`unit`), grey values from -1 to 1 (`signed`), rows in
the order of the file (`file`), and for the offset tree its rule and its exploration.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import onearm
from onearm import Stream
from onearm.experiments.job import OnProgress, Record
from onearm.streams import datasets
from onearm.streams.preparations import normalize
from papers.c09.paper import GAMMA, METHODS, OVA, STAND_IN, TREES
from papers.playing import curve, curve_rounds, in_memory, play_timed, sparse_rows
from papers.records import grouped, select
from papers.replication import Request
from papers.trial import Trial

ENTRIES = {  # of the data catalogue
    "reuters": "reuters-topics", "mnist": "mnist-scaled", "newsgroups": "newsgroups-binary",
    "usps": "usps", "rcv1": "rcv1",
}  # fmt: skip
FETCHED = "rcv1"
ALTERNATIVE_ROWS = {
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
RUNS, ALTERNATIVE_RUNS = 10, 5  # of a cell of the table, and of an alternative
TUNING = range(1000, 1003)  # seeds of the runs that choose a parameter
ALL_ROUNDS, QUICK_ROUNDS = 10**9, 2000
MAIN, POINTS, FIRST = "as described", 30, 50
Changes = tuple[tuple[str, Any], ...]
Best = dict[tuple[str, str], float]  # the value of a parameter by data set and method


@dataclass(frozen=True, order=True)
class Job(Trial):
    """What is to be played."""

    data: str
    method: str
    rows: str  # as the paper describes them, or one of ALTERNATIVE_ROWS
    changes: Changes  # of parameters
    seed: int
    rounds: int  # at most

    def make(self) -> Any:
        """Return a new learner."""
        name, parameters = METHODS[self.method]
        data, more = datasets.about(ENTRIES[self.data]), parameters | dict(self.changes)
        return getattr(onearm, name)(data.classes, data.features, seed=self.seed, **more)

    def play(self, progress: OnProgress) -> Record:
        """Play to the end."""
        rows = stream(self.data, self.rows, self.seed, self.rounds)
        correct, seconds = play_timed(self.make(), rows)
        n, plotted = len(correct), self.rows == MAIN and self.seed < RUNS
        return {
            "played": n,
            "error": round(float((~correct).mean()), 6),
            "cpu_seconds": round(seconds, 2),
            "curve": curve(correct, curve_rounds(n, POINTS, FIRST)) if plotted else [],
        }


def rounds(request: Request) -> int:
    """Return how many rounds are played at most."""
    return QUICK_ROUNDS if request.options.quick else ALL_ROUNDS


def tuning_jobs(request: Request, _: list[Record]) -> list[Job]:
    """Return the runs that choose γ and C."""
    return [
        Job(data, method, MAIN, ((name, value),), seed, rounds(request))
        for data in ENTRIES
        for method, name in TUNED.items()
        for value in GRIDS[name]
        for seed in TUNING
    ]


def table_jobs(request: Request, tuning: list[Record]) -> list[Job]:
    """Return the runs of the table and of the alternatives."""
    best = best_values(tuning)
    seeds, jobs = max(request.options.runs or RUNS, RUNS), []
    for data in ENTRIES:
        values = {method: best[data, method] for method in TUNED if (data, method) in best}
        jobs += data_set_jobs(data, values, seeds, rounds(request))
    return jobs


def data_set_jobs(data: str, best: dict[str, float], seeds: int, rounds: int) -> list[Job]:
    """Return the runs on a data set, given the best values of parameters as far as known."""
    methods: dict[str, Changes] = {method: () for method in METHODS if method != "Banditron"}
    if "Banditron" in best:
        methods["Banditron"] = (("gamma", best["Banditron"]),)
    cells = [(method, MAIN, changes) for method, changes in methods.items()]
    others = [
        (method, rows, changes)
        for rows in ALTERNATIVE_ROWS.get(data, ())
        for method, changes in methods.items()
    ]
    others += [(method, MAIN, form) for form in TREE_FORMS for method in TREES]
    others += [(method, MAIN, ((TUNED[method], value),)) for method, value in best.items()]
    others += [("Banditron", MAIN, (("gamma", GAMMA[STAND_IN.get(data, data)]),))]
    alternatives = [cell for cell in dict.fromkeys(others) if cell not in cells]
    return [
        Job(data, *cell, seed, rounds)
        for seed in range(seeds)
        for cell in cells + (alternatives if seed < ALTERNATIVE_RUNS else [])
    ]


def repeat(job: Job) -> int:
    """Return which run of its cell a job is; those that choose a parameter are always played."""
    return 0 if job.seed in TUNING else job.seed


def best_values(tuning: list[Record]) -> Best:
    """Return the value of least mean error, the lowest of several, by data set and method."""
    best = {}
    for cell, runs in grouped(tuning, "data", "method").items():
        errors: dict[float, list[float]] = {}
        for run in runs:
            errors.setdefault(run["changes"][0][1], []).append(run["error"])
        best[cell] = min(sorted(errors), key=lambda value, of=errors: float(np.mean(of[value])))
    return best


def split(records: list[Record]) -> tuple[list[Record], Best]:
    """Return the runs of the table, and the parameters that the other runs chose."""
    tuning = [run for run in records if run["seed"] in TUNING]
    return [run for run in records if run["seed"] not in TUNING], best_values(tuning)


def cell_runs(
    records: list[Record], data: str, method: str, changes: Changes = (), rows: str = MAIN
) -> list[Record]:
    """Return the runs of one cell, in the order of the seeds."""
    as_stored = [list(change) for change in changes]
    return select(records, data=data, method=method, changes=as_stored, rows=rows)


def main_changes(best: Best, data: str, method: str) -> Changes:
    """Return the parameter that was chosen for Table I: Banditron's γ."""
    return (("gamma", best.get((data, method))),) if method == "Banditron" else ()


@lru_cache(maxsize=8)
def stream(data: str, rows: str, seed: int, rounds: int) -> Stream:
    """Return rows in memory, in the order in which the run with this seed plays them."""
    X, y = sparse_rows(ENTRIES[data])
    if rows == "unit":
        X = normalize(X)
    elif "signed" in rows:
        X = csr_array(2.0 * X.toarray() - 1.0)
    in_file_order = Stream.of(X, y, name=data)
    ordered = in_file_order if "file" in rows else in_file_order.shuffled(seed)
    return in_memory(ordered.first(rounds))
