"""Learners on the development half, without recording anything: error, and ratio to ExtraTrees.

For research on Chorus: `python -m bench bakeoff.trial --repeats 2`, with parameters as
`--parameters waves=512 seed=1`, on some sets only with `--only letter covtype`.
"""

import ast
import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from bench.bakeoff.plan import ledger
from bench.bakeoff.rivals import EXTRA_TREES
from bench.bakeoff.runs import play
from bench.bakeoff.sets import DEVELOPMENT, named, repeat
from bench.benchmark import OUT, Option, parse
from bench.chorus.learners import Run
from onearm.experiments.run import print_line

OPTIONS = (
    Option("learners", ("Chorus",), "class names"),
    Option("only", (), "sets"),
    Option("parameters", (), "of all learners: name=value"),
    Option("repeats", 1, "how many shuffles"),
    Option("rows", 60_000, "sets of more rows are left out"),
    OUT,
)  # fmt: skip


def errors(folder: Path, algorithm: str) -> dict[tuple[str, int], float]:
    """Return the recorded errors of an algorithm by set and repeat."""
    records = ledger(folder, algorithm).records().values()
    return {(record["set"], record["repeat"]): record["error"] for record in records}


def parameter(text: str) -> tuple[str, object]:
    """Return name and value of a text.

    >>> parameter("waves=512"), parameter("rule=fast")
    (('waves', 512), ('rule', 'fast'))
    """
    name, _, value = text.partition("=")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value


def trial(
    learner: str, given: dict, names: Sequence[str], repeats: int, folder: Path, console: Console
) -> dict[str, float]:
    """Play a learner and return its ratio to ExtraTrees, over the same repeats, by set."""
    reference, ratios = errors(folder, EXTRA_TREES), {}
    for name in names:
        runs: list[Run] = []
        wall = time.perf_counter()
        for seed in range(repeats):
            runs.append(play(repeat(name, seed), learner, given, seed))
        error = [1 - run.correct.mean() for run in runs]
        full = [reference[name, i] for i in range(repeats) if (name, i) in reference]
        text = f"{learner:14} {name:22} {np.mean(error):.4f}"
        if full:
            ratios[name] = float(np.mean(error[: len(full)]) / max(np.mean(full), 1e-9))
            text += f"  ExtraTrees {np.mean(full):.4f}  ratio {ratios[name]:.3f}"
        rate = sum(len(run.correct) for run in runs) / max(1e-9, sum(run.seconds for run in runs))
        text += f"  {rate:,.0f} rounds/s  {time.perf_counter() - wall:.1f} s"
        print_line(text, console)
    return ratios


def main(arguments: Sequence[str]) -> int:
    options, console = parse("bakeoff.trial", __doc__, OPTIONS, arguments), Console()
    given = dict(map(parameter, options.parameters))
    chosen = named(list(options.only), DEVELOPMENT)
    names = [data.name for data in chosen if data.rounds <= options.rows]
    for learner in options.learners:
        ratios = trial(learner, given, names, options.repeats, options.out, console)
        if ratios:
            mean = math.exp(np.mean(np.log(list(ratios.values()))))
            largest = max(ratios, key=lambda name: ratios[name])
            text = f"{learner}: geometric mean of {len(ratios)} ratios {mean:.4f}"
            print_line(f"{text}, largest {ratios[largest]:.3f} ({largest})", console)
    return 0
