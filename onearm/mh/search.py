"""The search for a stump: the best cut of the columns that a bandit points at."""

import numpy as np
from joblib import effective_n_jobs
from numba import get_num_threads

from onearm.core.kernels import kernel_without_refcounts
from onearm.mh.bandits import FULL, pull, pulls, reward
from onearm.mh.full_search import FullRoom, full_search
from onearm.mh.stump import BEST, KEPT, MARGIN, NO_CUT, NONE, best_cut, keep
from onearm.mh.weights import UNIT, in_line, mass


def threads(n_jobs: int | None) -> int:
    """How many threads there may be, as scikit-learn counts jobs."""
    return min(effective_n_jobs(n_jobs), get_num_threads())


class Room:
    """What a search writes to: sums by code, sums below cuts, and what a full search needs."""

    def __init__(self, n_codes: int, K: int, full: FullRoom) -> None:
        self.by_code, self.below = in_line(n_codes, 2, K), np.zeros((3, 2, K))
        self.full = full

    def model(self) -> tuple:
        return self.by_code, self.below, self.full.model()


@kernel_without_refcounts
def search(psi, at, node, total, weights, columns, room, arms, rng):
    """Search the columns that the bandit points at: (γ, column, last code below, first above).

    The sums below the best cut are kept in the room, and every column searched is rewarded.
    """
    if arms[6][0] == FULL:
        return full_search(psi, at, node, total, weights, columns, room, arms, rng)
    by_code, below = room[0], room[1]
    best, column, lo, hi = -1.0, NONE, NO_CUT, NO_CUT
    weight = 1.0 if node == NONE else mass(total, weights) / UNIT
    for number in range(pulls(arms)):
        a = pull(number, arms, rng)
        j = arms[0][a]
        gamma, under, over = best_cut(j, psi, at, node, total, weights, columns, by_code, below)
        gamma /= UNIT
        reward(a, gamma, weight, arms)
        if gamma > best + MARGIN:
            best, column, lo, hi = gamma, j, under, over
            keep(below[KEPT], below[BEST])
    return best, column, lo, hi


@kernel_without_refcounts
def try_all(psi, at, total, weights, columns, room, arms):
    """Let the bandit know what each column is worth at the start."""
    by_code, below = room[0], room[1]
    for a in range(len(arms[0])):
        j = arms[0][a]
        gamma = best_cut(j, psi, at, NONE, total, weights, columns, by_code, below)[0]
        reward(a, gamma / UNIT, 1.0, arms)
