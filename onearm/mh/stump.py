"""The best stump on one column, from integer histograms.

A stump says h_l(x) = v_l·φ(x), with φ = +1 if x_j ≥ b and else -1, and votes v_l = ±1. With

    e_l = Σ_i w_il y_il φ(x_i)

the best votes are the signs of e, and its edge is γ = Σ_l |e_l|. All thresholds b between the
values of a column are tried in one pass, the first of the best is taken.

A node, if there is one, is the set of rows with at[i] = node. Virtual labels, of which products are
made, are y_il·ψ_i with signs ψ.
"""

import numpy as np

from onearm.core.kernels import kernel_without_refcounts
from onearm.mh.weights import ALL, HAS, UNIT, add_row

NONE = -1  # no node: all rows; no column
NO_CUT = 0
MARGIN = 1e-12  # by which an edge must be larger to be better: not by rounding
NOW, BEST, KEPT = range(3)  # sums below a cut: that of now, the best of a column and of all


@kernel_without_refcounts
def collect(j, psi, at, node, weights, columns, by_code):
    """Add up the rows kept of each code of column j, in a node or, with NONE, everywhere."""
    begins, rows, codes, places = columns[0], columns[1], columns[2], columns[5]
    for c in range(places[j + 1] - places[j]):
        clear(by_code[c])
    if node == NONE:
        for e in range(begins[j], begins[j + 1]):
            add_row(rows[e], psi[rows[e]], by_code[codes[e]], weights)
    else:
        for e in range(begins[j], begins[j + 1]):
            if at[rows[e]] == node:
                add_row(rows[e], psi[rows[e]], by_code[codes[e]], weights)


@kernel_without_refcounts
def complete(j, total, columns, by_code):
    """The sums of the most common code of column j: the total less the rest."""
    rest, places, K = columns[3][j], columns[5], total.shape[1]
    keep(by_code[rest], total)
    for c in range(places[j + 1] - places[j]):
        if c != rest:
            for l in range(K):  # noqa: E741
                by_code[rest, ALL, l] -= by_code[c, ALL, l]
                by_code[rest, HAS, l] -= by_code[c, HAS, l]


@kernel_without_refcounts
def clear(sums):
    for l in range(sums.shape[1]):  # noqa: E741
        sums[ALL, l] = sums[HAS, l] = 0.0


@kernel_without_refcounts
def keep(sums, others):
    """Copy sums from others."""
    for l in range(sums.shape[1]):  # noqa: E741
        sums[ALL, l], sums[HAS, l] = others[ALL, l], others[HAS, l]


@kernel_without_refcounts
def edge_of(below, total, weights):
    """γ of the cut above these sums, times UNIT."""
    gamma = 0.0
    for l in range(total.shape[1]):  # noqa: E741
        gamma += abs(e_of(l, below, total, weights))
    return gamma


@kernel_without_refcounts
def e_of(l, below, total, weights):  # noqa: E741
    has = total[HAS, l] - 2.0 * below[HAS, l]
    rest = total[ALL, l] - 2.0 * below[ALL, l] - has
    return weights[1][l] * has - weights[2][l] * rest


@kernel_without_refcounts
def _some(sums):
    for l in range(sums.shape[1]):  # noqa: E741
        if sums[ALL, l] != 0.0:
            return True
    return False


@kernel_without_refcounts
def scan(j, node, total, weights, columns, by_code, below):
    """The best cut through the sums of column j: (γ·UNIT, last code below, first code above)."""
    first, places = columns[4], columns[5]
    best, lo, hi, last = -1.0, NO_CUT, NO_CUT, NONE
    clear(below[NOW])
    for c in range(places[j + 1] - places[j]):
        if node != NONE and not _some(by_code[c]):
            continue  # no row of the node has it
        if last >= first[j]:
            gamma = edge_of(below[NOW], total, weights)
            if gamma > best + MARGIN * UNIT:
                best, lo, hi = gamma, last, c
                keep(below[BEST], below[NOW])
        last = c
        for l in range(total.shape[1]):  # noqa: E741
            below[NOW, ALL, l] += by_code[c, ALL, l]
            below[NOW, HAS, l] += by_code[c, HAS, l]
    return best, lo, hi


@kernel_without_refcounts
def scan_sorted(j, psi, at, node, total, weights, columns, below):
    """The same over the rows of column j themselves, which are sorted by code."""
    begins, rows, codes, common, first, places, low, high, whole = columns
    best, lo, hi, last = -1.0, NO_CUT, NO_CUT, NONE
    clear(below[NOW])
    for e in range(begins[j], begins[j + 1]):
        i, c = rows[e], np.int64(codes[e])
        if node != NONE and at[i] != node:
            continue
        if c != last and last >= first[j]:
            gamma = edge_of(below[NOW], total, weights)
            if gamma > best + MARGIN * UNIT:
                best, lo, hi = gamma, last, c
                keep(below[BEST], below[NOW])
        last = c
        add_row(i, psi[i], below[NOW], weights)
    return best, lo, hi


@kernel_without_refcounts
def best_cut(j, psi, at, node, total, weights, columns, by_code, below):
    """The best cut of column j, by histogram or, where columns are whole, by sorted rows."""
    if columns[8]:
        return scan_sorted(j, psi, at, node, total, weights, columns, below)
    collect(j, psi, at, node, weights, columns, by_code)
    complete(j, total, columns, by_code)
    return scan(j, node, total, weights, columns, by_code, below)
