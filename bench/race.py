"""What a race adds to the time of its learners.

Eight linear learners play SynNonSep, by default 10 repeats of 100,000 rounds: as a race, on one
core and on all, and in a loop that generates the rows, makes the learner and plays. Writes
results/race_speed.json and .md.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rich.console import Console

import onearm
from bench.benchmark import Option, Requirement, Results, TimedBenchmark, written_by
from onearm.racing.race import race
from papers.markdown import table

LEARNERS = (
    "Perceptron", "Banditron", "SOBA", "Newtron", "ConservativeOVA", "OffsetTree", "Gaptron",
    "InverseGap",
)  # fmt: skip
ADDED, ALL_CORES = 5, 60  # per cent, seconds
OPTIONS = (Option("repeats", 10, "of each learner"), Option("rounds", 100_000, "of a repeat"))


def loop(seed: int, rounds: int) -> None:
    """Play a repeat in a loop that generates the rows for each learner."""
    for name in LEARNERS:
        stream = onearm.SynNonSep(rounds, seed=seed)
        stream.learner(getattr(onearm, name), seed=seed).play(stream)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of a call, and its result."""
    began = time.process_time()
    result = call()
    return time.process_time() - began, result


def measure(options: argparse.Namespace) -> Results:
    """Time loop and race by turns, a repeat at a time on one core, then the race on all cores."""
    repeats, rounds, console = options.repeats, options.rounds, Console(stderr=True)
    loop(0, 100)
    names, total = list(LEARNERS), dict.fromkeys(("loop", "race", "rows", "learners"), 0.0)
    for seed in range(repeats):
        total["loop"] += timed(partial(loop, seed, rounds))[0]
        rows = partial(onearm.SynNonSep, rounds, seed=seed)
        total["rows"] += timed(lambda rows=rows: list(rows().chunks()))[0]
        alone = partial(race, "SynNonSep", names, rounds=rounds, seed=seed, on=1)
        seconds, results = timed(alone)
        total["race"] += seconds
        total["learners"] += sum(run["seconds"] for run in results.runs)
        console.print(", ".join(f"{name} {s:.2f} s" for name, s in total.items()))
    began = time.perf_counter()
    results = race("SynNonSep", names, repeats=repeats, rounds=rounds)
    all_cores = {"all_cores": time.perf_counter() - began, "runs": len(results.runs)}
    return {"sizes": {"repeats": repeats, "rounds": rounds}, "measured": total | all_cores}


def requirements(results: Results) -> list[Requirement]:
    total = results["measured"]
    added = 100 * (total["race"] - total["rows"] - total["learners"]) / total["learners"]
    return [
        Requirement("added to the time of the learners, %", added, "<", ADDED),
        Requirement("the race on all cores, s", total["all_cores"], "<", ALL_CORES),
    ]


def report(results: Results) -> str:
    total, sizes = results["measured"], results["sizes"]
    rows = [
        [r.what, f"{r.value:.1f}", f"below {r.bound:g}", "yes" if r.met else "**no**"]
        for r in requirements(results)
    ]
    return f"""# What a race adds

{written_by(results)}
{len(LEARNERS)} linear learners, {sizes["repeats"]} repeats of {sizes["rounds"]:,} rounds of
SynNonSep: {total["runs"]} runs.

{table(["what", "measured", "required", "met"], rows)}

The race took {total["race"]:.2f} s of CPU time on one core: {total["learners"]:.2f} s for the
learners, {total["rows"]:.2f} s for the rows, which the learners of a repeat share, and the rest is
what it adds. A loop that generates the rows for each learner took {total["loop"]:.2f} s.
"""


main = TimedBenchmark(
    "race", __doc__, "race_speed", measure, report, None, requirements, OPTIONS
).main
