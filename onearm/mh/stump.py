"""The best stump on one column, from integer histograms.

A stump says h_l(x) = v_l·φ(x), with φ = +1 if x_j ≥ b and else -1, and votes v_l = ±1. With

    e_l = Σ_i w_il y_il φ(x_i)

the best votes are the signs of e, and its edge is γ = Σ_l |e_l|. All thresholds b between the
values of a column are tried in one pass, the first of the best is taken.

A node, if there is one, is the set of rows with at[i] = node. Virtual labels, of which products are
made, are y_il·ψ_i with signs ψ.
"""

import numpy as np

from onearm.kernels import lean_kernel
from onearm.mh.arms import pull, pulls, reward
from onearm.mh.weights import UNIT

NONE = -1  # no node: all rows; no column
NO_CUT = 0
MARGIN = 1e-12  # by which an edge must be larger to be better: not by rounding


class Room:
    """What a search writes to; one for each thread."""

    def __init__(self, n_codes: int, K: int) -> None:
        self.all_, self.has = np.zeros((n_codes, K), np.int64), np.zeros((n_codes, K), np.int64)
        self.sums = np.zeros((6, K), np.int64)

    def model(self) -> tuple:
        return self.all_, self.has, self.sums


# Of sums below a cut: that of now, the best of a column, and the best of a search.
ALL, HAS, BEST_ALL, BEST_HAS, KEPT_ALL, KEPT_HAS = range(6)


@lean_kernel
def collect(j, psi, at, node, total, weights, columns, room):
    """Add up the rows of each code of column j, in a node or, with NONE, everywhere."""
    A, plus, minus, starts, labels, all_, has = weights
    begins, rows, codes, common, first, places, low, high, whole = columns
    sum_all, sum_has, sums = room
    K, n_codes, rest = A.shape[1], places[j + 1] - places[j], common[j]
    for c in range(n_codes):
        for l in range(K):  # noqa: E741
            sum_all[c, l] = sum_has[c, l] = 0
    for e in range(begins[j], begins[j + 1]):
        i, c = rows[e], codes[e]
        if node != NONE and at[i] != node:
            continue
        if psi[i] > 0:
            for l in range(K):  # noqa: E741
                sum_all[c, l] += A[i, l]
            for a in range(starts[i], starts[i + 1]):
                sum_has[c, labels[a]] += A[i, labels[a]]
        else:
            for l in range(K):  # noqa: E741
                sum_all[c, l] -= A[i, l]
            for a in range(starts[i], starts[i + 1]):
                sum_has[c, labels[a]] -= A[i, labels[a]]
    for l in range(K):  # noqa: E741
        sum_all[rest, l], sum_has[rest, l] = total[ALL, l], total[HAS, l]
    for c in range(n_codes):
        if c != rest:
            for l in range(K):  # noqa: E741
                sum_all[rest, l] -= sum_all[c, l]
                sum_has[rest, l] -= sum_has[c, l]


@lean_kernel
def edge_of(below_all, below_has, total, weights):
    """γ of the cut above these sums, times UNIT."""
    plus, minus = weights[1], weights[2]
    gamma = 0.0
    for l in range(len(plus)):  # noqa: E741
        gamma += abs(e_of(l, below_all[l], below_has[l], total, plus, minus))
    return gamma


@lean_kernel
def e_of(l, below_all, below_has, total, plus, minus):  # noqa: E741
    has = total[HAS, l] - 2 * below_has
    rest = total[ALL, l] - 2 * below_all - has
    return plus[l] * has - minus[l] * rest


@lean_kernel
def _some(counts):
    for l in range(len(counts)):  # noqa: E741
        if counts[l] != 0:
            return True
    return False


@lean_kernel
def scan(j, node, total, weights, columns, room):
    """The best cut through the sums of column j: (γ·UNIT, last code below, first code above)."""
    first, places = columns[4], columns[5]
    sum_all, sum_has, sums = room
    K, n_codes = sum_all.shape[1], places[j + 1] - places[j]
    best, lo, hi, last = -1.0, NO_CUT, NO_CUT, NONE
    for l in range(K):  # noqa: E741
        sums[ALL, l] = sums[HAS, l] = 0
    for c in range(n_codes):
        if node != NONE and not _some(sum_all[c]):
            continue  # no row of the node has it
        if last >= first[j]:
            gamma = edge_of(sums[ALL], sums[HAS], total, weights)
            if gamma > best + MARGIN * UNIT:
                best, lo, hi = gamma, last, c
                _keep(sums, BEST_ALL, ALL)
        last = c
        for l in range(K):  # noqa: E741
            sums[ALL, l] += sum_all[c, l]
            sums[HAS, l] += sum_has[c, l]
    return best, lo, hi


@lean_kernel
def scan_sorted(j, psi, at, node, total, weights, columns, room):
    """The same over the rows of column j themselves, which are sorted by code."""
    A, plus, minus, starts, labels, all_, has = weights
    begins, rows, codes, common, first, places, low, high, whole = columns
    sums, K = room[2], A.shape[1]
    best, lo, hi, last = -1.0, NO_CUT, NO_CUT, NONE
    for l in range(K):  # noqa: E741
        sums[ALL, l] = sums[HAS, l] = 0
    for e in range(begins[j], begins[j + 1]):
        i, c = rows[e], np.int64(codes[e])
        if node != NONE and at[i] != node:
            continue
        if c != last and last >= first[j]:
            gamma = edge_of(sums[ALL], sums[HAS], total, weights)
            if gamma > best + MARGIN * UNIT:
                best, lo, hi = gamma, last, c
                _keep(sums, BEST_ALL, ALL)
        last = c
        for l in range(K):  # noqa: E741
            sums[ALL, l] += psi[i] * A[i, l]
        for a in range(starts[i], starts[i + 1]):
            sums[HAS, labels[a]] += psi[i] * A[i, labels[a]]
    return best, lo, hi


@lean_kernel
def _keep(sums, to, of):
    for l in range(sums.shape[1]):  # noqa: E741
        sums[to, l], sums[to + 1, l] = sums[of, l], sums[of + 1, l]


@lean_kernel
def best_cut(j, psi, at, node, total, weights, columns, room):
    """The best cut of column j, by histogram or, where columns are whole, by sorted rows."""
    if columns[8]:
        return scan_sorted(j, psi, at, node, total, weights, columns, room)
    collect(j, psi, at, node, total, weights, columns, room)
    return scan(j, node, total, weights, columns, room)


@lean_kernel
def search(psi, at, node, total, weights, columns, room, arms, rng):
    """Search the columns that the bandit points at: (γ, column, last code below, first above).

    The sums below the best cut are kept in the room, and every column searched is rewarded.
    """
    best, column, lo, hi = -1.0, NONE, NO_CUT, NO_CUT
    for number in range(pulls(arms)):
        a = pull(number, arms, rng)
        j = arms[0][a]
        gamma, below, above = best_cut(j, psi, at, node, total, weights, columns, room)
        gamma /= UNIT
        reward(a, gamma, arms)
        if gamma > best + MARGIN:
            best, column, lo, hi = gamma, j, below, above
            _keep(room[2], KEPT_ALL, BEST_ALL)
    return best, column, lo, hi


@lean_kernel
def try_all(psi, at, total, weights, columns, room, arms):
    """Let the bandit know what each column is worth at the start."""
    for a in range(len(arms[0])):
        gamma = best_cut(arms[0][a], psi, at, NONE, total, weights, columns, room)[0]
        reward(a, gamma / UNIT, arms)
