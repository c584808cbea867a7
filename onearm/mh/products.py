"""Products of stumps: h_l(x) = V_l·φ¹(x)⋯φᵐ(x), fitted term by term; with one term, a stump.

Each term is a stump for the virtual labels y_il·ψ_i, where ψ is the product of the φ of the others.
First they are added one by one, then fitted again in turn, as long as the edge rises. The rows of
the most common bin of a column all have the same φ, which is taken out of ψ as a sign common to
all: ψ changes in few rows.

B. Kégl, R. Busa-Fekete. Boosting products of base classifiers. ICML 2009.
"""

from itertools import pairwise

import numpy as np

from onearm.core.kernels import bind, kernel, kernel_without_refcounts
from onearm.mh.bandits import set_step
from onearm.mh.binning import common_above
from onearm.mh.search import COLUMN, HIGH, LOW, MARGIN, SELECTED, search
from onearm.mh.subsets import is_above, reaches, reaches_or_in
from onearm.mh.weights import (
    ALL,
    HAS,
    NONE,
    VOTING_ROWS,
    add_row,
    copy_sums,
    row_loop,
    sign,
    signed_sum,
)


@kernel_without_refcounts
def product(terms, votes, state, psi, leaf_of, weights, columns, scratch, bandit, rng):
    """Fit a product: (its number of terms, γ). The votes are those of rows with ψ = 1 and -1."""
    total, before = state  # Σ_i ψ_i A_il as in `weights`, now and before a term was removed
    A, factors, positive, sums, _ = weights
    copy_sums(total, sums)
    n, gamma = fit_terms(
        terms, psi, leaf_of, total, before, weights, columns, scratch, bandit, rng
    )  # fmt: skip
    if n > 0:
        for l in range(votes.shape[1]):  # noqa: E741
            votes[0, l] = sign(signed_sum(l, total, factors))
            votes[1, l] = -votes[0, l]
    return n, gamma


@kernel_without_refcounts
def fit_terms(terms, psi, leaf_of, total, before, weights, columns, scratch, bandit, rng):
    """Fit the terms: (their number, γ). ψ and its total become those of the product."""
    m, n, best = len(terms), 0, 0.0
    while True:
        t = n % m  # the terms are added one by one, then fitted again in turn
        old_j, old_lo, old_hi = terms[t, COLUMN], terms[t, LOW], terms[t, HIGH]
        if n >= m:
            copy_sums(before, total)
            remove_term(old_j, old_lo, old_hi, psi, total, weights, columns)
        set_step(t, bandit)
        gamma, j, lo, hi = search(
            psi, leaf_of, NONE, total, weights, columns, scratch, bandit, rng
        )  # fmt: skip
        if gamma <= best + MARGIN:
            if n >= m:
                flip(old_j, old_lo, old_hi, psi, columns)
                copy_sums(total, before)
            return min(n, m), best
        terms[t, COLUMN], terms[t, LOW], terms[t, HIGH] = j, lo, hi
        add_term(j, lo, hi, psi, total, columns, scratch)
        n, best = n + 1, gamma
        if m == 1:
            return n, best


@kernel_without_refcounts
def add_term(j, lo, hi, psi, total, columns, scratch):
    """ψ ← ±ψ·φ, and the totals with it, by the sums below the selected cut."""
    by_bin, below, full, members = scratch
    flip(j, lo, hi, psi, columns)
    common = 1.0 if common_above(j, lo, hi, columns) else -1.0
    for l in range(total.shape[1]):  # noqa: E741
        total[ALL, l] = common * (total[ALL, l] - 2.0 * below[SELECTED, ALL, l])
        total[HAS, l] = common * (total[HAS, l] - 2.0 * below[SELECTED, HAS, l])


@row_loop
def flip(j, lo, hi, psi, columns):
    """ψ ← ±ψ·φ, whichever sign changes fewer rows."""
    (begins, rows, bins, dense_row, dense), of_bins, exact = columns
    above = common_above(j, lo, hi, columns)
    for e in range(begins[j], begins[j + 1]):
        if is_above(bins[e], lo, hi) != above:
            psi[rows[e]] = -psi[rows[e]]
    if dense_row[j] != NONE:
        codes = dense[dense_row[j]]
        for i in range(len(codes)):
            if is_above(codes[i], lo, hi) != above:
                psi[i] = -psi[i]


@row_loop
def remove_term(j, lo, hi, psi, total, weights, columns):
    """ψ ← ±ψ·φ, and the totals with it, by the sums of the rows that change."""
    (begins, rows, bins, dense_row, dense), of_bins, exact = columns
    above = common_above(j, lo, hi, columns)
    for e in range(begins[j], begins[j + 1]):
        if is_above(bins[e], lo, hi) != above:
            i = rows[e]
            psi[i] = -psi[i]
            add_row(i, 2 * psi[i], total, weights)
    if dense_row[j] != NONE:
        codes = dense[dense_row[j]]
        for i in range(len(codes)):
            if is_above(codes[i], lo, hi) != above:
                psi[i] = -psi[i]
                add_row(i, 2 * psi[i], total, weights)


def vote_products(X, column, threshold, subset, votes, alpha, f):
    """Add the votes of products, (T, m) columns and thresholds, -1 where a term is missing."""
    for start in range(0, len(X), VOTING_ROWS):
        stop = min(start + VOTING_ROWS, len(X))
        for t in range(len(alpha)):
            for i in range(start, stop):
                h = alpha[t]
                for part in range(column.shape[1]):
                    j = column[t, part]
                    if j >= 0 and not above(X[i, j], threshold[t, part], subset[t, part]):  # noqa: F821 bound
                        h = -h
                for l in range(f.shape[1]):  # noqa: E741
                    f[i, l] += h * votes[t, l]


vote_products_of_numbers = bind(vote_products, "vote_products_of_numbers", above=reaches)
vote_products_of_any = bind(vote_products, "vote_products_of_any", above=reaches_or_in)


def vote_stumps(
    X: np.ndarray, column: np.ndarray, threshold: np.ndarray, votes: np.ndarray, alpha: np.ndarray,
    f: np.ndarray,
) -> None:  # fmt: skip
    """Add the votes of stumps, by a table of their sums between each two thresholds of a column."""
    order = np.lexsort((threshold, column))
    column, threshold = column[order], threshold[order]
    weighted = votes[order] * alpha[order, None]
    columns, first = np.unique(column, return_index=True)
    starts = np.append(first, len(column))
    table = np.empty((len(column) + len(columns), votes.shape[1]))
    for place, (begin, end) in enumerate(pairwise(starts)):
        sums = table[begin + place : end + place + 1]
        sums[0] = -weighted[begin:end].sum(axis=0)
        sums[1:] = sums[0] + 2.0 * np.cumsum(weighted[begin:end], axis=0)
    vote_tables(X, columns, starts, threshold, table, f)


@kernel
def vote_tables(X, columns, starts, thresholds, table, f):
    for i in range(len(X)):
        for place in range(len(columns)):
            x = X[i, columns[place]]
            low, high = starts[place], starts[place + 1]
            while low < high:
                middle = (low + high) // 2
                if x >= thresholds[middle]:
                    low = middle + 1
                else:
                    high = middle
            for l in range(f.shape[1]):  # noqa: E741
                f[i, l] += table[low + place, l]
