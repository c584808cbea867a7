"""Figure 3 of B10: which columns are chosen.

On DIAGONAL(10, 4, 0.1) and CHESS(10, 3, 3), 1000 rows each, only the first 4 and 3 columns matter.
Stumps are boosted for 10,000 rounds, a hundred times: how often is each column used? Also after 100
and 1000 rounds: in the end all policies come close to even shares, since the information of the
useful columns is used up.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from onearm import Chess, Diagonal
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from onearm.mh.classifier import AdaBoostMH
from papers.b10.paper import POLICIES
from papers.b10.runs import PACKAGES
from papers.claims import Claim, claims_table, count, holds_if
from papers.figures import subplots
from papers.markdown import table
from papers.replication import Options, Replication, Request
from papers.trial import Trial

ROWS, COLUMNS, ROUNDS, RUNS = 1000, 10, 10_000, 100
STAGES = (100, 1000, ROUNDS)
TASKS = {"DIAGONAL(10, 4, 0.1)": 4, "CHESS(10, 3, 3)": 3}  # how many columns matter
EXP3P: dict[str, Any] = {"lam": 0.3, "eta": 0.3, "arms_per_round": 1}
BANDITS = ("ucb", "ucbv", "exp3p")  # of the paper
ALMOST = 0.5  # of FULL's excess over even shares


@dataclass(frozen=True, order=True)
class Job(Trial):
    """What is to be played: all runs of one policy on one task."""

    task: str
    arms: str
    runs: int

    def constants(self) -> Record:
        """Return what is the same for all jobs."""
        return {"stages": STAGES}

    def play(self, progress: OnProgress) -> Record:
        """Return the mean shares of the columns after each stage."""
        shares = np.mean([self.shares(seed) for seed in range(self.runs)], axis=0)
        return {"shares": shares.tolist(), "versions": versions(PACKAGES)}

    def shares(self, seed: int) -> list[list[float]]:
        """Return the shares of the columns after each stage of one run."""
        model = AdaBoostMH("stump", n_rounds=ROUNDS, arms=self.arms, random_state=seed, **EXP3P)
        model.fit(*rows(self.task, seed))
        used = model.ensemble_.column[:, 0]
        used = used[used >= 0]
        return [(np.bincount(used[:t], minlength=COLUMNS) / len(used[:t])).tolist() for t in STAGES]


def rows(task: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of a run."""
    if task.startswith("DIAGONAL"):
        return Diagonal(ROWS, COLUMNS, 4, noise=0.1, seed=seed).arrays()
    return Chess(ROWS, COLUMNS, 3, 3, seed=seed).arrays()


def jobs(request: Request, _: list[Record]) -> list[Job]:
    """Return a job for each task and policy."""
    return [Job(task, arms, request.options.runs or RUNS) for task in TASKS for arms in POLICIES]


def claims(records: list[Record]) -> list[Claim]:
    """Return what the paper says of Figure 3, task by task, after all rounds."""
    tested = []
    for task, useful in TASKS.items():
        runs = [run for run in records if run["task"] == task]
        shares = {run["arms"]: sum(run["shares"][-1][:useful]) for run in runs}
        if shares.keys() >= {"full", *BANDITS}:
            tested += [claim for arms in BANDITS for claim in _claims_of(task, arms, shares)]
    return tested


def _claims_of(task: str, arms: str, shares: dict[str, float]) -> list[Claim]:
    name, even = POLICIES[arms], TASKS[task] / COLUMNS
    almost = shares[arms] >= even + ALMOST * (shares["full"] - even)
    ours = f"{name} {100 * shares[arms]:.1f}"
    numbers = f"{ours}, FULL {100 * shares['full']:.1f}, even {100 * even:.1f}"
    if arms == "ucb" and task.startswith("DIAGONAL"):
        says = "UCB fails to discover the columns that matter"
        return [Claim(says, task, holds_if(not almost), numbers)]
    most = f"{name} chooses columns that matter most of the time"
    often = f"{name} chooses them almost as frequently as FULL"
    return [
        Claim(most, task, holds_if(shares[arms] > 0.5), ours),
        Claim(often, task, holds_if(almost), numbers),
    ]


def text(records: list[Record], _: Options) -> list[str]:
    """Return the share of the columns that matter, in Markdown."""
    lines = [
        [run["task"], f"{TASKS[run['task']] / COLUMNS:.3f}", POLICIES[run["arms"]],
         *(f"{sum(stage[:TASKS[run['task']]]):.3f}" for stage in run["shares"])]
        for run in records
    ]  # fmt: skip
    head = ["task", "if even", "policy", *(f"{t:,} rounds" for t in STAGES)]
    runs = ", ".join(f"{n} of {RUNS} runs" for n in sorted({run["runs"] for run in records}))
    tested = claims(records)
    notes = f"""\
Stumps, {ROWS} rows of {COLUMNS} columns, {runs}; EXP3.P with λ = η = 0.3. The share of rounds that
use one of the columns that matter:"""
    almost = f"""\
"Almost as frequently" is here at least half of FULL's excess over even shares. {count(tested)}"""
    return [
        notes, table(head, lines), "## What the paper concludes", almost, claims_table(tested),
        "FULL itself is near even shares after 10,000 rounds, and below a half after 100.",
    ]  # fmt: skip


def draw(records: list[Record], path: Path) -> None:
    """Draw a panel for each task and stage."""
    figure, panels = subplots(len(TASKS), len(STAGES), (12, 6), sharex=True, sharey="row")
    for row, task in zip(panels, TASKS, strict=True):
        for stage, axes in enumerate(row):
            for run in (run for run in records if run["task"] == task):
                shares, name = run["shares"][stage], POLICIES[run["arms"]]
                axes.plot(range(1, COLUMNS + 1), shares, "o-", label=name, ms=3)
            axes.axvline(TASKS[task] + 0.5, color="grey", lw=0.8, ls=":")
            axes.set_title(f"{task}, {STAGES[stage]:,} rounds", fontsize=9)
    panels[0, 0].legend(fontsize=8)
    figure.supxlabel("column; those to the left of the dotted line matter")
    figure.supylabel("share of the rounds that use it")
    figure.savefig(path, dpi=120)


REPLICATION = Replication(
    stages=(jobs,), title="Which columns are chosen (Figure 3 of B10)", report="features.md",
    text=text, figure="features.png", draw=draw,
    defaults=Options(runs=RUNS), quick=Options(runs=2), ledger="features.jsonl",
    claims={"b10.figure3": claims},
)  # fmt: skip
