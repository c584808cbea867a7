"""What a floor on the chance of every label costs Chorus, on eight streams.

Stores each run in results/chorus/floor.jsonl and writes floor.md there; re-running plays what is
missing. Seed s is that of the order, of the features and of the draws; elec2 has a single order.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from bench.benchmark import PlayedBenchmark, last_run, run_record
from bench.chorus.streams import stream, title
from onearm import Chorus
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
        return {"n_classes": rows.n_classes, **run_record(*play_timed(learner, rows))}

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
    seeds = ", ".join(map(str, range(1, REPEATS + 1)))
    return f"""# What a floor costs

{last_run("chorus.floor", records)}
Total error in % of the chosen labels, mean of seeds {seeds}, by the floor times the number m of
labels: by the share of labels that are chosen at random.

{table(["stream", "m", *(f"{floor:g}/m" for floor in FLOORS)], lines)}
"""


main = PlayedBenchmark("chorus.floor", __doc__, "chorus/floor.jsonl", jobs, report).main
