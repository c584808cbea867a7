"""Cuts of columns whose bins are categories: a subset S of them is above, the others are below.

With e_cl = Σ w_il y_il over the rows of category c, a subset has the edge

    γ(S) = Σ_l |Σ_c φ(c) e_cl|,    φ(c) = +1 if c is in S, else -1

For votes v the best φ(c) are the signs of Σ_l v_l e_cl, and for φ the best votes are the signs of
Σ_c φ(c) e_cl. The search starts from the best of the subsets of one category and of those that one
label would choose, and then finds φ and votes in turn, as long as γ rises. With two labels that is
the best of all subsets.

The most common category of a column is never in S, and on its side are also those of which a node
has no rows. So a value that was not seen follows the most common one.

A subset is the bits of an integer, so columns have at most CATEGORIES categories, one of them for
values that are missing, rare or unseen.
"""

import numpy as np

from onearm.core.kernels import kernel_without_refcounts
from onearm.mh.weights import HAS, UNIT, copy_sums, signed_sum

CATEGORIES = 63  # bits of a subset
UNORDERED = -1  # in place of the first bin that may be below a cut: bins are categories
SUBSET = -1  # in place of the first bin above a cut: the last below is the bits of a subset
TINY = 1e-12  # scores and differences of edges that may come from rounding


@kernel_without_refcounts
def is_above(c, lo, hi):
    """Whether bin c is above a cut."""
    if hi == SUBSET:
        return (lo >> c) & 1 == 1
    return c >= hi


@kernel_without_refcounts
def reaches(x, threshold, subset):
    """Whether a value is above a cut of numbers; a missing value is not."""
    return x >= threshold


@kernel_without_refcounts
def reaches_or_in(x, threshold, subset):
    """Whether a value is above a cut of numbers, or the code of a category is in a subset."""
    if subset != 0:
        return (subset >> np.int64(x)) & 1 == 1
    return x >= threshold


@kernel_without_refcounts
def is_known(c, E, unit):
    """Whether a category has a score for any label."""
    for l in range(E.shape[1]):  # noqa: E741 the paper's letter for a label
        if abs(E[c, l]) > TINY * unit:
            return True
    return False


@kernel_without_refcounts
def subset_edge(bits, n, E, total, votes):
    """γ(S), and its votes."""
    gamma = 0.0
    for l in range(len(total)):  # noqa: E741
        e = -total[l]
        for c in range(n):
            if (bits >> c) & 1:
                e += 2.0 * E[c, l]
        votes[l] = 1.0 if e > 0.0 else -1.0
        gamma += abs(e)
    return gamma


@kernel_without_refcounts
def subset_of(n, common, E, votes, unit):
    """The bits of the categories with another sign than the most common one, by these votes."""
    side = 1.0 if score(common, E, votes) > TINY * unit else -1.0
    bits = 0
    for c in range(n):
        if side * score(c, E, votes) < -TINY * unit:
            bits |= 1 << c
    return bits


@kernel_without_refcounts
def score(c, E, votes):
    """Σ_l v_l e_cl."""
    s = 0.0
    for l in range(E.shape[1]):  # noqa: E741
        s += votes[l] * E[c, l]
    return s


@kernel_without_refcounts
def best_subset(n, common, E, total, votes, unit):
    """(γ, bits) of the best subset found of n categories, (-1, 0) if there is none.

    Scores E, (n, K), and their total are in units; `votes` is scratch.
    """
    known, best, best_bits = 0, -1.0, 0
    for c in range(n):
        if is_known(c, E, unit):
            known |= 1 << c
    for start in range(n + len(total)):
        if start < n:
            bits = 1 << start
        else:
            for l in range(len(total)):  # noqa: E741
                votes[l] = 1.0 if l == start - n else 0.0
            bits = subset_of(n, common, E, votes, unit)
        if not divides(bits, known, common):
            continue
        gamma = subset_edge(bits, n, E, total, votes)
        if gamma > best + TINY * unit:
            best, best_bits = gamma, bits
    while best_bits != 0:
        subset_edge(best_bits, n, E, total, votes)
        bits = subset_of(n, common, E, votes, unit)
        if not divides(bits, known, common):
            break
        gamma = subset_edge(bits, n, E, total, votes)
        if gamma <= best + TINY * unit:
            break
        best, best_bits = gamma, bits
    return best, best_bits


@kernel_without_refcounts
def divides(bits, known, common):
    """Whether there are known categories on both sides, and the most common one is below."""
    return (bits & known) != 0 and (known & ~bits) != 0 and (bits >> common) & 1 == 0


@kernel_without_refcounts
def search_subset(j, total, factors, columns, by_bin, below, scores):
    """The best subset of column j by its sums: (γ·UNIT, bits, SUBSET), sums below it in `below`."""
    entries, (common, first, offsets), exact = columns
    E, e_total, votes = scores
    n = offsets[j + 1] - offsets[j]
    for l in range(len(e_total)):  # noqa: E741
        e_total[l] = signed_sum(l, total, factors)
        for c in range(n):
            E[c, l] = signed_sum(l, by_bin[c], factors)
    gamma, bits = best_subset(n, common[j], E, e_total, votes, UNIT)
    copy_sums(below, total)
    for c in range(n):
        if (bits >> c) & 1:
            for l in range(len(e_total)):  # noqa: E741
                below[0, l] -= by_bin[c, 0, l]
                below[HAS, l] -= by_bin[c, HAS, l]
    return gamma, bits, SUBSET
