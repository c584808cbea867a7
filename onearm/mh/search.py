"""The search for a stump: the best cut of the columns that a bandit points at.

A full search may be shared among threads. Sums are exact and the columns are compared in the same
order, so the stump is the same.
"""

import numpy as np
from joblib import effective_n_jobs
from numba import get_num_threads, prange

from onearm.kernels import kernel, lean_kernel
from onearm.mh.arms import pull, pulls, reward
from onearm.mh.stump import BEST, MARGIN, NO_CUT, NONE, best_cut, keep
from onearm.mh.weights import UNIT, mass

KEPT = BEST + 1  # the sums below the best cut of a search


def threads(n_jobs: int | None) -> int:
    """How many threads there may be, as scikit-learn counts jobs."""
    return min(effective_n_jobs(n_jobs), get_num_threads())


class Room:
    """What a search writes to.

    For each thread: sums by code, and sums below cuts. For each column: γ, and the codes on both
    sides of its best cut.
    """

    def __init__(self, n_threads: int, n_columns: int, n_codes: int, K: int) -> None:
        self.by_code = np.zeros((n_threads, n_codes, 2, K))
        self.below = np.zeros((n_threads, 3, 2, K))
        self.gammas, self.cuts = np.zeros(n_columns), np.zeros((n_columns, 2), np.int64)

    def model(self) -> tuple:
        return self.by_code, self.below, self.gammas, self.cuts


@lean_kernel
def search(psi, at, node, total, weights, columns, room, arms, rng):
    """Search the columns that the bandit points at: (γ, column, last code below, first above).

    The sums below the best cut are kept in the room, and every column searched is rewarded.
    """
    by_code, below = room[0][0], room[1][0]
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


def _share(thread, psi, at, node, total, weights, columns, room, searched):
    """What one thread does of a full search: every n-th column."""
    by_code, below, gammas, cuts = room
    for a in range(thread, len(searched), len(by_code)):
        gammas[a], cuts[a, 0], cuts[a, 1] = best_cut(
            searched[a], psi, at, node, total, weights, columns, by_code[thread], below[thread]
        )


_share = kernel(_share, _nrt=False, forceinline=False)


def search_in_threads(psi, at, node, total, weights, columns, room, arms, rng):
    """The same for a full search, shared among threads."""
    by_code, below, gammas, cuts = room
    searched = arms[0]
    for thread in prange(len(by_code)):
        _share(thread, psi, at, node, total, weights, columns, room, searched)
    best, of = -1.0, NONE
    for a in range(len(searched)):
        gamma = gammas[a] / UNIT
        reward(a, gamma, 1.0, arms)
        if gamma > best + MARGIN:
            best, of = gamma, a
    if of == NONE:
        return best, NONE, NO_CUT, NO_CUT
    j = searched[of]  # once more, for its sums
    best_cut(j, psi, at, node, total, weights, columns, by_code[0], below[0])
    keep(below[0, KEPT], below[0, BEST])
    return best, j, cuts[of, 0], cuts[of, 1]


search_in_threads = kernel(search_in_threads, parallel=True, forceinline=False)


@lean_kernel
def try_all(psi, at, total, weights, columns, room, arms):
    """Let the bandit know what each column is worth at the start."""
    by_code, below = room[0][0], room[1][0]
    for a in range(len(arms[0])):
        j = arms[0][a]
        gamma = best_cut(j, psi, at, NONE, total, weights, columns, by_code, below)[0]
        reward(a, gamma / UNIT, 1.0, arms)
