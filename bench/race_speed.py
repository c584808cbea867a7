"""What a race adds to its learners' own time: `python -m bench.race_speed`.

Eight linear learners play SynNonSep, 10 repeats of 100,000 rounds. Beside the race, on one core and
on all of them, the same runs by hand: a loop that makes the rows, makes the learner and plays.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console

import onearm
from bench import report
from onearm.racing.race import Results, race
from onearm.streams.views import linear

FOLDER = Path(__file__).with_name("results")
LEARNERS = (
    "Perceptron", "Banditron", "SOBA", "Newtron", "ConservativeOVA", "OffsetTree", "Gaptron",
    "InverseGap",
)  # fmt: skip


def by_hand(repeats: int, rounds: int) -> float:
    """Seconds of the loop."""
    began = time.perf_counter()
    for seed in range(repeats):
        for name in LEARNERS:
            stream = linear(onearm.SynNonSep(rounds, seed=seed))
            stream.learner(getattr(onearm, name), seed=seed).play(stream)
    return time.perf_counter() - began


def raced(repeats: int, rounds: int, on: str | int) -> tuple[float, Results]:
    """Seconds of the race, and its results."""
    began = time.perf_counter()
    results = race("SynNonSep", list(LEARNERS), repeats=repeats, rounds=rounds, on=on)
    return time.perf_counter() - began, results


def measured(repeats: int, rounds: int, console: Console) -> dict[str, Any]:
    """All three by turns, a repeat at a time where they are on one core."""
    by_hand(1, 100)
    hand = one = own = 0.0
    for _ in range(repeats):
        hand += by_hand(1, rounds)
        seconds, results = raced(1, rounds, 1)
        one, own = one + seconds, own + sum(run["seconds"] for run in results.runs)
        console.print(f"by hand {hand:.1f} s, the race {one:.1f} s, its learners {own:.1f} s")
    every, results = raced(repeats, rounds, "all-cores")
    return {"by_hand": hand, "one_core": one, "learners": own, "all_cores": every,
            "runs": len(results.runs)}  # fmt: skip


def write(results: dict[str, Any], folder: Path) -> None:
    """Write the page."""
    seen, sizes = results["measured"], results["sizes"]
    ratio = seen["one_core"] / seen["by_hand"]
    met = "yes" if ratio < 1.05 else "**no**"
    soon = "yes" if seen["all_cores"] < 60 else "**no**"
    facts = results["about"]
    versions = ", ".join(f"{name} {facts[name]}" for name in ("python", "onearm", "numpy", "numba"))
    (folder / "race_speed.md").write_text(f"""# What a race adds

Written by `{results["command"]}` on {facts["date"]}, {facts["cpu"]}, {versions}. {len(LEARNERS)} linear learners, {sizes["repeats"]} repeats of
{sizes["rounds"]:,} rounds of SynNonSep: {seen["runs"]} runs. Wall-clock seconds, once.

| what | measured | demanded | met |
| --- | --- | --- | --- |
| the race on one core over the same runs by hand | {ratio:.3f} | below 1.05 | {met} |
| the race on all cores, s | {seen["all_cores"]:.1f} | below 60 | {soon} |

By hand {seen["by_hand"]:.1f} s: each run makes its rows. The race {seen["one_core"]:.1f} s: the learners
of a repeat share them. Of that the learners themselves, without the rows, took
{seen["learners"]:.1f} s of processor time.
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
