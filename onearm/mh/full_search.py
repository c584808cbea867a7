"""The full search for a stump: the best cut of all columns.

Where every column is searched it pays to multiply out the signed weights first,

    S_il = w_il y_il ψ_i,

for then one sum for each code and label tells the edge, and a histogram stays in the cache. As
integers they add up exactly: columns may be shared among threads and the stump is the same.
"""

import numpy as np
from numba import prange

from onearm.core.kernels import kernel, kernel_without_refcounts
from onearm.mh.bandits import reward
from onearm.mh.stump import BEST, KEPT, MARGIN, NO_CUT, NONE, best_cut, keep
from onearm.mh.weights import LANES, UNIT, in_line

FINER = 2.0**4  # than the units of A: so many that sums still have at most 53 bits
SIGNED = FINER * UNIT


class FullRoom:
    """What a full search writes to.

    S and its sum over all rows, sums by code for each thread, γ of each column; in a node, how many
    rows with weight there are, and for each thread by code.
    """

    def __init__(self, n: int, n_threads: int, n_columns: int, n_codes: int, K: int) -> None:
        wide = -(-K // LANES) * LANES
        self.S, self.total = in_line(n, wide), np.zeros(K)
        self.by_code, self.gammas = in_line(n_threads, n_codes, wide), np.zeros(n_columns)
        self.n, self.rows = np.zeros(1, np.int64), np.zeros((n_threads, n_codes), np.int64)

    def model(self) -> tuple:
        return self.S, self.total, self.by_code, self.gammas, self.n, self.rows


@kernel_without_refcounts
def sign_weights(psi, at, node, weights, S, total, n):
    """Multiply out S in a node, or everywhere, and sum it."""
    A, plus, minus, starts, labels = weights[0], weights[1], weights[2], weights[3], weights[4]
    n[0] = 0
    for l in range(len(total)):  # noqa: E741
        total[l] = 0.0
    for i in range(len(A)):
        if node != NONE and at[i] != node:
            continue
        times = FINER * psi[i]
        for l in range(len(total)):  # noqa: E741
            S[i, l] = np.rint(A[i, l] * minus[l] * -times)
        for a in range(starts[i], starts[i + 1]):
            l = labels[a]  # noqa: E741
            S[i, l] = np.rint(A[i, l] * plus[l] * times)
        n[0] += S[i, 0] != 0.0
        for l in range(len(total)):  # noqa: E741
            total[l] += S[i, l]


@kernel_without_refcounts
def collect_signed(j, at, node, columns, S, by_code, counts):
    """Add up the rows kept of each code of column j, and in a node count them."""
    begins, rows, codes, places = columns[0], columns[1], columns[2], columns[5]
    wide = S.shape[1]
    for c in range(places[j + 1] - places[j]):
        counts[c] = 0
        for l in range(wide):  # noqa: E741
            by_code[c, l] = 0.0
    if node == NONE:
        for e in range(begins[j], begins[j + 1]):
            i, c = rows[e], codes[e]
            for l in range(wide):  # noqa: E741
                by_code[c, l] += S[i, l]
    else:
        for e in range(begins[j], begins[j + 1]):
            i, c = rows[e], codes[e]
            if at[i] == node:
                counts[c] += S[i, 0] != 0.0
                for l in range(wide):  # noqa: E741
                    by_code[c, l] += S[i, l]


@kernel_without_refcounts
def search_signed(j, node, columns, total, by_code, n, counts):
    """The largest γ of column j, once the most common code has the total less the rest."""
    rest, places, K = columns[3][j], columns[5], len(total)
    counts[rest] = n
    for l in range(K):  # noqa: E741
        by_code[rest, l] = total[l]
    for c in range(places[j + 1] - places[j]):
        if c != rest:
            counts[rest] -= counts[c]
            for l in range(K):  # noqa: E741
                by_code[rest, l] -= by_code[c, l]
    return _scan(j, node, columns, total, by_code, counts) / SIGNED


@kernel_without_refcounts
def _edge(c, below, total):
    gamma = 0.0
    for l in range(len(total)):  # noqa: E741
        gamma += abs(total[l] - 2.0 * below[c, l])
    return gamma


@kernel_without_refcounts
def _scan(j, node, columns, total, by_code, counts):
    """The largest γ of column j, whose sums by code become sums up to each code."""
    first, places = columns[4], columns[5]
    best, last = -1.0, NONE
    for c in range(places[j + 1] - places[j]):
        if node != NONE and counts[c] == 0:
            continue
        if last >= first[j]:
            gamma = _edge(last, by_code, total)
            if gamma > best:
                best = gamma
        if last != NONE:
            for l in range(len(total)):  # noqa: E741
                by_code[c, l] += by_code[last, l]
        last = c
    return best


@kernel_without_refcounts
def _scan_sorted(j, at, node, columns, S, total, below):
    """The same over the rows of column j themselves, which are sorted by code."""
    begins, rows, codes, first = columns[0], columns[1], columns[2], columns[4]
    best, last = -1.0, NONE
    for l in range(len(total)):  # noqa: E741
        below[0, l] = 0.0
    for e in range(begins[j], begins[j + 1]):
        i, c = rows[e], np.int64(codes[e])
        if node != NONE and at[i] != node:
            continue
        if c != last and last >= first[j]:
            best = max(best, _edge(0, below, total))
        last = c
        for l in range(len(total)):  # noqa: E741
            below[0, l] += S[i, l]
    return best


def _share(thread, at, node, columns, full, searched):
    """What one thread does: every n-th column."""
    S, total, by_code, gammas, n, rows = full
    for a in range(thread, len(searched), len(by_code)):
        j = searched[a]
        if columns[8]:
            gammas[a] = _scan_sorted(j, at, node, columns, S, total, by_code[thread]) / SIGNED
        else:
            own, counts = by_code[thread], rows[thread]
            collect_signed(j, at, node, columns, S, own, counts)
            gammas[a] = search_signed(j, node, columns, total, own, n[0], counts)


_share = kernel(_share, _nrt=False, forceinline=False)


@kernel_without_refcounts
def _best_arm(gammas, arms):
    """The first arm of the largest γ; all are rewarded."""
    best, of = -1.0, NONE
    for a in range(len(gammas)):
        reward(a, gammas[a], 1.0, arms)
        if gammas[a] > best + MARGIN:
            best, of = gammas[a], a
    return of


@kernel_without_refcounts
def best_of_all(psi, at, node, total, weights, columns, room, arms):
    """The first column of the largest γ; it is searched again, for its cut and the sums below."""
    by_code, below, gammas = room[0], room[1], room[2][3]
    of = _best_arm(gammas, arms)
    if of == NONE:
        return -1.0, NONE, NO_CUT, NO_CUT
    j = arms[0][of]
    gamma, lo, hi = best_cut(j, psi, at, node, total, weights, columns, by_code, below)
    keep(below[KEPT], below[BEST])
    return gamma / UNIT, j, lo, hi


@kernel_without_refcounts
def full_search(psi, at, node, total, weights, columns, room, arms, rng):
    """Search all columns: (γ, column, last code below, first above), as `search` does."""
    full = room[2]
    sign_weights(psi, at, node, weights, full[0], full[1], full[4])
    _share(0, at, node, columns, full, arms[0])
    return best_of_all(psi, at, node, total, weights, columns, room, arms)


def full_search_in_threads(psi, at, node, total, weights, columns, room, arms, rng):
    """The same, shared among threads."""
    full, searched = room[2], arms[0]
    sign_weights(psi, at, node, weights, full[0], full[1], full[4])
    for thread in prange(len(full[2])):
        _share(thread, at, node, columns, full, searched)
    return best_of_all(psi, at, node, total, weights, columns, room, arms)


full_search_in_threads = kernel(full_search_in_threads, parallel=True, forceinline=False)
