"""Does AdaBandit boost? `onearm papers z19.boosting`.

Plays streams of Z19 in pieces, with the published settings, with our defaults, and with our
defaults but for the published step of the α; and looks before each piece at what every weak learner
says about its rows. Writes to results/z19

    boosting.json, boosting.png    over time: the α, and the edge of the weak learners, which is how
                                   often they are right less 1/k; over the last fifth: the accuracy
                                   of expert i, the vote of the first i weak learners, against i
    boosting.md                    the last fifth as a table

If it boosts, the accuracy rises with i beyond that of the best weak learner, and beyond that of a
vote in which all α are equal.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from onearm.boosting.booster import WEAK, look_at_all
from onearm.boosting.trees.nodes import LABEL
from onearm.core.kernels import bind
from papers.markdown import table
from papers.pool import everywhere
from papers.z19 import boosting_figure as z19_boosting_figure
from papers.z19.command import FOLDER
from papers.z19.data import load
from papers.z19.paper import TABLES
from papers.z19.report import mean
from papers.z19.runs import (
    DEFAULTS,
    PAPER,
    POINTS,
    STILL,
    Job,
    Record,
    configuration,
    ready,
    window,
)

DATA_SETS = ("balance", "car", "nursery", "movement", "mice")
SEEDS = 3
VARIANTS = (PAPER, STILL, DEFAULTS)
PIECES = 1000  # of a stream; a weak learner is looked at once before each
RECENT = 0.05  # of the stream: the window of the edges


def _labels(X, out, model):
    for t in range(len(out)):
        out[t] = look(X[t], *model)[:, LABEL]  # noqa: F821 bound


weak_look = bind(look_at_all, "bench.weak_look", **WEAK["tree"])
weak_labels = bind(_labels, "bench.weak_labels", look=weak_look)


def votes(labels: np.ndarray, y: np.ndarray, alpha: np.ndarray, k: int) -> np.ndarray:
    """The chance of each expert to be right in each round, (rounds, N); ties settled by lot."""
    s, every = np.zeros((len(y), k)), np.arange(len(y))
    right = np.empty(labels.shape)
    for i, weight in enumerate(alpha):
        s[every, labels[:, i]] += weight
        best = s == s.max(axis=1, keepdims=True)
        right[:, i] = best[every, y] / best.sum(axis=1)
    return right


def watch(job: Job) -> Record:
    """Play a stream and keep what was to be seen."""
    (X, y), learner = job.stream().arrays(), job.make()
    n, N, k = len(y), learner.n_learners, learner.n_classes
    labels = np.empty((n, N), np.int64)
    expert, equal, correct = np.empty((n, N)), np.empty((n, N)), np.empty(n, bool)
    alpha = np.empty((n, N), np.float32)
    for piece in _pieces(n):
        weak_labels(X[piece], labels[piece], learner.model())
        alpha[piece] = learner.alpha
        expert[piece] = votes(labels[piece], y[piece], learner.alpha, k)
        equal[piece] = votes(labels[piece], y[piece], np.ones(N), k)
        correct[piece] = learner.play(X[piece], y[piece]).correct
    weak, late = labels == y[:, None], slice(n - window(n), n)
    v = np.exp(learner.logv - learner.logv.max())
    return {
        **configuration(job),
        "over_time": over_time(alpha, weak, k),
        "commonest_class": float(np.bincount(y).max() / n),
        "said": float(correct[late].mean()),
        "expert": expert[late].mean(axis=0).tolist(),
        "equal_votes": equal[late].mean(axis=0).tolist(),
        "weak": weak[late].mean(axis=0).tolist(),
        "hedge": (v / v.sum()).tolist(),
        "disagreement": disagreement(labels[late], k),
        "alpha": learner.alpha.tolist(),
    }


def prepare(job: Job) -> None:
    """Compile in this process what all others need."""
    ready(job)
    learner, (X, _) = job.make(), load(job.data).arrays()
    weak_labels(X[:1], np.empty((1, learner.n_learners), np.int64), learner.model())


def over_time(alpha: np.ndarray, weak: np.ndarray, k: int) -> Record:
    """Least, median and largest α and edge of the weak learners, at some rounds."""
    n = len(alpha)
    size = round(RECENT * n)
    right = np.concatenate([np.zeros((1, weak.shape[1])), np.cumsum(weak, axis=0)])
    ends = np.linspace(size, n, POINTS).round().astype(int)
    edge = (right[ends] - right[ends - size]) / size - 1 / k
    return {"rounds": ends.tolist(), "alpha": _spread(alpha[ends - 1]), "edge": _spread(edge)}


def disagreement(labels: np.ndarray, k: int) -> float:
    """How often two weak learners say different labels."""
    n, N = labels.shape
    counts = (labels[:, :, None] == np.arange(k)).sum(axis=1)
    return float(1 - (counts * (counts - 1)).sum() / (n * N * (N - 1)))


def _pieces(n: int) -> Iterator[slice]:
    ends = np.linspace(0, n, PIECES + 1).round().astype(int)
    return (slice(start, stop) for start, stop in pairwise(ends))


def _spread(values: np.ndarray) -> dict[str, list[float]]:
    ways: dict[str, Any] = {"min": np.min, "median": np.median, "max": np.max}
    return {name: way(values, axis=1).astype(float).round(5).tolist() for name, way in ways.items()}


def said(run: Record) -> str:
    """A run in a line."""
    expert, equal, weak = run["expert"], run["equal_votes"], run["weak"]
    return (
        f"{run['data']} ({run['settings']}) seed {run['seed']}: said {run['said']:.3f}; experts 1 "
        f"{expert[0]:.3f}, {len(expert)} {expert[-1]:.3f}, equal votes {equal[-1]:.3f}; best weak "
        f"learner {max(weak):.3f}; α {min(run['alpha']):.4f} to {max(run['alpha']):.4f}"
    )


def text(records: list[Record], command: str) -> str:
    """The last fifth of the streams, in Markdown."""
    cells = dict.fromkeys((run["data"], run["settings"]) for run in records)
    rows = []
    for data, settings in cells:
        runs = [
            {
                "said": run["said"], "all": run["expert"][-1], "equal": run["equal_votes"][-1],
                "weak": float(np.mean(run["weak"])), "best": max(run["weak"]),
                "low": min(run["alpha"]), "high": max(run["alpha"]), "apart": run["disagreement"],
            }
            for run in records
            if (run["data"], run["settings"]) == (data, settings)
        ]  # fmt: skip
        seen: dict[str, Any] = {key: mean(runs, key) for key in runs[0]}
        alpha = f"{seen['low'].value:.3f} to {seen['high'].value:.3f}"
        plain = [f"{seen[key].value:.3f}" for key in ("all", "equal", "weak", "best")]
        apart = f"{seen['apart'].value:.2f}"
        rows.append([data, settings, str(seen["said"]), *plain, alpha, apart])
    head = ["data", "settings", "said", "vote of all", "were all α equal", "weak learner, mean",
            "best", "α", "two disagree"]  # fmt: skip
    versions = ", ".join(f"{name} {v}" for name, v in records[0]["versions"].items())
    seeds = sorted({run["seed"] for run in records})
    few = f" ({len(seeds)} of {SEEDS} runs)" if len(seeds) < SEEDS else ""
    return f"""# Does AdaBandit boost?{few}

Written by `{command}`; {versions}.
Accuracy over the last fifth of the stream, mean over seeds {", ".join(map(str, seeds))} (± standard
error of what was said).

{table(head, rows)}
"""


def main() -> int:
    """Watch every stream with both settings, and write what was seen."""
    parser = argparse.ArgumentParser(prog="onearm papers z19.boosting")
    parser.add_argument("--only", nargs="+", choices=TABLES, default=DATA_SETS)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    asked, console = parser.parse_args(), Console(stderr=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    jobs = [
        Job(data, "AdaBandit", settings, seed)
        for data in asked.only
        for settings in VARIANTS
        for seed in TABLES[data].seeds[: asked.seeds]
    ]
    for settings in VARIANTS:
        prepare(next(job for job in jobs if job.settings == settings))
    records = []
    for _, seen in track(everywhere(watch, jobs), "playing", len(jobs), console=console):
        if isinstance(seen, BaseException):
            raise seen
        records.append(seen)
        console.print(said(seen), highlight=False, soft_wrap=True)
    records.sort(key=lambda run: jobs.index(Job(*(run[part] for part in Job._fields))))
    (asked.out / "boosting.json").write_text(json.dumps(records, indent=1) + "\n")
    command = " ".join(["onearm papers z19.boosting", *sys.argv[1:]])
    (asked.out / "boosting.md").write_text(text(records, command))
    z19_boosting_figure.draw(records, asked.out / "boosting.png")
    console.print(f"{len(records)} runs: {asked.out / 'boosting.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
