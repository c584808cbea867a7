"""Products of stumps: h_l(x) = V_l·φ¹(x)⋯φᵐ(x), fitted term by term; with one term, a stump.

Each term is a stump for the virtual labels y_il·ψ_i, where ψ is the product of the φ of the others.
First they are added one by one, then fitted again in turn, as long as the edge rises. The rows of
the most common bin of a column all have the same φ, which is taken out of ψ as a sign common to
all: ψ changes in few rows.

B. Kégl, R. Busa-Fekete. Boosting products of base classifiers. ICML 2009.
"""

from onearm.core.kernels import kernel_without_refcounts
from onearm.mh.binning import common_above
from onearm.mh.search import search
from onearm.mh.stump import MARGIN, NONE, SELECTED, copy_sums
from onearm.mh.weights import ALL, HAS, add_row, row_loop

COLUMN, LOW, HIGH = range(3)  # of a term


@kernel_without_refcounts
def product(terms, psi, leaf_of, total, before, weights, columns, scratch, bandit, rng):
    """Fit the terms: (their number, γ). ψ and its total become those of the product."""
    m, n_terms, best = len(terms), 0, 0.0
    for t in range(m):
        gamma, j, lo, hi = search(
            psi, leaf_of, NONE, total, weights, columns, scratch, bandit, rng
        )  # fmt: skip
        if gamma <= best + MARGIN:
            break
        terms[t, COLUMN], terms[t, LOW], terms[t, HIGH] = j, lo, hi
        add_term(j, hi, psi, total, columns, scratch)
        n_terms, best = t + 1, gamma
    if n_terms < m or m == 1:
        return n_terms, best
    t = 0
    while True:
        old_j, old_hi = terms[t, COLUMN], terms[t, HIGH]
        copy_sums(before, total)
        remove_term(old_j, old_hi, psi, total, weights, columns)
        gamma, j, lo, hi = search(
            psi, leaf_of, NONE, total, weights, columns, scratch, bandit, rng
        )  # fmt: skip
        if gamma <= best + MARGIN:
            flip(old_j, old_hi, psi, columns)
            copy_sums(total, before)
            return n_terms, best
        terms[t, COLUMN], terms[t, LOW], terms[t, HIGH] = j, lo, hi
        add_term(j, hi, psi, total, columns, scratch)
        best = gamma
        t = (t + 1) % m


@kernel_without_refcounts
def add_term(j, hi, psi, total, columns, scratch):
    """ψ ← ±ψ·φ, and the totals with it, by the sums below the selected cut."""
    by_bin, below, full = scratch
    flip(j, hi, psi, columns)
    sign = 1.0 if common_above(j, hi, columns) else -1.0
    for l in range(total.shape[1]):  # noqa: E741
        total[ALL, l] = sign * (total[ALL, l] - 2.0 * below[SELECTED, ALL, l])
        total[HAS, l] = sign * (total[HAS, l] - 2.0 * below[SELECTED, HAS, l])


@row_loop
def flip(j, hi, psi, columns):
    """ψ ← ±ψ·φ, whichever sign changes fewer rows."""
    (begins, rows, bins), of_bins, exact = columns
    above = common_above(j, hi, columns)
    for e in range(begins[j], begins[j + 1]):
        if (bins[e] < hi) == above:
            psi[rows[e]] = -psi[rows[e]]


@row_loop
def remove_term(j, hi, psi, total, weights, columns):
    """ψ ← ±ψ·φ, and the totals with it, by the sums of the rows that change."""
    (begins, rows, bins), of_bins, exact = columns
    above = common_above(j, hi, columns)
    for e in range(begins[j], begins[j + 1]):
        if (bins[e] < hi) == above:
            i = rows[e]
            psi[i] = -psi[i]
            add_row(i, 2 * psi[i], total, weights)
