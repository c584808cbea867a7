"""Hoeffding trees beside those of MOA and River, measured by turns in one run.

All test and then train on the same rows in the same order, on one core, with the same settings.
Writes results/trees.json and trees.md, and fails where a requirement is not met.

MOA runs through CapyMOA, each turn in a new process, since the speed of a JVM differs from one
start to the next. There it plays the stream for seconds before it is timed.
"""

import argparse
import gc
import json
import math
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

import onearm
from bench.benchmark import Option, Results, TimedBenchmark, parse
from bench.timing import Timing, child, one_core
from bench.trees import moa
from bench.trees.data import (
    DELTA,
    ENTRIES,
    GRACE_PERIOD,
    OURS,
    RIVER,
    SEED,
    SPLITS,
    TAU,
    Table,
    load,
)  # fmt: skip
from bench.trees.moa import CALLED, CALLS, FREE, FUNCTION, WAYS, Entry
from bench.trees.report import PACKAGES, report, requirements

SIZES = (
    Option("rows", 100_000, "rows of a repeat, at least"),
    Option("river", 10_000, "rows for River"),
    Option("repeats", 5, "of each turn"),
    Option("warm", 15.0, "CPU seconds before MOA is timed"),
)
OPTIONS = (
    Option("data", tuple(ENTRIES), "data sets", ENTRIES),
    Option("turns", 3, "of each contestant"),
    *SIZES,
    Option("quick", False, "try it out: one turn, two repeats"),
)


def ours(data: Table) -> Entry:
    """Return how our tree is made and plays the stream."""
    settings = {"grace_period": GRACE_PERIOD, "delta": DELTA, "tau": TAU, "n_splits": SPLITS}
    sizes = {"n_classes": data.k, "n_features": len(data.columns), "nominal": data.nominal}
    return (
        lambda: onearm.HoeffdingTree(**sizes, **settings),
        lambda learner: learner.play(data.X, data.y).label,
    )


def river(data: Table, n: int) -> Entry:
    """Return the same of River's tree, on dicts made before."""
    from river.tree import HoeffdingTreeClassifier

    rows = [dict(zip(data.columns, x, strict=True)) for x in data.X[:n].tolist()]
    y = data.y[:n].tolist()
    nominal = [column for column, m in zip(data.columns, data.nominal, strict=True) if m]
    settings = {"grace_period": GRACE_PERIOD, "delta": DELTA, "tau": TAU}  # and its defaults

    def play(model: Any) -> list[int | None]:
        labels = []
        for x, truth in zip(rows, y, strict=True):
            labels.append(model.predict_one(x))
            model.learn_one(x, truth)
        return labels

    return lambda: HoeffdingTreeClassifier(nominal_attributes=nominal, **settings), play


def timed(n: int, passes: int, repeats: int, entry: Entry) -> tuple[Timing, Any]:
    """Play the stream `passes` times from the start as one repeat; also return the last labels.

    Making the learner is not counted.
    """
    timing, (make, play) = Timing(n * passes), entry
    for _ in range(repeats):
        parts = Timing()
        for _ in range(passes):
            model = make()
            with parts.running():
                labels = play(model)
        timing.cpu.append(sum(parts.cpu))
        timing.wall.append(sum(parts.wall))
    return timing, labels


def accuracies(labels: Any, y: np.ndarray, *lengths: int) -> dict[str, float]:
    numbers = np.array([-1 if label is None else int(label) for label in labels])
    correct = numbers == y[: len(numbers)]
    return {str(n): float(correct[:n].mean()) for n in lengths if n <= len(correct)}


def in_jvm(arguments: Sequence[str]) -> Results:
    """Warm up, time and score one way of running MOA on one data set, in this process."""
    name, way, *rest = arguments
    options = parse("trees", __doc__, SIZES, rest)
    data = load(name)
    entry = moa.tree(data, way, grace_period=GRACE_PERIOD, confidence=DELTA, tie_threshold=TAU)
    n = min(CALLED, len(data.y)) if way == CALLS else len(data.y)
    warming: list[float] = []  # rows per CPU second of each run from the first
    while sum(n / rate for rate in warming) < options.warm or len(warming) < 2:
        warming.append(timed(n, 1, 1, entry)[0].rate())
    passes = 1 if way == CALLS else math.ceil(options.rows / n)
    timing, outcome = timed(n, passes, options.repeats, entry)
    if way == FUNCTION:
        accuracy = {str(n): outcome.cumulative.accuracy() / 100}
    else:
        labels = outcome if way == CALLS else outcome.predictions
        accuracy = accuracies(labels, data.y, options.river, len(data.y))
    return {"timing": vars(timing), "warming": warming, "accuracy": accuracy, "java": moa.java()}


def turn(contestant: str, data: Table, options: argparse.Namespace) -> Results:
    """Return timing and accuracy of one turn; for MOA also what is known of its JVM."""
    n, first = len(data.y), min(options.river, len(data.y))
    if contestant in WAYS:
        sizes = [f"--{option.name}={getattr(options, option.name)}" for option in SIZES]
        command = [sys.executable, "-m", "bench.trees.contest", data.name, contestant, *sizes]
        measured = json.loads(child(command, free=contestant == FREE).splitlines()[-1])
        return {**measured, "timing": Timing(**measured["timing"])}
    entry = ours(data) if contestant == OURS else river(data, first)
    gc.collect()
    gc.freeze()  # or the garbage collector visits River's rows again while the clock runs
    if contestant == OURS:
        timed(n, 1, 1, entry)  # compiles
        timing, labels = timed(n, math.ceil(options.rows / n), options.repeats, entry)
    else:
        timing, labels = timed(first, 1, 1, entry)
    gc.unfreeze()
    return {"timing": timing, "accuracy": accuracies(labels, data.y, first, n)}


def contest(data: Table, options: argparse.Namespace, done: Callable[[], Any]) -> Results:
    """Measure all contestants on one data set, by turns."""
    turns, order = defaultdict(list), Random(SEED)
    contestants = [OURS, *WAYS, RIVER]
    for _ in range(options.turns):
        for name in order.sample(contestants, len(contestants)):
            turns[name].append(turn(name, data, options))
            done()
    return {**data.record(), "contestants": {name: _record(name, turns) for name in contestants}}


def _record(name: str, turns: dict[str, list[Results]]) -> Results:
    ours, timing = _joined(turns[OURS]), _joined(turns[name])
    ratios = {clock: ours.rate(clock) / timing.rate(clock) for clock in ("cpu", "wall")}
    last = turns[name][-1]
    more = {key: last[key] for key in ("accuracy", "java") if key in last}
    if name in WAYS:
        more["warming"] = [turn["warming"] for turn in turns[name]]
    return {**timing.record(), "worst": timing.rows / max(timing.cpu), **more, "ratios": ratios}


def _joined(turns: list[Results]) -> Timing:
    timings = [turn["timing"] for turn in turns]
    cpu, wall = ([s for t in timings for s in getattr(t, clock)] for clock in ("cpu", "wall"))
    return Timing(timings[0].rows, cpu, wall)


def measure(options: argparse.Namespace) -> Results:
    if options.quick:
        options.river, options.turns, options.repeats, options.warm = 2_000, 1, 2, 3
    one_core()
    data = {}
    console, steps = Console(stderr=True), len(options.data) * options.turns * (2 + len(WAYS))
    with tempfile.TemporaryDirectory() as folder, Progress(console=console) as progress:
        os.environ["CAPYMOA_DATASETS_DIR"] = folder  # or it makes one here
        task = progress.add_task("trees", total=steps)
        for name in options.data:
            data[name] = contest(load(name), options, lambda: progress.advance(task))
    sizes = {name: getattr(options, name) for name in ("rows", "river", "turns", "repeats", "warm")}
    return {**sizes, "data": data}


main = TimedBenchmark(
    "trees", __doc__, "trees", measure, report, None, requirements, OPTIONS, PACKAGES
).main

if __name__ == "__main__":
    print(json.dumps(in_jvm(sys.argv[1:])))
