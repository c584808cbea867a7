"""Error, speed and size of Chorus by `n_components`, the one dial of what a round may cost.

Stores each run in results/chorus/budget.jsonl and writes budget.md and budget.png there; re-running
plays what is missing. Seed s is that of the order and of the features.
"""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.benchmark import PlayedBenchmark, last_run, run_record
from bench.chorus.streams import stream
from onearm import Chorus
from onearm.experiments.job import OnProgress, Record
from papers.figures import subplots
from papers.markdown import table
from papers.playing import play_timed

ROUNDS = {"letter": 20_000, "pendigits": 20_000, "mnist": 20_000, "covtype": 60_000}  # at most
COMPONENTS = (64, 256, 1024, 2048, 4096)
REPEATS = 1


class Job(NamedTuple):
    """A run of Chorus of some size on a repeat of a stream."""

    stream: str
    n_components: int
    seed: int

    def configuration(self) -> Record:
        """Return what identifies the run; other code is no other run."""
        return self._asdict()

    def play(self, progress: OnProgress) -> Record:
        rows = stream(self.stream, self.seed).first(ROUNDS[self.stream])
        learner = rows.learner(Chorus, seed=self.seed, n_components=self.n_components)
        record = run_record(*play_timed(learner, rows))
        return record | {"bytes": sum(array.nbytes for array in learner.content().values())}

    def summary(self, record: Record) -> str:
        run = f"{self.n_components} components on {self.stream}, seed {self.seed}"
        return f"{run}: {record['error']:.4f} in {record['cpu_seconds']:.1f} s"


def jobs() -> list[Job]:
    return [
        Job(name, n_components, seed)
        for seed in range(1, REPEATS + 1)
        for name in ROUNDS
        for n_components in COMPONENTS
    ]


Means = dict[str, dict[int, float]]  # by stream and size


def means(records: list[Record], measure: Callable[[Record], float]) -> Means:
    """Return the mean of a measure over the seeds."""
    values: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        values[record["stream"]][record["n_components"]].append(measure(record))
    return {
        name: {n: float(np.mean(some)) for n, some in by_size.items()}
        for name, by_size in values.items()
    }


def error(record: Record) -> float:
    return float(100 * record["error"])


def speed(record: Record) -> float:
    return float(record["rounds"] / record["cpu_seconds"])


def report(records: list[Record]) -> str:
    measures = means(records, error), means(records, speed), means(records, megabytes)
    lines = [
        [name, *(f"{e[n]:.2f} · {s[n]:,.0f} · {b[n]:.0f}" for n in COMPONENTS)]
        for name, e, s, b in ((name, *(by[name] for by in measures)) for name in measures[0])
    ]
    seeds = ", ".join(str(seed) for seed in sorted({record["seed"] for record in records}))
    return f"""# Chorus by the number of its components

{last_run("chorus.budget", records)}
Seeds: {seeds}; at most {ROUNDS["letter"]:,} rounds, of covtype {ROUNDS["covtype"]:,}.
Each cell: total error in %, rounds per second of CPU time on a machine that was busy with other
work, megabytes of the learner's arrays at the end. MNIST has at least 1024 features, whatever the
number of components; how many neighbours it has follows the number.

{table(["stream", *map(str, COMPONENTS)], lines)}
"""


def megabytes(record: Record) -> float:
    return float(record["bytes"] / 1e6)


def draw(records: list[Record], path: Path) -> None:
    figure, panels = subplots(1, 2, (9, 3.6))
    for axes, measure, label in (
        (panels[0], error, "total error, %"),
        (panels[1], speed, "rounds per second"),
    ):
        for name, by_size in means(records, measure).items():
            axes.plot(list(by_size), list(by_size.values()), marker="o", markersize=3, label=name)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("n_components")
        axes.set_ylabel(label)
    panels[0].legend(fontsize=8)
    figure.savefig(path, dpi=120)


main = PlayedBenchmark("chorus.budget", __doc__, "chorus/budget.jsonl", jobs, report, draw).main
