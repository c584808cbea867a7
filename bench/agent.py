"""An agent by dict: rounds per second of choose and update.

10 mixed columns (5 numbers, 4 categories of 4 values, a hashed category of 500), 10 labels: each
round makes a decision for a dict and learns from its reward. `encode` is the part of the schema,
which runs in both halves. Writes results/agent.json and .md.
"""

import argparse
from functools import partial
from typing import Any

import numpy as np

import onearm
from bench.benchmark import Option, Requirement, Results, TimedBenchmark, written_by
from bench.timing import Timing, one_core
from papers.markdown import table

FLOORS = {"InverseGap": 20_000, "Chorus": 4_000}  # rounds per second, at least
LABELS = [f"label {r}" for r in range(10)]
VALUES = ["a", "b", "c", "d"]
NUMBERS, CATEGORIES = [f"number {j}" for j in range(5)], [f"category {j}" for j in range(4)]
COLUMNS: dict[str, Any] = {
    **dict.fromkeys(NUMBERS, "number"), **dict.fromkeys(CATEGORIES, VALUES), "city": "category",
}  # fmt: skip
OPTIONS = (Option("rounds", 1000, "of a repeat"), Option("repeats", 60, "of each learner"))


def contexts(n: int) -> list[dict[str, Any]]:
    """Return n dicts, as they come from JSON."""
    rng = np.random.default_rng(0)
    return [
        {
            **dict(zip(NUMBERS, rng.normal(size=5).tolist(), strict=True)),
            **{name: VALUES[code] for name, code in zip(CATEGORIES, rng.integers(4, size=4))},  # noqa: B905
            "city": f"city {rng.integers(500)}",
        }
        for _ in range(n)
    ]


def play(agent: onearm.Agent, rows: list[dict[str, Any]], key: bool = False) -> None:
    """Choose and update for each row; a category decides which label is paid."""
    for t, row in enumerate(rows):
        choice = agent.choose(row, key=t if key else None)
        agent.update(row, choice, 1.0 if choice.label == LABELS[ord(row["category 0"]) - 97] else 0)


def measure(options: argparse.Namespace) -> Results:
    one_core()
    rows = contexts(options.rounds)
    schema = onearm.Schema(COLUMNS)
    runs = {"encode twice": partial(lambda rows: [schema.encode(x) for x in rows + rows], rows)}
    for name in FLOORS:
        for key in (False, True):
            agent = onearm.Agent(LABELS, COLUMNS, name)
            play(agent, rows[:100], key)
            runs[f"{name}, keys" if key else name] = partial(play, agent, rows, key)
    timings = {name: Timing(len(rows)) for name in runs}
    for _ in range(options.repeats):  # by turns: what else the machine does hits all of them
        for name, run in runs.items():
            with timings[name].running():
                run()
    measured = {name: timing.record() for name, timing in timings.items()}
    return {"sizes": {"rounds": options.rounds, "repeats": options.repeats}, "measured": measured}


def requirements(results: Results) -> list[Requirement]:
    rates = {name: run["rows_per_cpu_second"] for name, run in results["measured"].items()}
    return [
        Requirement(f"{name}, rounds per second", rates[name], "≥", floor)
        for name, floor in FLOORS.items()
    ]


def report(results: Results) -> str:
    required = dict(zip(FLOORS, requirements(results), strict=True))
    rows = []
    for name, run in results["measured"].items():
        bound = required.get(name)
        rate = run["rows_per_cpu_second"]
        bound_and_met = ["", ""]
        if bound:
            bound_and_met = [f"at least {bound.bound:,}", "yes" if bound.met else "**no**"]
        rows.append([name, f"{rate:,.0f}", f"{1e6 / rate:.1f}", *bound_and_met])
    return f"""# An agent by dict

{written_by(results)}
A round is a choice and an update for a dict of 10 mixed columns, with {len(LABELS)} labels, on one
core; the best of {results["sizes"]["repeats"]} repeats of {results["sizes"]["rounds"]:,} rounds.
`keys`: each choice is sampled by a key.

{table(["what", "rounds per CPU second", "µs", "required", "met"], rows)}
"""


main = TimedBenchmark("agent", __doc__, "agent", measure, report, None, requirements, OPTIONS).main
