"""Does AdaBandit boost? Its weak learners are watched while it plays.

Plays streams of Z19 in pieces, with the published settings, with our defaults, and with our
defaults except for the published step of the α; before each piece every weak learner predicts its
rows. If AdaBandit boosts, the accuracy of expert i, the vote of the first i weak learners, rises
with i beyond that of the best weak learner, and beyond that of a vote in which all α are equal.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from onearm.boosting.booster import look_at_all
from onearm.boosting.trees.nodes import LABEL
from onearm.boosting.weak import WEAK
from onearm.core.kernels import bind
from onearm.experiments.job import OnProgress, Record
from papers.replication import Request
from papers.z19.paper import TABLES
from papers.z19.runs import DEFAULTS, PAPER, POINTS, PUBLISHED_STEP, Job, window

DATA_SETS = ("balance", "car", "nursery", "movement", "mice")
SEEDS = 3
VARIANTS = (PAPER, PUBLISHED_STEP, DEFAULTS)
PIECES = 1000  # of a stream; weak learners predict once before each
RECENT = 0.05  # of the stream: the window of the edges


class WatchJob(Job):
    """A run of AdaBandit whose weak learners are watched."""

    def play(self, progress: OnProgress) -> Record:
        """Play a stream and return what its weak learners predicted."""
        (X, y), learner = self.stream().arrays(), self.make()
        n, N, k = len(y), learner.n_learners, learner.n_classes
        labels = np.empty((n, N), np.int64)
        expert, equal, correct = np.empty((n, N)), np.empty((n, N)), np.empty(n, bool)
        alpha = np.empty((n, N), np.float32)
        for piece in _pieces(n):
            weak_labels(X[piece], labels[piece], learner.model())
            alpha[piece] = learner.vote_weights
            expert[piece] = votes(labels[piece], y[piece], learner.vote_weights, k)
            equal[piece] = votes(labels[piece], y[piece], np.ones(N), k)
            correct[piece] = learner.play(X[piece], y[piece]).correct
        weak, late = labels == y[:, None], slice(n - window(n), n)
        v = np.exp(learner.log_expert_weights - learner.log_expert_weights.max())
        return {
            "over_time": over_time(alpha, weak, k),
            "commonest_class": float(np.bincount(y).max() / n),
            "accuracy": float(correct[late].mean()),
            "expert": expert[late].mean(axis=0).tolist(),
            "equal_votes": equal[late].mean(axis=0).tolist(),
            "weak": weak[late].mean(axis=0).tolist(),
            "hedge": (v / v.sum()).tolist(),
            "disagreement": disagreement(labels[late], k),
            "alpha": learner.vote_weights.tolist(),
        }


def jobs(request: Request, _: list[Record]) -> list[WatchJob]:
    """Return every run; Isolet, on which it takes long, only if it is asked for."""
    return [
        WatchJob(data, "AdaBandit", settings, seed)
        for data in TABLES
        for settings in VARIANTS
        for seed in TABLES[data].seeds[: request.options.runs]
    ]


def _labels(X, out, model):
    for t in range(len(out)):
        out[t] = look(X[t], *model)[:, LABEL]  # noqa: F821 bound


weak_look = bind(look_at_all, "bench.weak_look", **WEAK["tree"])
weak_labels = bind(_labels, "bench.weak_labels", look=weak_look)


def votes(labels: np.ndarray, y: np.ndarray, alpha: np.ndarray, k: int) -> np.ndarray:
    """Return the chance of each expert to be right in each round, (rounds, N)."""
    s, every = np.zeros((len(y), k)), np.arange(len(y))
    right = np.empty(labels.shape)
    for i, weight in enumerate(alpha):
        s[every, labels[:, i]] += weight
        best = s == s.max(axis=1, keepdims=True)
        right[:, i] = best[every, y] / best.sum(axis=1)
    return right


def over_time(alpha: np.ndarray, weak: np.ndarray, k: int) -> Record:
    """Return least, median and largest α and edge of the weak learners, at some rounds."""
    n = len(alpha)
    size = round(RECENT * n)
    right = np.concatenate([np.zeros((1, weak.shape[1])), np.cumsum(weak, axis=0)])
    ends = np.linspace(size, n, POINTS).round().astype(int)
    edge = (right[ends] - right[ends - size]) / size - 1 / k
    return {"rounds": ends.tolist(), "alpha": _spread(alpha[ends - 1]), "edge": _spread(edge)}


def disagreement(labels: np.ndarray, k: int) -> float:
    """Return how often two weak learners predict different labels."""
    n, N = labels.shape
    counts = (labels[:, :, None] == np.arange(k)).sum(axis=1)
    return float(1 - (counts * (counts - 1)).sum() / (n * N * (N - 1)))


def _pieces(n: int) -> Iterator[slice]:
    ends = np.linspace(0, n, PIECES + 1).round().astype(int)
    return (slice(start, stop) for start, stop in pairwise(ends))


def _spread(values: np.ndarray) -> dict[str, list[float]]:
    ways: dict[str, Any] = {"min": np.min, "median": np.median, "max": np.max}
    return {name: way(values, axis=1).astype(float).round(5).tolist() for name, way in ways.items()}
