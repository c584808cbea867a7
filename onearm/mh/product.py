"""Products of stumps: h_l(x) = V_l·φ¹(x)⋯φᵐ(x), fitted term by term; with one term, a stump.

Each term is a stump for the virtual labels y_il·ψ_i, where ψ is the product of the φ of the others.
First they are added one by one, then fitted again in turn, as long as the edge rises. The rows that
share the most common code of a column all have the same φ, which is taken out of ψ as a sign common
to all: ψ changes in few rows.

B. Kégl, R. Busa-Fekete. Boosting products of base classifiers. ICML 2009.
"""

from onearm.kernels import lean_kernel
from onearm.mh.stump import ALL, HAS, KEPT_ALL, KEPT_HAS, MARGIN, NONE, search

NOTHING, COLUMN, LOW, HIGH = range(4)  # of a term; the first unused


@lean_kernel
def product(terms, psi, at, total, weights, columns, room, arms, rng):
    """Fit the terms: (how many there are, γ). ψ and its total are left as the product's."""
    m, n_terms, best = len(terms), 0, 0.0
    for t in range(m):
        gamma, j, lo, hi = search(psi, at, NONE, total, weights, columns, room, arms, rng)
        if gamma <= best + MARGIN:
            break
        _set(terms, t, j, lo, hi)
        _turn(j, hi, psi, total, columns, room)
        n_terms, best = t + 1, gamma
    if n_terms < m or m == 1:
        return n_terms, best
    t = 0
    while True:
        old_j, old_hi = terms[t, COLUMN], terms[t, HIGH]
        _below(old_j, old_hi, psi, total, weights, columns, room)
        _turn(old_j, old_hi, psi, total, columns, room)
        gamma, j, lo, hi = search(psi, at, NONE, total, weights, columns, room, arms, rng)
        better = gamma > best + MARGIN
        if better:
            _set(terms, t, j, lo, hi)
            best = gamma
        else:
            j, hi = old_j, old_hi
            _below(j, hi, psi, total, weights, columns, room)
        _turn(j, hi, psi, total, columns, room)
        if not better:
            return n_terms, best
        t = (t + 1) % m


@lean_kernel
def _set(terms, t, j, lo, hi):
    terms[t, COLUMN], terms[t, LOW], terms[t, HIGH] = j, lo, hi


@lean_kernel
def _below(j, hi, psi, total, weights, columns, room):
    """Put the sums of rows below a cut, with the signs ψ, where a search would leave them."""
    A, plus, minus, starts, labels, all_, has = weights
    begins, rows, codes, common, first, places, low, high, whole = columns
    sums, K = room[2], A.shape[1]
    base_above = common[j] >= hi  # so that few rows are on the other side
    for l in range(K):  # noqa: E741
        sums[KEPT_ALL, l] = sums[KEPT_HAS, l] = 0
    for e in range(begins[j], begins[j + 1]):
        i = rows[e]
        if (codes[e] < hi) == base_above:
            for l in range(K):  # noqa: E741
                sums[KEPT_ALL, l] += psi[i] * A[i, l]
            for a in range(starts[i], starts[i + 1]):
                sums[KEPT_HAS, labels[a]] += psi[i] * A[i, labels[a]]
    if not base_above:
        for l in range(K):  # noqa: E741
            sums[KEPT_ALL, l] = total[ALL, l] - sums[KEPT_ALL, l]
            sums[KEPT_HAS, l] = total[HAS, l] - sums[KEPT_HAS, l]


@lean_kernel
def _turn(j, hi, psi, total, columns, room):
    """ψ ← ±ψ·φ, whichever sign changes fewer rows, and the totals with it."""
    begins, rows, codes, common = columns[0], columns[1], columns[2], columns[3]
    sums = room[2]
    base_above = common[j] >= hi
    for e in range(begins[j], begins[j + 1]):
        if (codes[e] < hi) == base_above:
            psi[rows[e]] = -psi[rows[e]]
    sign = 1 if base_above else -1
    for l in range(total.shape[1]):  # noqa: E741
        total[ALL, l] = sign * (total[ALL, l] - 2 * sums[KEPT_ALL, l])
        total[HAS, l] = sign * (total[HAS, l] - 2 * sums[KEPT_HAS, l])
