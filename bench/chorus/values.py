"""Chorus on rows with a category of 5,000 values: noise, or a value that tells the label.

Stores each run in results/chorus/values.jsonl and writes values.md there; re-running plays what is
missing. Seed s is that of the order, of the category and of the features.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from bench.benchmark import PlayedBenchmark, last_run, run_record
from bench.chorus.streams import stream
from onearm import Chorus, Stream
from onearm.experiments.job import OnProgress, Record
from papers.markdown import table
from papers.playing import play_timed

STREAMS = ("letter", "adult")
KINDS = ("none", "noise", "telling")
N_VALUES = 5000
REPEATS = 2


def with_category(rows: Stream, kind: str, seed: int) -> Stream:
    """Return a stream with one more column; a telling value belongs to one label."""
    X, y = rows.arrays()
    rng = np.random.default_rng(seed)
    values = rng.integers(0, N_VALUES, len(y))
    if kind == "telling":
        values -= (values - y) % rows.n_classes
    nominal = (*(rows.nominal or (0,) * rows.n_features), N_VALUES)
    X = np.column_stack([np.asarray(X, float), np.maximum(values, 0)])
    return Stream.of(X, y, rows.n_classes, rows.name, nominal=nominal)


class Job(NamedTuple):
    """A run of Chorus on a repeat of a stream with another column."""

    stream: str
    kind: str
    seed: int

    def configuration(self) -> Record:
        """Return what identifies the run; other code is no other run."""
        return self._asdict()

    def play(self, progress: OnProgress) -> Record:
        rows = stream(self.stream, self.seed)
        if self.kind != "none":
            rows = with_category(rows, self.kind, self.seed)
        return run_record(*play_timed(rows.learner(Chorus, seed=self.seed), rows))

    def summary(self, record: Record) -> str:
        run = f"{self.stream}, column: {self.kind}, seed {self.seed}"
        return f"{run}: {record['error']:.4f} in {record['cpu_seconds']:.1f} s"


def jobs() -> list[Job]:
    seeds = range(1, REPEATS + 1)
    return [Job(name, kind, seed) for name in STREAMS for seed in seeds for kind in KINDS]


def report(records: list[Record]) -> str:
    errors: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in records:
        errors[record["stream"], record["kind"]].append(record["error"])
    lines = []
    for name in STREAMS:
        none, noise, telling = (np.mean(errors[name, kind]) for kind in KINDS)
        change = f"{100 * (noise / none - 1):+.1f}"
        lines.append(
            [name, f"{100 * none:.2f}", f"{100 * noise:.2f}", change, f"{100 * telling:.2f}"]
        )
    seeds = ", ".join(map(str, range(1, REPEATS + 1)))
    head = ["stream", "error, %", f"with {N_VALUES:,} values of noise", "change, %"]
    return f"""# A category of many values

{last_run("chorus.values", records)}
Total error in %, mean of seeds {seeds}; with one more column of {N_VALUES:,} values, uniform at
random; and with one whose value belongs to one label.

{table([*head, "with values that tell the label"], lines)}
"""


main = PlayedBenchmark("chorus.values", __doc__, "chorus/values.jsonl", jobs, report).main
