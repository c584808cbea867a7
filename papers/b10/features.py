"""Figure 3 of B10: which columns are chosen, `onearm papers b10.figure3`.

On DIAGONAL(10, 4, 0.1) and CHESS(10, 3, 3), 1000 rows each, only the first 4 and 3 columns matter.
Stumps are boosted for 10,000 rounds, a hundred times; how often was each column the one used? Also
after 100 and 1000 rounds: in the end all policies come close to even shares, since what the useful
columns had to give is used up. Writes results/b10/features.json, .md and .png.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

from onearm import Chess, Diagonal
from onearm.mh.classifier import AdaBoostMH
from papers import RESULTS, facts
from papers.b10.paper import POLICIES
from papers.markdown import table
from papers.pool import everywhere

FOLDER = RESULTS / "b10"
ROWS, COLUMNS, ROUNDS, RUNS = 1000, 10, 10_000, 100
STAGES = (100, 1000, ROUNDS)
TASKS = {"DIAGONAL(10, 4, 0.1)": 4, "CHESS(10, 3, 3)": 3}  # how many columns matter
EXP3P: dict[str, Any] = {"lam": 0.3, "eta": 0.3}


class Job(NamedTuple):
    task: str
    arms: str
    seed: int


def rows(job: Job) -> tuple[np.ndarray, np.ndarray]:
    if job.task.startswith("DIAGONAL"):
        return Diagonal(ROWS, COLUMNS, 4, noise=0.1, seed=job.seed).arrays()
    return Chess(ROWS, COLUMNS, 3, 3, seed=job.seed).arrays()


def play(job: Job) -> list[list[float]]:
    """The shares of the columns after each stage."""
    model = AdaBoostMH(n_rounds=ROUNDS, arms=job.arms, random_state=job.seed, **EXP3P)
    model.fit(*rows(job))
    used = model.ensemble_.column[:, 0]
    used = used[used >= 0]
    return [(np.bincount(used[:t], minlength=COLUMNS) / len(used[:t])).tolist() for t in STAGES]


def draw(shares: dict[str, Any], path: Path) -> None:
    """A panel for each task, the shares over all rounds."""
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(
        len(TASKS), len(STAGES), figsize=(12, 6), sharex=True, sharey="row", layout="constrained"
    )
    for row, task in zip(panels, TASKS, strict=True):
        for axes, stage in zip(row, range(len(STAGES)), strict=True):
            for arms, name in POLICIES.items():
                axes.plot(range(1, COLUMNS + 1), shares[task][arms][stage], "o-", label=name, ms=3)
            axes.axvline(TASKS[task] + 0.5, color="grey", lw=0.8, ls=":")
            axes.set_title(f"{task}, {STAGES[stage]:,} rounds", fontsize=9)
    panels[0, 0].legend(fontsize=8)
    figure.supxlabel("column; those to the left of the dotted line matter")
    figure.supylabel("share of the rounds that use it")
    figure.savefig(path, dpi=120)


def text(shares: dict[str, Any], results: dict[str, Any]) -> str:
    """The share of the columns that matter, in Markdown."""
    lines = [
        [task, f"{useful / COLUMNS:.3f}", POLICIES[arms],
         *(f"{sum(stage[:useful]):.3f}" for stage in shares[task][arms])]
        for task, useful in TASKS.items()
        for arms in POLICIES
    ]  # fmt: skip
    head = ["task", "if even", "policy", *(f"{t:,} rounds" for t in STAGES)]
    facts = results["about"]
    versions = ", ".join(f"{name} {facts[name]}" for name in ("python", "onearm", "numpy", "numba"))
    return f"""# Which columns are chosen (Figure 3 of B10)

Written by `{results["command"]}` on {facts["date"]}; {versions}; {results["runs"]} of {RUNS} runs.
Stumps, {ROWS} rows of {COLUMNS} columns; EXP3.P with λ = η = 0.3. The share of rounds that use one
of the columns that matter:

{table(head, lines)}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="onearm papers b10.figure3")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    asked, console = parser.parse_args(), Console(stderr=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    jobs = [
        Job(task, arms, seed) for task in TASKS for arms in POLICIES for seed in range(asked.runs)
    ]
    AdaBoostMH(n_rounds=1).fit(*rows(jobs[0]))  # compiles
    found: dict[str, dict[str, list]] = {task: {arms: [] for arms in POLICIES} for task in TASKS}
    for job, seen in track(everywhere(play, jobs), "playing", len(jobs), console=console):
        if isinstance(seen, BaseException):
            raise seen
        found[job.task][job.arms].append(seen)
    shares = {
        task: {arms: np.mean(runs, axis=0).tolist() for arms, runs in seen.items()}
        for task, seen in found.items()
    }
    results = {
        "command": " ".join(["onearm papers b10.figure3", *sys.argv[1:]]),
        "about": facts.about(), "runs": asked.runs, "stages": STAGES, "shares": shares,
    }  # fmt: skip
    (asked.out / "features.json").write_text(json.dumps(results, indent=1) + "\n")
    (asked.out / "features.md").write_text(text(shares, results))
    draw(shares, asked.out / "features.png")
    console.print(f"{len(jobs)} runs: {asked.out / 'features.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
