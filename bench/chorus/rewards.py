"""Chorus beside other learners from rewards, and Vowpal Wabbit's squarecb and regcb.

Stores each run in results/chorus/rewards.jsonl and writes rewards.md there; re-running plays what
is missing. Chorus has its defaults. Of every other learner all settings are played on all repeats,
and the report has the best of them: they are chosen with hindsight, Chorus's are not.
"""

import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import onearm
from bench.benchmark import PlayedBenchmark, last_run
from bench.chorus.reward_streams import NAMES, ONE_RIGHT, regret, stream
from bench.chorus.vowpal_wabbit import row_texts
from bench.timing import child, now
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from onearm.streams.prepared import prepared
from onearm.streams.stream import Stream
from papers.markdown import table

REPEATS = 10
AIM = 1.05  # times the lowest loss
RIDGES = (1.0, 0.01)
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "Chorus": [{}],
    "InverseGap": [{}, {"scale": 160.0}, {"loss": "squared"}],
    "LinUCB": [{"alpha": alpha, "lam": lam} for alpha in (0.25, 1.0) for lam in RIDGES],
    "LinTS": [{"v": v, "lam": lam} for v in (0.07, 0.3) for lam in RIDGES],
    "VW squarecb": [{"how": "--squarecb", "rate": rate} for rate in (0.5, 2.0)],
    "VW regcb": [{"how": f"--regcb --mellowness {c}", "rate": 0.5} for c in (0.1, 0.01, 0.001)],
}


class Job(NamedTuple):
    """A run of a learner on a repeat of a stream with rewards."""

    stream: str
    learner: str
    parameters: dict[str, Any]
    seed: int

    def configuration(self) -> Record:
        """Return what identifies the run; other code is no other run."""
        return self._asdict()

    def play(self, progress: OnProgress) -> Record:
        rows = stream(self.stream, self.seed)
        if self.learner.startswith("VW"):
            labels = vowpal_wabbit(prepared(rows), self.parameters, self.seed)
            rewards = rows.arrays()[1]
            earned = rewards[np.arange(len(labels)), labels]
        else:
            cls = getattr(onearm, self.learner)
            trace = rows.learner(cls, seed=self.seed, **self.parameters).play(rows)
            labels, earned = trace.label, trace.correct
        clicks = {"regret": regret(labels, self.seed)} if self.stream == "clicks" else {}
        return {
            "rounds": len(labels), "loss": float(1.0 - earned.mean()), **clicks,
            "versions": versions(("onearm", "numpy", "numba", "vowpalwabbit", "scikit-learn")),
            "date": now(),
        }  # fmt: skip

    def summary(self, record: Record) -> str:
        run = f"{self.learner} {self.parameters} on {self.stream}, seed {self.seed}"
        return f"{run}: {record.get('regret', record['loss']):.4f}"


def vowpal_wabbit(rows: Stream, given: dict[str, Any], seed: int) -> np.ndarray:
    """Return the labels that Vowpal Wabbit chooses; `--cbify_cs` hides the other labels' costs."""
    with tempfile.TemporaryDirectory() as folder:
        with (Path(folder) / "rows.txt").open("w") as file:
            for X, rewards in rows.chunks():
                for text, costs in zip(row_texts(X, ()), 1.0 - rewards, strict=True):
                    named = " ".join(f"{r + 1}:{cost:.6g}" for r, cost in enumerate(costs))
                    file.write(f"{named} | {text}\n")
        how = ["--cbify", str(rows.n_classes), "--cbify_cs", "--cb_explore_adf", "-b", "20"]
        how += [*given["how"].split(), "--learning_rate", str(given["rate"])]
        files = ["-d", "rows.txt", "-p", "labels.txt", "--random_seed", str(seed), "--quiet"]
        child([sys.executable, "-m", "vowpalwabbit", *how, *files], cwd=Path(folder))
        return np.loadtxt(Path(folder) / "labels.txt", dtype=np.int64) - 1


def jobs() -> list[Job]:
    """Return all runs, repeat by repeat."""
    return [
        Job(name, learner, parameters, seed)
        for seed in range(1, REPEATS + 1)
        for name in (*NAMES, *ONE_RIGHT)
        for learner, settings in SETTINGS.items()
        for parameters in settings
        if learner == "Chorus" or name in NAMES
    ]


def losses(records: Iterable[Record]) -> dict[str, dict[str, float]]:
    """Return by stream and learner the mean loss, or regret, with its best setting."""
    runs: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for record in records:
        loss = record.get("regret", record["loss"])
        runs[record["stream"], record["learner"], repr(record["parameters"])].append(loss)
    best: dict[str, dict[str, float]] = defaultdict(dict)
    for (name, learner, _), values in runs.items():
        best[name][learner] = min(float(np.mean(values)), best[name].get(learner, np.inf))
    return best


def report(records: list[Record]) -> str:
    best, lines = losses(records), []
    for name in NAMES:
        lowest = min(loss for learner, loss in best[name].items() if learner != "Chorus")
        times = best[name]["Chorus"] / lowest
        row = [f"{best[name][learner]:.4f}" for learner in SETTINGS]
        lines.append([name, *row, f"{times:.2f}", "yes" if times <= AIM else "no"])
    rewards, labels = (best[name]["Chorus"] for name in ONE_RIGHT)
    seeds = ", ".join(map(str, sorted({record["seed"] for record in records})))
    head = ["stream", *SETTINGS, "Chorus / lowest", f"at most {AIM}"]
    return f"""# Learning from rewards

{last_run("chorus.rewards", records)}
1 minus the mean reward, of clicks the regret to the best ad in each round; mean of seeds {seeds}.
Chorus has its defaults, every other learner the best of its settings, with hindsight. The streams
are described in `bench/chorus/reward_streams.py`.

{table(head, lines)}

On letter with a reward of 1 for the true letter and 0 for others Chorus loses {rewards:.4f}; with
right and wrong in their place, {labels:.4f}.
"""


main = PlayedBenchmark("chorus.rewards", __doc__, "chorus/rewards.jsonl", jobs, report).main
