"""AdaBoostMH with other defaults than its own, on sets of the bake-off's development half.

Sets of at most 6,000 rows, the splits of mh.bakeoff. Stores each run in results/mh_trials.jsonl
and writes mh_trials.md there; re-running plays what is missing.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bench.bakeoff.sets import DEVELOPMENT, named
from bench.benchmark import PlayedBenchmark, last_run
from bench.mh.bakeoff import divided
from bench.mh.contenders import CONTENDERS, OURS, scores
from bench.timing import now
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from onearm.mh.classifier import AdaBoostMH
from onearm.streams.stream import WIDE
from papers.markdown import table

ROWS, SPLITS = 6000, 5
LEAST_ERROR = 1e-3  # a lower one counts as this in ratios
AS_IT_IS = "as it is"


def leaves(n: int, K: int, share: int, most: int) -> int:
    """Return √(rows · labels)/share, at least 4."""
    return min(max(round(math.sqrt(n * K) / share), 4), most)


VARIANTS: dict[str, Callable[[int, int, int], dict[str, Any]]] = {
    AS_IT_IS: lambda n, d, K: {},
    "¼ of the leaves": lambda n, d, K: {"n_leaves": leaves(n, K, 8, 32)},
    "½ of the leaves": lambda n, d, K: {"n_leaves": leaves(n, K, 4, 64)},
    "2 × leaves": lambda n, d, K: {"n_leaves": leaves(n, K, 1, 256)},
    "more arms": lambda n, d, K: {"arms_per_round": min(d, 8, max(2, round(1.5 * d**0.5)))},
    "2 × rounds": lambda n, d, K: {"max_rounds": 2000},
}


class Job(NamedTuple):
    """A variant on a split of a set."""

    set: str
    variant: str
    split: int

    def configuration(self) -> Record:
        return self._asdict()

    def play(self, progress: OnProgress) -> Record:
        """Return error, log loss and CPU seconds of the fit."""
        train, test = divided(self.set, self.split)
        (n, d), K = train.frame.shape, len(np.unique(train.y))
        model = AdaBoostMH(random_state=0, **VARIANTS[self.variant](n, d, K))
        model.fit(train.frame[:60], np.arange(60) % 2)  # compiles, uncounted
        began = time.process_time()
        model.fit(train.frame, train.y)
        spent = time.process_time() - began
        error, loss = scores(model, CONTENDERS[OURS], test)
        seen = {"runs": model.n_runs_, "rounds": len(model.alpha_)}
        return {
            "error": error, "log_loss": loss, "cpu_seconds": round(spent, 4), **seen,
            "versions": versions(), "date": now(),
        }  # fmt: skip

    def summary(self, record: Record) -> str:
        run = f"{self.variant} on {self.set}, split {self.split}"
        return f"{run}: {record['error']:.4f}, {record['log_loss']:.3f}"


def names() -> list[str]:
    return [s.name for s in named([], DEVELOPMENT) if s.rows <= ROWS and s.features <= WIDE]


def jobs() -> list[Job]:
    return [
        Job(name, variant, split)
        for split in range(SPLITS) for name in names() for variant in VARIANTS
    ]  # fmt: skip


def report(records: list[Record]) -> str:
    values: dict[str, dict[tuple, float]] = {}
    for value in ("error", "log_loss", "cpu_seconds"):
        runs = defaultdict(list)
        for record in records:
            runs[record["set"], record["variant"]].append(record[value])
        values[value] = {key: float(np.mean(found)) for key, found in runs.items()}
    lines = []
    for variant in VARIANTS:
        ratios = {
            value: [
                max(means[name, variant], LEAST_ERROR) / max(means[name, AS_IT_IS], LEAST_ERROR)
                for name in names()
            ]
            for value, means in values.items()
        }
        changes = [f"{100 * (np.exp(np.mean(np.log(r))) - 1):+.1f}" for r in ratios.values()]
        lower = sum(ratio < 1 for ratio in ratios["error"])
        lines.append([variant, *changes, f"{lower} of {len(names())}"])
    head = ["variant", "error, %", "log loss, %", "CPU time, %", "lower error on"]
    body = [
        [name, *(f"{100 * values['error'][name, variant]:.2f}" for variant in VARIANTS)]
        for name in names()
    ]
    return f"""# AdaBoostMH with other defaults

{last_run("mh.trials", records)}
Sets of the development half, means over {SPLITS} splits; changes are geometric means over the sets.

{table(head, lines)}

## Test error, %

{table(["set", *VARIANTS], body)}
"""


main = PlayedBenchmark("mh.trials", __doc__, "mh_trials.jsonl", jobs, report).main
