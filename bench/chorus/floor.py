"""What a floor on the chance of every label costs Chorus, on eight streams.

Stores each run in results/chorus/floor.jsonl and writes floor.md there; re-running plays what is
missing. Seed s is that of the order, of the features and of the draws; elec2 has a single order.
"""

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.benchmark import PlayedBenchmark
from bench.chorus.streams import stream, title
from bench.timing import now
from onearm import Chorus
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from papers.markdown import table
from papers.playing import play_timed

STREAMS = ("balance", "mice", "pendigits", "letter", "car", "nursery", "elec2", "usps")
FLOORS = (0.0, 0.002, 0.005, 0.01, 0.02, 0.05)  # times the number of labels
REPEATS = 3


class Job(NamedTuple):
    """A run of Chorus with a floor on a repeat of a stream."""

    stream: str
    floor: float  # times the number of labels: the share of choices that are at random
    seed: int

    def configuration(self) -> Record:
        """Return what identifies the run; other code is no other run."""
        return self._asdict()

    def play(self, progress: OnProgress) -> Record:
        rows = stream(self.stream, self.seed)
        learner = rows.learner(Chorus, seed=self.seed, floor=self.floor / rows.n_classes)
        correct, seconds = play_timed(learner, rows)
        return {
            "n_classes": rows.n_classes, "rounds": len(correct),
            "error": float(1.0 - correct.mean()), "cpu_seconds": round(seconds, 3),
            "versions": versions(), "date": now(),
        }  # fmt: skip

    def summary(self, record: Record) -> str:
        run = f"floor {self.floor}/m on {self.stream}, seed {self.seed}"
        return f"{run}: {record['error']:.4f} in {record['cpu_seconds']:.1f} s"


def jobs() -> list[Job]:
    return [
        Job(name, floor, seed)
        for name in STREAMS
        for seed in range(1, REPEATS + 1)
        for floor in FLOORS
    ]


def report(records: list[Record]) -> str:
    errors: dict[tuple[str, float], list[float]] = defaultdict(list)
    for record in records:
        errors[record["stream"], record["floor"]].append(100 * record["error"])
    labels = {record["stream"]: record["n_classes"] for record in records}
    lines = [
        [title(name), f"{labels[name]}", *(f"{np.mean(errors[name, f]):.2f}" for f in FLOORS)]
        for name in STREAMS
    ]
    last = max(records, key=lambda record: record["date"])
    used = ", ".join(f"{name} {version}" for name, version in last["versions"].items())
    seeds = ", ".join(map(str, range(1, REPEATS + 1)))
    return f"""# What a floor costs

Written by `python -m bench chorus.floor` on {last["date"][:10]}, {used}.
Total error in % of the chosen labels, mean of seeds {seeds}, by the floor times the number m of
labels: by the share of labels that are chosen at random.

{table(["stream", "m", *(f"{floor:g}/m" for floor in FLOORS)], lines)}
"""


def write(records: list[Record], folder: Path) -> None:
    (folder / "floor.md").write_text(report(records))


main = PlayedBenchmark("chorus.floor", __doc__, "chorus/floor.jsonl", jobs, write).main
