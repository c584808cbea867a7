"""The search for a stump: the best cut of the columns that a bandit chooses, or of all.

Where every column is searched it pays to multiply out the signed weights first,

    S_il = w_il y_il ψ_i,

for then one sum for each bin and label gives the edge, and a histogram stays in the cache. As
integers they add up exactly: columns may be shared among threads and the stump is the same.

Kernels write to the tuple scratch = (by_bin, below, full): sums by bin, sums below the three cuts
of `stump`, and for a full search (S, total, by_bin, gammas, n, counts): S and its sum over all
rows, sums by bin for each thread, γ of each column; in a node, the number of rows with weight, and
by bin for each thread.
"""

import numpy as np
from numba import prange

from onearm.core.kernels import bind, kernel, kernel_without_refcounts
from onearm.mh.bandits import is_full, pull, reward
from onearm.mh.stump import BEST, MARGIN, NO_CUT, NONE, SELECTED, best_cut
from onearm.mh.weights import UNIT, aligned_zeros, copy_sums, row_loop, total_weight

FINER = 2.0**4  # than the units of A: so many that sums still have at most 53 bits
SIGNED = FINER * UNIT


def make_scratch(n: int, n_threads: int, n_columns: int, n_bins: int, K: int) -> tuple:
    """Return the tuple `scratch` above; n is the number of rows, 0 if no search is full."""
    full = (
        aligned_zeros(n, K), np.zeros(K), aligned_zeros(n_threads, n_bins, K),
        np.zeros(n_columns), np.zeros(1, np.int64), np.zeros((n_threads, n_bins), np.int64),
    )  # fmt: skip
    return aligned_zeros(n_bins, 2, K), np.zeros((3, 2, K)), full


@kernel_without_refcounts
def sign_weights(psi, leaf_of, node, weights, S, total, n):
    """Multiply out S in a node, or everywhere, and sum it."""
    A, (plus, minus), (starts, labels, single), sums, before = weights
    n[0] = 0
    for l in range(len(total)):  # noqa: E741
        total[l] = 0.0
    for i in range(len(A)):
        if node != NONE and leaf_of[i] != node:
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
def collect_signed(j, leaf_of, node, columns, S, by_bin, counts):
    """Sum the stored rows of each bin of column j, and in a node count them."""
    (begins, rows, bins), (common, first, offsets), exact = columns
    wide = S.shape[1]
    for c in range(offsets[j + 1] - offsets[j]):
        counts[c] = 0
        for l in range(wide):  # noqa: E741
            by_bin[c, l] = 0.0
    if node == NONE:
        for e in range(begins[j], begins[j + 1]):
            i, c = rows[e], bins[e]
            for l in range(wide):  # noqa: E741
                by_bin[c, l] += S[i, l]
    else:
        for e in range(begins[j], begins[j + 1]):
            i, c = rows[e], bins[e]
            if leaf_of[i] == node:
                counts[c] += S[i, 0] != 0.0
                for l in range(wide):  # noqa: E741
                    by_bin[c, l] += S[i, l]


@kernel_without_refcounts
def largest_edge(j, node, columns, total, by_bin, n, counts):
    """The largest γ of column j, whose sums by bin become sums up to each bin."""
    entries, (common, first, offsets), exact = columns
    rest, K = common[j], len(total)
    counts[rest] = n
    for l in range(K):  # noqa: E741
        by_bin[rest, l] = total[l]
    for c in range(offsets[j + 1] - offsets[j]):
        if c != rest:
            counts[rest] -= counts[c]
            for l in range(K):  # noqa: E741
                by_bin[rest, l] -= by_bin[c, l]
    best, last = -1.0, NONE
    for c in range(offsets[j + 1] - offsets[j]):
        if node != NONE and counts[c] == 0:
            continue
        if last >= first[j]:
            best = max(best, _edge(last, by_bin, total))
        if last != NONE:
            for l in range(K):  # noqa: E741
                by_bin[c, l] += by_bin[last, l]
        last = c
    return best / SIGNED


@kernel_without_refcounts
def _edge(c, below, total):
    gamma = 0.0
    for l in range(len(total)):  # noqa: E741
        gamma += abs(total[l] - 2.0 * below[c, l])
    return gamma


@kernel_without_refcounts
def _scan_sorted(j, leaf_of, node, columns, S, total, below):
    """The largest γ of column j by its rows themselves, which are sorted by bin."""
    (begins, rows, bins), (common, first, offsets), exact = columns
    best, last = -1.0, NONE
    for l in range(len(total)):  # noqa: E741
        below[0, l] = 0.0
    for e in range(begins[j], begins[j + 1]):
        i, c = rows[e], np.int64(bins[e])
        if node != NONE and leaf_of[i] != node:
            continue
        if c != last and last >= first[j]:
            best = max(best, _edge(0, below, total))
        last = c
        for l in range(len(total)):  # noqa: E741
            below[0, l] += S[i, l]
    return best / SIGNED


@row_loop
def _search_share(thread, leaf_of, node, entries, bins, exact, full, searched):
    """What one thread does: every n-th column. No tuple of tuples, which `prange` refuses."""
    S, total, by_bin, gammas, n, counts = full
    columns = entries, bins, exact
    for a in range(thread, len(searched), len(by_bin)):
        j, sums, rows = searched[a], by_bin[thread], counts[thread]
        if exact:
            gammas[a] = _scan_sorted(j, leaf_of, node, columns, S, total, sums)
        else:
            collect_signed(j, leaf_of, node, columns, S, sums, rows)
            gammas[a] = largest_edge(j, node, columns, total, sums, n[0], rows)


@kernel_without_refcounts
def _best_arm(gammas, bandit):
    """The first arm of the largest γ; all are rewarded."""
    best, arm = -1.0, NONE
    for a in range(len(gammas)):
        reward(a, gammas[a], 1.0, bandit)
        if gammas[a] > best + MARGIN:
            best, arm = gammas[a], a
    return arm


@kernel_without_refcounts
def best_of_all(psi, leaf_of, node, total, weights, columns, scratch, bandit):
    """The first column of the largest γ; it is searched again, for its cut and the sums below."""
    by_bin, below, (S, S_total, S_by_bin, gammas, n, counts) = scratch
    searched, statistics, clock, L, p, order, settings = bandit
    arm = _best_arm(gammas, bandit)
    if arm == NONE:
        return -1.0, NONE, NO_CUT, NO_CUT
    j = searched[arm]
    gamma, lo, hi = best_cut(j, psi, leaf_of, node, total, weights, columns, by_bin, below)
    copy_sums(below[SELECTED], below[BEST])
    return gamma / UNIT, j, lo, hi


def search_shares(leaf_of, node, entries, bins, exact, full, searched):
    """Search all columns, by as many threads as there are histograms."""
    S, total, by_bin, gammas, n, counts = full
    for thread in prange(len(by_bin)):
        _search_share(thread, leaf_of, node, entries, bins, exact, full, searched)


search_shares_in_threads = kernel(search_shares, parallel=True, forceinline=False)
search_shares = kernel(search_shares, _nrt=False)


@kernel_without_refcounts
def full_search(psi, leaf_of, node, total, weights, columns, scratch, bandit, rng):
    """Search all columns: (γ, column, last bin below, first above), as `search` does."""
    by_bin, below, full = scratch
    S, S_total, S_by_bin, gammas, n, counts = full
    searched, statistics, clock, L, p, order, settings = bandit
    sign_weights(psi, leaf_of, node, weights, S, S_total, n)
    entries, bins, exact = columns
    search_shares(leaf_of, node, entries, bins, exact, full, searched)
    return best_of_all(psi, leaf_of, node, total, weights, columns, scratch, bandit)


full_search_in_threads = bind(
    full_search, "full_search_in_threads", search_shares=search_shares_in_threads
)


@kernel_without_refcounts
def search(psi, leaf_of, node, total, weights, columns, scratch, bandit, rng):
    """Search the columns that the bandit chooses: (γ, column, last bin below, first above).

    The sums below the best cut become below[SELECTED], and every column searched is rewarded.
    """
    if is_full(bandit):
        return full_search(psi, leaf_of, node, total, weights, columns, scratch, bandit, rng)
    A, factors, positive, sums, before = weights
    by_bin, below, full = scratch
    searched, statistics, clock, L, p, order, settings = bandit
    policy, at_once, kind, lam, eta, horizon, scaled = settings
    best, column, lo, hi = -1.0, NONE, NO_CUT, NO_CUT
    weight = 1.0 if node == NONE else total_weight(total, factors)
    for number in range(at_once):
        a = pull(number, bandit, rng)
        j = searched[a]
        gamma, under, over = best_cut(j, psi, leaf_of, node, total, weights, columns, by_bin, below)
        gamma /= UNIT
        reward(a, gamma, weight, bandit)
        if gamma > best + MARGIN:
            best, column, lo, hi = gamma, j, under, over
            copy_sums(below[SELECTED], below[BEST])
    return best, column, lo, hi


@kernel_without_refcounts
def try_all(total, psi, leaf_of, weights, columns, scratch, bandit):
    """Reward every column once, by its edge at the start."""
    by_bin, below, full = scratch
    searched, statistics, clock, L, p, order, settings = bandit
    for a in range(len(searched)):
        j = searched[a]
        gamma, _, _ = best_cut(j, psi, leaf_of, NONE, total, weights, columns, by_bin, below)
        reward(a, gamma / UNIT, 1.0, bandit)
