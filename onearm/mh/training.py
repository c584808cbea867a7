"""What rounds are played on, between two rounds: rows in columns, their weights, and a bandit."""

from copy import copy
from functools import partial
from typing import Any

import numpy as np

from onearm.core.locking import Lock
from onearm.mh.bandits import Arms
from onearm.mh.binning import Columns
from onearm.mh.full_search import FullRoom
from onearm.mh.rounds import (
    boost_products,
    boost_products_in_threads,
    boost_trees,
    boost_trees_in_threads,
)
from onearm.mh.search import Room, try_all
from onearm.mh.weights import Weights

_SEARCHING = Lock()


def _alone(boost: Any) -> Any:
    """Let no two fits share out searches at once: where Numba has no OpenMP, it would abort."""

    return partial(_SEARCHING.run, boost)


class Training:
    """What rounds are played on: columns, weights, a bandit and a generator."""

    def __init__(
        self, columns: Columns, weights: Weights, arms: Arms, rng: np.ndarray, smoothing: float,
        n_threads: int,
    ) -> None:  # fmt: skip
        n, self.K = weights.A.shape
        self.columns, self.weights, self.arms, self.rng = columns, weights, arms, rng
        self.n_threads = n_threads
        self.psi, self.at = np.ones(n, np.int8), np.zeros(n, np.int16)
        self.smoothing = smoothing
        self.blocks: Any = None  # where the rows lie, if they have been carried away
        self.room = self._empty_room()
        if arms.tries_all:
            try_all(self.psi, self.at, weights.sums.copy(), *self.model()[:4])

    def _empty_room(self) -> Room:
        whole, places = self.columns.whole, self.columns.places
        n_codes = 1 if whole else int(np.diff(places).max(initial=1))
        n = len(self.weights.A) if self.arms.full else 0
        full = FullRoom(n, self.n_threads, len(self.arms.columns), n_codes, self.K)
        return Room(n_codes, self.K, full)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "room"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.room = self._empty_room()

    def copy(self) -> "Training":
        """Return one to go on from here without changing this one; the columns are shared."""
        other = copy(self)
        for name in ("weights", "arms", "rng", "psi", "at"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def model(self) -> tuple:
        return (
            self.weights.model(), tuple(self.columns), self.room.model(), self.arms.model(),
            self.rng, self.smoothing,
        )  # fmt: skip

    def players(self) -> tuple:
        """What plays rounds of products, and of trees."""
        if self.blocks is not None:
            return self.blocks.boost_products, self.blocks.boost_trees
        if self.n_threads > 1:
            return _alone(boost_products_in_threads), _alone(boost_trees_in_threads)
        return boost_products, boost_trees

    def thresholds(self, column: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """From the codes on both sides of cuts to numbers between them; NaN where there is none."""
        there = column >= 0
        place = self.columns.places[np.where(there, column, 0)]
        lo = self.columns.high[np.where(there, place + low, 0)]
        hi = self.columns.low[np.where(there, place + high, 0)]
        with np.errstate(over="ignore"):
            gap = hi - lo
        middle = np.where(np.isinf(gap), lo / 2 + hi / 2, lo + gap / 2)
        return np.where(there, np.where(middle > lo, middle, hi), np.nan)
