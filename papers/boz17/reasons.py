"""Likely reasons of claims of BOZ17 that do not hold here, each tested by a run.

more rounds   Reuters has 6,387 rows, where the paper has hundreds of thousands: here they are
              played in several passes, each in another order, and the last pass is counted
larger ball   PNewtron keeps to a ball of radius D = 1, where columns of Covtype add up to
              longer rows and weights: here with larger D
"""

from dataclasses import dataclass
from typing import Any

from onearm import Stream
from onearm.experiments.job import OnProgress, Record
from papers.boz17 import runs
from papers.boz17.runs import SIZES, load
from papers.markdown import table
from papers.records import select
from papers.replication import Options, Replication
from papers.verdicts import mean

PASSES = (1, 10, 50)
PASS_POWERS = (4, 7, 10, 13)  # γ = 2 to minus these
RADII, RADIUS_POWERS = (1.0, 10.0, 100.0), (4, 7, 12)
ROUNDS = 100_000  # of Covtype
RUNS = 3


@dataclass(frozen=True, order=True)
class Job(runs.Job):
    """A run with several passes over the rows, or with another radius of PNewtron's ball."""

    passes: int = 1
    D: float = 1.0

    def parameters(self) -> dict[str, Any]:
        """Return the learner's parameters."""
        return super().parameters() | ({"D": self.D} if self.learner == "PNewtron" else {})

    def play(self, progress: OnProgress) -> Record:
        """Return the error in the last pass."""
        learner, rows = self.make(), load(self.data)
        error = 1.0
        for number in range(self.passes):
            X, y = rows.shuffled(1000 * self.seed + number).first(self.rounds).arrays()
            correct = learner.play(Stream.of(X, y, SIZES[self.data][0])).correct
            error = float((~correct).mean())
        return {"error": round(error, 6)}


def jobs(*_: Any) -> list[Job]:
    """Return every run."""
    return [
        *(Job("reuters", learner, power, seed, ROUNDS, passes)
          for learner in ("Banditron", "SOBAdiag") for power in PASS_POWERS
          for passes in PASSES for seed in range(RUNS)),
        *(Job("covtype", "PNewtron", power, seed, ROUNDS, D=D)
          for power in RADIUS_POWERS for D in RADII for seed in range(RUNS)),
    ]  # fmt: skip


def text(records: list[Record], _: Options) -> list[str]:
    """Return both tables in Markdown."""

    def shown(**cell: Any) -> str:
        return mean([100 * run["error"] for run in select(records, **cell)], 2)

    passes = [
        [learner, f"2^-{power}", *(shown(data="reuters", learner=learner, power=power, passes=n)
                                   for n in PASSES)]
        for learner in ("Banditron", "SOBAdiag") for power in PASS_POWERS
    ]  # fmt: skip
    radii = [
        [f"2^-{power}", *(shown(data="covtype", power=power, D=D) for D in RADII)]
        for power in RADIUS_POWERS
    ]
    return [
        f"Errors in percent; {RUNS} runs, ± half the width of a 95 % interval.",
        "Reuters, error in a pass over the rows; each pass is shuffled anew:",
        table(["learner", "γ", *(f"pass {n}" for n in PASSES)], passes),
        f"PNewtron on {ROUNDS:,} shuffled rows of Covtype, scaled, by the radius of its ball:",
        table(["γ", *(f"D = {D:g}" for D in RADII)], radii),
    ]


REPLICATION = Replication(
    stages=(jobs,), title="Reasons why claims of BOZ17 do not hold", report="reasons.md", text=text,
    ledger="reasons.jsonl", names=(("reuters", "covtype"),),
)  # fmt: skip
