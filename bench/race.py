"""What a race adds to its learners' own time: `python -m bench.race_speed`.

Eight linear learners play SynNonSep, 10 repeats of 100,000 rounds. Beside the race, on one core and
on all of them, the same runs by hand: a loop that makes the rows, makes the learner and plays.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

import onearm
from bench.speed import report
from onearm.racing.race import race
from onearm.streams.views import linear

FOLDER = Path(__file__).with_name("results")
LEARNERS = (
    "Perceptron", "Banditron", "SOBA", "Newtron", "ConservativeOVA", "OffsetTree", "Gaptron",
    "InverseGap",
)  # fmt: skip


def by_hand(seed: int, rounds: int) -> None:
    """Play a repeat in a loop that makes the rows for each learner."""
    for name in LEARNERS:
        stream = linear(onearm.SynNonSep(rounds, seed=seed))
        stream.learner(getattr(onearm, name), seed=seed).play(stream)


def cpu(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of this process, and what comes."""
    began = time.process_time()
    came = call()
    return time.process_time() - began, came


def measured(repeats: int, rounds: int, console: Console) -> dict[str, Any]:
    """By hand and as a race by turns, a repeat at a time on one core, then all of it on all."""
    by_hand(0, 100)
    names, seen = list(LEARNERS), dict.fromkeys(("by_hand", "race", "rows", "learners"), 0.0)
    for seed in range(repeats):
        seen["by_hand"] += cpu(partial(by_hand, seed, rounds))[0]
        rows = partial(linear, onearm.SynNonSep(rounds, seed=seed))
        seen["rows"] += cpu(lambda rows=rows: list(rows().chunks()))[0]
        alone = partial(race, "SynNonSep", names, rounds=rounds, seed=seed, on=1)
        seconds, results = cpu(alone)
        seen["race"] += seconds
        seen["learners"] += sum(run["seconds"] for run in results.runs)
        console.print(", ".join(f"{name} {s:.2f} s" for name, s in seen.items()))
    began = time.perf_counter()
    results = race("SynNonSep", names, repeats=repeats, rounds=rounds)
    return seen | {"all_cores": time.perf_counter() - began, "runs": len(results.runs)}


def write(results: dict[str, Any], folder: Path) -> None:
    """Write the page."""
    seen, sizes, facts = results["measured"], results["sizes"], results["about"]
    adds = (seen["race"] - seen["rows"] - seen["learners"]) / seen["learners"]
    met, soon = ["**no**", "yes"], seen["all_cores"] < 60
    versions = ", ".join(f"{name} {facts[name]}" for name in ("python", "onearm", "numpy", "numba"))
    (folder / "race_speed.md").write_text(f"""# What a race adds

Written by `{results["command"]}` on {facts["date"]}, {facts["cpu"]}, {versions}.
{len(LEARNERS)} linear learners, {sizes["repeats"]} repeats of {sizes["rounds"]:,} rounds of
SynNonSep: {seen["runs"]} runs.

| what | measured | demanded | met |
| --- | --- | --- | --- |
| added to the learners' own time, % | {100 * adds:.1f} | below 5 | {met[adds < 0.05]} |
| the race on all cores, s | {seen["all_cores"]:.1f} | below 60 | {met[soon]} |

The race took {seen["race"]:.2f} s of processor time on one core: {seen["learners"]:.2f} s its
learners themselves, {seen["rows"]:.2f} s their rows, which the learners of a repeat share, and the
rest is what it adds. By hand, where each learner has its rows made, the same took
{seen["by_hand"]:.2f} s.
""")


def main() -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="python -m bench.race_speed", description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    asked, console = parser.parse_args(), Console(stderr=True)
    results = {
        "command": " ".join(["python -m bench.race_speed", *sys.argv[1:]]),
        "about": report.about(), "sizes": {"repeats": asked.repeats, "rounds": asked.rounds},
        "measured": measured(asked.repeats, asked.rounds, console),
    }  # fmt: skip
    (asked.out / "race_speed.json").write_text(json.dumps(results, indent=1) + "\n")
    write(results, asked.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
