"""The best stump on one column, from integer histograms.

A stump is h_l(x) = v_l·φ(x), with φ = +1 if x_j ≥ b and else -1, and votes v_l = ±1. With

    e_l = Σ_i w_il y_il φ(x_i)

the best votes are the signs of e, and its edge is γ = Σ_l |e_l|. All thresholds b between the
values of a column are tried in one pass; of equal edges the first is taken.

A node is the set of rows with leaf_of[i] = node, or with NONE all rows. Virtual labels, which
products are fitted to, are y_il·ψ_i with signs ψ. Sums are (2, K) as in `weights`.
"""

import numpy as np

from onearm.core.kernels import kernel_without_refcounts
from onearm.mh.weights import ALL, HAS, UNIT, add_row, copy_sums, row_loop

NONE = -1  # no node: all rows; no column
NO_CUT = 0
COLUMN, LOW, HIGH = range(3)  # of a stump: column, last bin below the cut, first above
MARGIN = 1e-12  # by which an edge must be larger to be better: not by rounding
CURRENT, BEST, SELECTED = range(3)  # sums below a cut: the current, a column's best, the overall


@row_loop
def collect(j, psi, leaf_of, node, weights, columns, by_bin):
    """Sum the stored rows of each bin of column j in a node."""
    (begins, rows, bins), (common, first, offsets), exact = columns
    for c in range(offsets[j + 1] - offsets[j]):
        clear(by_bin[c])
    if node == NONE:
        for e in range(begins[j], begins[j + 1]):
            add_row(rows[e], psi[rows[e]], by_bin[bins[e]], weights)
    else:
        for e in range(begins[j], begins[j + 1]):
            if leaf_of[rows[e]] == node:
                add_row(rows[e], psi[rows[e]], by_bin[bins[e]], weights)


@kernel_without_refcounts
def complete(j, total, columns, by_bin):
    """Set the sums of the most common bin of column j: the total less the rest."""
    entries, (common, first, offsets), exact = columns
    rest = common[j]
    copy_sums(by_bin[rest], total)
    for c in range(offsets[j + 1] - offsets[j]):
        if c != rest:
            for l in range(total.shape[1]):  # noqa: E741
                by_bin[rest, ALL, l] -= by_bin[c, ALL, l]
                by_bin[rest, HAS, l] -= by_bin[c, HAS, l]


@kernel_without_refcounts
def clear(sums):
    for l in range(sums.shape[1]):  # noqa: E741
        sums[ALL, l] = sums[HAS, l] = 0.0


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
def _is_empty(sums):
    for l in range(sums.shape[1]):  # noqa: E741
        if sums[ALL, l] != 0.0:
            return False
    return True


@kernel_without_refcounts
def scan(j, node, total, factors, columns, by_bin, below):
    """The best cut through the sums of column j: (γ·UNIT, last bin below, first bin above)."""
    entries, (common, first, offsets), exact = columns
    best, lo, hi, last = -1.0, NO_CUT, NO_CUT, NONE
    clear(below[CURRENT])
    for c in range(offsets[j + 1] - offsets[j]):
        if node != NONE and _is_empty(by_bin[c]):
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
    (begins, rows, bins), (common, first, offsets), exact = columns
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
def best_cut(j, psi, leaf_of, node, total, weights, columns, by_bin, below):
    """The best cut of column j, by histogram or, where columns are sorted, by their rows."""
    A, factors, positive, sums, before = weights
    entries, bins, exact = columns
    if exact:
        return scan_sorted(j, psi, leaf_of, node, total, weights, columns, below)
    collect(j, psi, leaf_of, node, weights, columns, by_bin)
    complete(j, total, columns, by_bin)
    return scan(j, node, total, factors, columns, by_bin, below)
