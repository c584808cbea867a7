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
from onearm.mh.stump import COLUMN, HIGH, LOW, MARGIN, NONE, SELECTED
from onearm.mh.weights import ALL, HAS, add_row, copy_sums, row_loop, sign, signed_sum


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
        old_j, old_hi = terms[t, COLUMN], terms[t, HIGH]
        if n >= m:
            copy_sums(before, total)
            remove_term(old_j, old_hi, psi, total, weights, columns)
        gamma, j, lo, hi = search(
            psi, leaf_of, NONE, total, weights, columns, scratch, bandit, rng
        )  # fmt: skip
        if gamma <= best + MARGIN:
            if n >= m:
                flip(old_j, old_hi, psi, columns)
                copy_sums(total, before)
            return min(n, m), best
        terms[t, COLUMN], terms[t, LOW], terms[t, HIGH] = j, lo, hi
        add_term(j, hi, psi, total, columns, scratch)
        n, best = n + 1, gamma
        if m == 1:
            return n, best


@kernel_without_refcounts
def add_term(j, hi, psi, total, columns, scratch):
    """ψ ← ±ψ·φ, and the totals with it, by the sums below the selected cut."""
    by_bin, below, full = scratch
    flip(j, hi, psi, columns)
    common = 1.0 if common_above(j, hi, columns) else -1.0
    for l in range(total.shape[1]):  # noqa: E741
        total[ALL, l] = common * (total[ALL, l] - 2.0 * below[SELECTED, ALL, l])
        total[HAS, l] = common * (total[HAS, l] - 2.0 * below[SELECTED, HAS, l])


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
