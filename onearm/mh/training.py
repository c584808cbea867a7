"""The state of boosting between two rounds: binned rows, their weights, and a bandit."""

from copy import copy
from functools import partial
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numba import get_num_threads
from sklearn.utils import check_random_state

from onearm.core.locking import Lock
from onearm.core.rng import seeded
from onearm.mh.bandits import Bandit
from onearm.mh.binning import bin_columns
from onearm.mh.full_search import full_scratch
from onearm.mh.rounds import BOOSTERS, THREADED_BOOSTERS
from onearm.mh.search import try_all
from onearm.mh.settings import Settings
from onearm.mh.weights import Weights, aligned_zeros, initial_weights, to_integers

_SEARCHING = Lock()  # where Numba has no OpenMP, it aborts if two fits share out searches at once


class Training:
    """What rounds are played on: columns, weights, a bandit and a generator."""

    def __init__(
        self, settings: Settings, X: Any, positive: np.ndarray, sample_weight: np.ndarray
    ) -> None:
        n, K = positive.shape
        starts = np.append(0, np.cumsum(positive.sum(axis=1)))
        labels = np.nonzero(positive)[1].astype(np.uint32)
        w = initial_weights(starts, labels, K, sample_weight, settings.weights == "shared")
        self.weights = Weights(to_integers(w), (starts, labels), K)
        self.K = self.weights.A.shape[1]
        self.columns = bin_columns(X, sample_weight, settings.max_bins, settings.exact)
        self.rng = seeded(int(check_random_state(settings.random_state).randint(2**31)))
        self.bandit = Bandit(
            self.columns.varying(), settings.arms, settings.arms_per_round, settings.reward,
            settings.lam, settings.eta, settings.horizon(), settings.scale_reward,
        )  # fmt: skip
        self.n_threads = _n_threads(settings.n_jobs) if self.bandit.full else 1
        self.psi, self.leaf_of = np.ones(n, np.int8), np.zeros(n, np.int16)
        self.smoothing = 0.01 / sample_weight.sum()
        self.coordinator: Any = None  # of the blocks of rows, if they are on other machines
        self.scratch = self._empty_scratch()
        if self.bandit.tries_all:
            try_all(self.weights.sums.copy(), *self.model()[:6])

    def _empty_scratch(self) -> tuple:
        n_bins = 1 if self.columns.exact else int(np.diff(self.columns.offsets).max(initial=1))
        n = len(self.psi) if self.bandit.full else 0
        full = full_scratch(n, self.n_threads, len(self.bandit.columns), n_bins, self.K)
        return aligned_zeros(n_bins, 2, self.K), np.zeros((3, 2, self.K)), full

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "scratch"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.scratch = self._empty_scratch()

    def copy(self) -> "Training":
        """Return one to resume from without changing this one; the columns are shared."""
        other = copy(self)
        for name in ("weights", "bandit", "rng", "psi", "leaf_of"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def model(self) -> tuple:
        return (
            self.psi, self.leaf_of, self.weights.model(), self.columns.model(), self.scratch,
            self.bandit.model(), self.rng, self.smoothing,
        )  # fmt: skip

    def boost(self, kind: str, output: tuple, work: tuple) -> int:
        """Fill the output with rounds of "products" or "trees"; return how many they are."""
        if self.coordinator is not None:
            return self.coordinator.boost(kind, output, work)
        boost = BOOSTERS[kind]
        if self.n_threads > 1:
            boost = partial(_SEARCHING.run, THREADED_BOOSTERS[kind])
        return boost(output, work, *self.model())


def _n_threads(n_jobs: int | None) -> int:
    """Return how many threads there may be, as scikit-learn counts jobs."""
    return min(effective_n_jobs(n_jobs), get_num_threads())
