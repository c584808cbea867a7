"""Whether labels that are close to the best should have more than a floor, at equal total mass.

A floor gives the label r, of m that are not Chorus's own choice, the chance 0.02/m. Here half of
that mass is spread by closeness instead, in proportion to exp(-gap_r/τ), where gap_r is by how much
the score of r is below that of the choice. The other labels have the same mass together.

Stores each run in results/chorus/spread.jsonl and writes spread.md there; re-running plays what is
missing. Seed s is that of the order, of the features and of the draws.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from bench.benchmark import PlayedBenchmark, last_run
from bench.chorus.floor import REPEATS, STREAMS
from bench.chorus.streams import stream, title
from bench.timing import now
from onearm import Choice, Chorus
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from papers.markdown import table

MASS = 0.02  # of all labels together
SCALES = (0.0, 0.1, 0.5)  # τ; 0: a floor alone


class Job(NamedTuple):
    """A run of Chorus whose additional mass is spread by closeness."""

    stream: str
    scale: float
    seed: int

    def configuration(self) -> Record:
        """Return what identifies the run; other code is no other run."""
        return self._asdict()

    def play(self, progress: OnProgress) -> Record:
        rows = stream(self.stream, self.seed)
        X, y = rows.arrays()
        learner, rng = rows.learner(Chorus, seed=self.seed), np.random.default_rng(self.seed)
        wrong = 0
        for x, truth, u in zip(np.asarray(X, float), y, rng.random(len(y)), strict=True):
            choice = learner.choose(x)
            p = chances(learner.scores(x), choice.label, self.scale)
            label = min(int(np.searchsorted(np.cumsum(p), u)), len(p) - 1)
            wrong += label != truth
            learner.update(x, Choice(label, choice.greedy, float(p[label])), bool(label == truth))
        return {
            "n_classes": rows.n_classes, "rounds": len(y), "error": wrong / len(y),
            "versions": versions(), "date": now(),
        }  # fmt: skip

    def summary(self, record: Record) -> str:
        run = f"scale {self.scale} on {self.stream}, seed {self.seed}"
        return f"{run}: {record['error']:.4f}"


def chances(scores: np.ndarray, chosen: int, scale: float) -> np.ndarray:
    """Return the chances of all labels, with MASS·(m-1)/m for those that are not chosen.

    >>> chances(np.array([1.0, 0.9, 0.0]), 0, 0.0).round(4)
    array([0.9867, 0.0067, 0.0067])
    >>> chances(np.array([1.0, 0.9, 0.0]), 0, 0.1).round(4)
    array([0.9867, 0.01  , 0.0033])
    """
    m = len(scores)
    p = np.full(m, MASS / m)
    if scale:
        close = np.exp(-np.maximum(scores[chosen] - scores, 0.0) / scale)
        close[chosen] = 0.0
        p = 0.5 * p + 0.5 * MASS * (m - 1) / m * close / max(close.sum(), 1e-300)
    p[chosen] = 0.0
    p[chosen] = 1.0 - p.sum()
    return p


def jobs() -> list[Job]:
    return [
        Job(name, scale, seed)
        for seed in range(1, REPEATS + 1)
        for name in STREAMS
        for scale in SCALES
    ]


def report(records: list[Record]) -> str:
    errors: dict[tuple[str, float], list[float]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record["seed"]):
        errors[record["stream"], record["scale"]].append(100 * record["error"])
    lines = []
    for name in STREAMS:
        floor = np.array(errors[name, 0.0])
        cells = [f"{floor.mean():.2f}"]
        for scale in SCALES[1:]:
            change = np.array(errors[name, scale]) - floor
            cells.append(f"{change.mean():+.2f} ({change.min():+.2f} … {change.max():+.2f})")
        lines.append([title(name), *cells])
    seeds = ", ".join(map(str, range(1, REPEATS + 1)))
    head = [
        "stream",
        f"floor {MASS:g}/m",
        *(f"half by closeness, τ = {tau:g}" for tau in SCALES[1:]),
    ]
    return f"""# Additional mass by closeness

{last_run("chorus.spread", records)}
Total error in % with a floor alone; then the change in percentage points if half of its mass is
spread over the other labels by how close their scores are, exp(-gap/τ), at equal total mass: mean
(least … largest) of seeds {seeds}.

{table(head, lines)}
"""


main = PlayedBenchmark("chorus.spread", __doc__, "chorus/spread.jsonl", jobs, report).main
