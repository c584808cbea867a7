"""AdaBoostMH beside boosted trees and forests on the sets of the bake-off, at equal CPU time.

Each set is split 70/30 several times; sets of more than 20,000 training rows are cut. Budgets are
multiples of the CPU time of ExtraTrees with 100 trees. Verdicts are from the reported half alone.
Each run is recorded in results/mh_bakeoff; re-running plays what is missing, and AdaBoostMH again
where its code has changed.
"""

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console

from bench.bakeoff.sets import HALVES, Set, load, named
from bench.benchmark import OUT, RENDER, Option, parse, show_failures
from bench.mh import bakeoff_report
from bench.mh.contenders import CONTENDERS, OURS, Rows, forest_seconds, play, rows_of
from bench.timing import now
from onearm.experiments.identity import code, versions
from onearm.experiments.job import OnProgress, Record
from onearm.experiments.ledger import Ledger
from onearm.experiments.run import Experiment, play_missing, print_line
from onearm.mh.classifier import AdaBoostMH
from onearm.streams.stream import WIDE

FOLDER, TRAINING_ROWS, SPLITS = "mh_bakeoff", 20_000, 5
BUDGETS = (4.0, 1.0, 16.0)  # the middle one first
PACKAGES = ("onearm", "numpy", "numba", "scikit-learn", "lightgbm", "xgboost", "catboost")
OPTIONS = (
    Option("only", (), "sets"),
    Option("half", "", f"{HALVES[0]} or {HALVES[1]}; both by default"),
    Option("rows", 0, "leave out sets with more rows; 0: none"),
    Option("splits", SPLITS, "of each set"),
    Option("budgets", len(BUDGETS), "how many: 4, then 1, then 16 times ExtraTrees"),
    Option("tuned", False, "play the tuned settings, too"),
    Option("on", 1, "cores"),
    Option("dry-run", False, "play nothing, tell how many runs are missing"),
    RENDER,
    OUT,
)


class Job(NamedTuple):
    """A learner on a split of a set, with a budget."""

    set: str
    learner: str
    tuned: bool
    split: int
    budget: float

    def __str__(self) -> str:
        how = "tuned" if self.tuned else "default"
        return f"{self.set}, {self.learner} ({how}), split {self.split}, budget {self.budget:g}"

    def configuration(self) -> Record:
        """Return what decides the run, also a ladder without held-out rows; and our code."""
        contender = CONTENDERS[self.learner]
        ladder = {} if contender.held_out else {"sizes": contender.sizes}
        ours = {"code": code(AdaBoostMH)} if self.learner == OURS else {}
        return {**self._asdict(), **ladder, **ours}

    def play(self, progress: OnProgress) -> Record:
        """Return error, log loss and seconds."""
        train, test_rows = divided(self.set, self.split)
        n = len(train.y)
        for _ in range(2):  # imports and compiles, uncounted
            play(self.learner, self.tuned, train.part(np.arange(min(n, 60))), test_rows, 0.0)
        unit = forest_seconds(train)
        result = play(self.learner, self.tuned, train, test_rows, self.budget * unit)
        return result | {"unit": unit, "rows": n, "versions": versions(PACKAGES), "date": now()}

    def summary(self, record: Record) -> str:
        return f"{self}: {record['error']:.4f}, {record['log_loss']:.3f}"


def divided(name: str, split: int) -> tuple[Rows, Rows]:
    """Return training and test rows of a split of a set."""
    stream = load(name)
    X, y = stream.arrays()
    order = np.random.default_rng([split, zlib.crc32(name.encode())]).permutation(len(y))
    n = min(round(0.7 * len(y)), TRAINING_ROWS)
    labels = np.unique(y[order[:n]])
    test = order[round(0.7 * len(y)) :][:TRAINING_ROWS]
    every = rows_of(np.asarray(X, float), np.searchsorted(labels, y), stream.nominal)
    every.y[~np.isin(y, labels)] = len(labels)  # never right
    return every.part(order[:n]), every.part(test)


def jobs_of(data: Sequence[Set], splits: int, budgets: int, tuned: bool) -> list[Job]:
    """Return the jobs, those that decide most first."""
    return [
        Job(one.name, learner, is_tuned, split, budget)
        for budget in BUDGETS[:budgets]
        for is_tuned in (False, True)[: 1 + tuned]
        for split in range(splits)
        for one in data
        for learner in CONTENDERS
    ]


def ledger(folder: Path) -> Ledger:
    return Ledger(folder / FOLDER / "runs.jsonl")


def main(arguments: Sequence[str]) -> int:
    options, console = parse("mh.bakeoff", __doc__, OPTIONS, arguments), Console(stderr=True)
    data = [one for one in named(list(options.only), options.half) if one.features <= WIDE]
    data = [one for one in data if not options.rows or one.rows <= options.rows]
    jobs = jobs_of(data, options.splits, options.budgets, options.tuned)
    runs, failures = ledger(options.out), list[str]()
    if options.dry_run:
        missing = len(Experiment(jobs, runs).missing())
        print_line(f"{missing:,} of {len(jobs):,} runs are missing", Console())
        return 0
    if not options.render:
        failures = play_missing(jobs, runs, console, options.on).failures
    planned = len(jobs_of(named(), SPLITS, len(BUDGETS), True))
    path = options.out / FOLDER / "README.md"
    present = Experiment(jobs_of(named(), SPLITS, len(BUDGETS), True), runs).records()
    path.write_text(bakeoff_report.report(present, planned))
    print_line(str(path), console)
    return show_failures(failures, console)
