"""Products of stumps: h_l(x) = V_l·φ¹(x)⋯φᵐ(x), fitted term by term; with one term, a stump.

Each term is a stump for the virtual labels y_il·ψ_i, where ψ is the product of the φ of the others.
First they are added one by one, then fitted again in turn, as long as the edge rises. The rows that
share the most common code of a column all have the same φ, which is taken out of ψ as a sign common
to all: ψ changes in few rows.

B. Kégl, R. Busa-Fekete. Boosting products of base classifiers. ICML 2009.
"""

from onearm.core.kernels import kernel_without_refcounts
from onearm.mh.binning import base_above
from onearm.mh.search import search
from onearm.mh.stump import KEPT, MARGIN, NONE, keep
from onearm.mh.weights import ALL, HAS, add_row

COLUMN, LOW, HIGH = range(3)  # of a term


@kernel_without_refcounts
def product(terms, psi, at, total, before, weights, columns, room, arms, rng):
    """Fit the terms: (how many there are, γ). ψ and its total are left as the product's."""
    m, n_terms, best = len(terms), 0, 0.0
    for t in range(m):
        gamma, j, lo, hi = search(psi, at, NONE, total, weights, columns, room, arms, rng)
        if gamma <= best + MARGIN:
            break
        _set(terms, t, j, lo, hi)
        put_in(j, hi, psi, total, columns, room)
        n_terms, best = t + 1, gamma
    if n_terms < m or m == 1:
        return n_terms, best
    t = 0
    while True:
        old_j, old_hi = terms[t, COLUMN], terms[t, HIGH]
        keep(before, total)
        take_out(old_j, old_hi, psi, total, weights, columns)
        gamma, j, lo, hi = search(psi, at, NONE, total, weights, columns, room, arms, rng)
        if gamma <= best + MARGIN:
            flip(old_j, old_hi, psi, columns)
            keep(total, before)
            return n_terms, best
        _set(terms, t, j, lo, hi)
        put_in(j, hi, psi, total, columns, room)
        best = gamma
        t = (t + 1) % m


@kernel_without_refcounts
def _set(terms, t, j, lo, hi):
    terms[t, COLUMN], terms[t, LOW], terms[t, HIGH] = j, lo, hi


@kernel_without_refcounts
def put_in(j, hi, psi, total, columns, room):
    """ψ ← ±ψ·φ, and the totals with it, by the sums below the cut that a search has left."""
    flip(j, hi, psi, columns)
    below, sign = room[1][KEPT], 1.0 if base_above(j, hi, columns) else -1.0
    for l in range(total.shape[1]):  # noqa: E741
        total[ALL, l] = sign * (total[ALL, l] - 2.0 * below[ALL, l])
        total[HAS, l] = sign * (total[HAS, l] - 2.0 * below[HAS, l])


@kernel_without_refcounts
def flip(j, hi, psi, columns):
    """ψ ← ±ψ·φ, whichever sign changes fewer rows."""
    begins, rows, codes = columns[0], columns[1], columns[2]
    above = base_above(j, hi, columns)
    for e in range(begins[j], begins[j + 1]):
        if (codes[e] < hi) == above:
            psi[rows[e]] = -psi[rows[e]]


@kernel_without_refcounts
def take_out(j, hi, psi, total, weights, columns):
    """ψ ← ±ψ·φ, and the totals with it, by the sums of the rows that change."""
    begins, rows, codes = columns[0], columns[1], columns[2]
    above = base_above(j, hi, columns)
    for e in range(begins[j], begins[j + 1]):
        if (codes[e] < hi) == above:
            i = rows[e]
            psi[i] = -psi[i]
            add_row(i, 2 * psi[i], total, weights)
