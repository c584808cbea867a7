"""The search for a stump: the best cut of the columns that a bandit chooses, or of all.

A stump is h_l(x) = v_l·φ(x), with φ = +1 if x_j ≥ b and else -1, and votes v_l = ±1. With

    e_l = Σ_i w_il y_il φ(x_i)

the best votes are the signs of e, and its edge is γ = Σ_l |e_l|. All thresholds b between the
values of a column are tried in one pass over its histogram; of equal edges the first is taken.

A node is the set of rows with leaf_of[i] = node, or with NONE all rows. Virtual labels, which
products are fitted to, are y_il·ψ_i with signs ψ. Sums are (2, K) as in `weights`.

Where every column is searched it pays to multiply out the signed weights S_il = w_il y_il ψ_i
first, for then one sum for each bin and label gives the edge, and a histogram stays in the cache.
As integers they add up exactly: columns may be shared among threads and the stump is the same.

Kernels write to the tuple scratch = (by_bin, below, full, members): sums by bin, sums below three
cuts, for a full search (S, total, by_bin, gammas, n, counts, votes), and what `random_trees` has. S
has a sum over all rows, and sums by bin for each thread; then come γ of each column; in a node, the
number of rows with weight, and by bin for each thread; votes for each thread. Where only some
columns are searched, these have scores of categories.
"""

import numpy as np
from numba import prange

from onearm.core.kernels import bind, kernel, kernel_without_refcounts
from onearm.mh.bandits import is_full, pull, reward
from onearm.mh.binning import collect, collect_signed, complete
from onearm.mh.subsets import UNORDERED, best_subset, search_subset
from onearm.mh.weights import (
    ALL,
    HAS,
    NONE,
    SIGNED,
    UNIT,
    add_row,
    clear,
    copy_sums,
    is_empty,
    row_loop,
    sign_weights,
    total_weight,
)

NO_CUT = 0
COLUMN, LOW, HIGH = range(3)  # of a stump: column, last bin below the cut, first above
MARGIN = 1e-12  # by which an edge must be larger to be better: not by rounding
CURRENT, BEST, SELECTED = range(3)  # sums below a cut: the current, a column's best, the overall


@kernel_without_refcounts
def cut_sum(l, below, total, factors):  # noqa: E741
    """e_l of the cut above these sums, times UNIT."""
    plus, minus = factors
    has = total[HAS, l] - 2.0 * below[HAS, l]
    rest = total[ALL, l] - 2.0 * below[ALL, l] - has
    return plus[l] * has - minus[l] * rest


@kernel_without_refcounts
def edge(below, total, factors):
    """γ of the cut above these sums, times UNIT."""
    gamma = 0.0
    for l in range(total.shape[1]):  # noqa: E741
        gamma += abs(cut_sum(l, below, total, factors))
    return gamma


@kernel_without_refcounts
def scan(j, node, total, factors, columns, by_bin, below):
    """The best cut through the sums of column j: (γ·UNIT, last bin below, first bin above)."""
    entries, (common, first, offsets), exact = columns
    best, lo, hi, last = -1.0, NO_CUT, NO_CUT, NONE
    clear(below[CURRENT])
    for c in range(offsets[j + 1] - offsets[j]):
        if node != NONE and is_empty(by_bin[c]):
            continue
        if last >= first[j]:
            gamma = edge(below[CURRENT], total, factors)
            if gamma > best + MARGIN * UNIT:
                best, lo, hi = gamma, last, c
                copy_sums(below[BEST], below[CURRENT])
        last = c
        for l in range(total.shape[1]):  # noqa: E741
            below[CURRENT, ALL, l] += by_bin[c, ALL, l]
            below[CURRENT, HAS, l] += by_bin[c, HAS, l]
    return best, lo, hi


@kernel_without_refcounts
def scan_sorted(j, psi, leaf_of, node, total, weights, columns, below):
    """The same over the rows of column j themselves, which are sorted by bin."""
    A, factors, positive, sums, before = weights
    (begins, rows, bins, dense_row, dense), (common, first, offsets), exact = columns
    best, lo, hi, last = -1.0, NO_CUT, NO_CUT, NONE
    clear(below[CURRENT])
    for e in range(begins[j], begins[j + 1]):
        i, c = rows[e], np.int64(bins[e])
        if node != NONE and leaf_of[i] != node:
            continue
        if c != last and last >= first[j]:
            gamma = edge(below[CURRENT], total, factors)
            if gamma > best + MARGIN * UNIT:
                best, lo, hi = gamma, last, c
                copy_sums(below[BEST], below[CURRENT])
        last = c
        add_row(i, psi[i], below[CURRENT], weights)
    return best, lo, hi


@kernel_without_refcounts
def best_cut(j, psi, leaf_of, node, total, weights, columns, scratch, rng):
    """The best cut of column j, by histogram or, where columns are sorted, by their rows."""
    A, factors, positive, sums, before = weights
    entries, bins, exact = columns
    by_bin, below, full, members = scratch
    if exact:
        return scan_sorted(j, psi, leaf_of, node, total, weights, columns, below)
    collect(j, psi, leaf_of, node, weights, columns, by_bin)
    complete(j, total, columns, by_bin)
    return best_of_bins(j, node, total, factors, columns, scratch)


@kernel_without_refcounts
def best_of_bins(j, node, total, factors, columns, scratch):
    """The best cut through the sums of column j, or the best subset of its categories."""
    entries, (common, first, offsets), exact = columns
    by_bin, below, (S, S_total, S_by_bin, gammas, n, counts, votes), members = scratch
    if first[j] == UNORDERED:
        scores = S_by_bin[0], S_total, votes[0]
        return search_subset(j, total, factors, columns, by_bin, below[BEST], scores)
    return scan(j, node, total, factors, columns, by_bin, below)


@kernel_without_refcounts
def largest_edge(j, node, columns, total, by_bin, n, counts, votes):
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
    if first[j] == UNORDERED:
        gamma, bits = best_subset(offsets[j + 1] - offsets[j], rest, by_bin, total, votes, SIGNED)
        return gamma / SIGNED
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
    (begins, rows, bins, dense_row, dense), (common, first, offsets), exact = columns
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
    S, total, by_bin, gammas, n, counts, votes = full
    columns = entries, bins, exact
    for a in range(thread, len(searched), len(by_bin)):
        j, sums, rows = searched[a], by_bin[thread], counts[thread]
        if exact:
            gammas[a] = _scan_sorted(j, leaf_of, node, columns, S, total, sums)
        else:
            collect_signed(j, leaf_of, node, columns, S, sums, rows)
            gammas[a] = largest_edge(j, node, columns, total, sums, n[0], rows, votes[thread])


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
def best_of_all(psi, leaf_of, node, total, weights, columns, scratch, bandit, rng):
    """The first column of the largest γ; it is searched again, for its cut and the sums below."""
    by_bin, below, (S, S_total, S_by_bin, gammas, n, counts, votes), members = scratch
    searched, statistics, clock, L, p, order, blocks, uct, settings = bandit
    arm = _best_arm(gammas, bandit)
    if arm == NONE:
        return -1.0, NONE, NO_CUT, NO_CUT
    j = searched[arm]
    gamma, lo, hi = best_cut(j, psi, leaf_of, node, total, weights, columns, scratch, rng)
    copy_sums(below[SELECTED], below[BEST])
    return gamma / UNIT, j, lo, hi


def search_shares(leaf_of, node, entries, bins, exact, full, searched):
    """Search all columns, by as many threads as there are histograms."""
    S, total, by_bin, gammas, n, counts, votes = full
    for thread in prange(len(by_bin)):
        _search_share(thread, leaf_of, node, entries, bins, exact, full, searched)


search_shares_in_threads = kernel(search_shares, parallel=True, forceinline=False)
search_shares = kernel(search_shares, _nrt=False)


@kernel_without_refcounts
def full_search(psi, leaf_of, node, total, weights, columns, scratch, bandit, rng):
    """Search all columns: (γ, column, last bin below, first above), as `search` does."""
    by_bin, below, full, members = scratch
    S, S_total, S_by_bin, gammas, n, counts, votes = full
    searched, statistics, clock, L, p, order, blocks, uct, settings = bandit
    sign_weights(psi, leaf_of, node, weights, S, S_total, n)
    entries, bins, exact = columns
    search_shares(leaf_of, node, entries, bins, exact, full, searched)
    return best_of_all(psi, leaf_of, node, total, weights, columns, scratch, bandit, rng)


full_search_in_threads = bind(
    full_search, "full_search_in_threads", search_shares=search_shares_in_threads
)


@kernel_without_refcounts
def node_weight(node, total, factors):
    """The weight of a node; that of all rows is 1."""
    return 1.0 if node == NONE else total_weight(total, factors)


@kernel_without_refcounts
def search(psi, leaf_of, node, total, weights, columns, scratch, bandit, rng):
    """Search the columns that the bandit chooses: (γ, column, last bin below, first above).

    The sums below the best cut become below[SELECTED], and every column searched is rewarded.
    """
    if is_full(bandit):
        return full_search(psi, leaf_of, node, total, weights, columns, scratch, bandit, rng)
    A, factors, positive, sums, before = weights
    by_bin, below, full, members = scratch
    searched, statistics, clock, L, p, order, blocks, uct, settings = bandit
    policy, at_once, kind, lam, eta, horizon, scaled = settings
    best, column, lo, hi = -1.0, NONE, NO_CUT, NO_CUT
    weight = node_weight(node, total, factors)
    for number in range(at_once):
        a = pull(number, bandit, rng)
        j = searched[a]
        gamma, under, over = best_cut(j, psi, leaf_of, node, total, weights, columns, scratch, rng)
        gamma /= UNIT
        reward(a, gamma, weight, bandit)
        if gamma > best + MARGIN:
            best, column, lo, hi = gamma, j, under, over
            copy_sums(below[SELECTED], below[BEST])
    return best, column, lo, hi


@kernel_without_refcounts
def try_all(total, psi, leaf_of, weights, columns, scratch, bandit, rng):
    """Reward every column once, by its edge at the start."""
    by_bin, below, full, members = scratch
    searched, statistics, clock, L, p, order, blocks, uct, settings = bandit
    for a in range(len(searched)):
        j = searched[a]
        gamma, _, _ = best_cut(j, psi, leaf_of, NONE, total, weights, columns, scratch, rng)
        reward(a, gamma / UNIT, 1.0, bandit)
