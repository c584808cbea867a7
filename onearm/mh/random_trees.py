"""Trees of random cuts whose leaves vote by how sure they are, added in small steps.

Of each column that is searched one cut is tried: a bin at random between the least and the largest
of the node, or of categories a random subset (extremely randomised trees). The best of these cuts
is taken, by the same edge as in `trees`. So trees differ, and few of them fit noise.

Leaves vote real numbers in (-1, 1). With W± the weights of the rows in a leaf that have the label
l, and of those that do not,

    v_l = (W+ - W-)/(W+ + W- + λ)

which is Newton's step for the exponential loss (Gentle AdaBoost), but for λ, which makes the votes
of leaves of little weight small. All trees have the same small α. Weights are not divided by their
sum, so that λ does not change relative to what rows weigh at the start.

R. Schapire, Y. Singer. Improved boosting algorithms using confidence-rated predictions. 1999.
J. Friedman, T. Hastie, R. Tibshirani. Additive logistic regression: a statistical view of boosting.
Annals of Statistics, 2000. P. Geurts, D. Ernst, L. Wehenkel. Extremely randomized trees. Machine
Learning, 2006.
"""

import math

import numpy as np

from onearm.core.kernels import bind, kernel_without_refcounts
from onearm.core.rng import below as number_below
from onearm.core.rng import bits
from onearm.mh.binning import collect, complete
from onearm.mh.search import BEST, NO_CUT, edge, search
from onearm.mh.subsets import SUBSET, UNORDERED, divides, is_above
from onearm.mh.trees import fit_leaf, tree
from onearm.mh.weights import ALL, HAS, NONE, UNIT, clear, is_empty, total_weight

STEP = 0.15  # α of every tree
LAMBDA = 50.0  # λ in units of `smoothing`: half the weight of a row at the start


@kernel_without_refcounts
def random_cut(j, psi, leaf_of, node, total, weights, columns, scratch, rng):
    """A random cut of column j: (γ·UNIT, last bin below, first bin above)."""
    A, factors, positive, sums, before = weights
    by_bin, below, full = scratch
    collect(j, psi, leaf_of, node, weights, columns, by_bin)
    complete(j, total, columns, by_bin)
    return random_cut_of_bins(j, total, factors, columns, scratch, rng)


@kernel_without_refcounts
def random_cut_of_bins(j, total, factors, columns, scratch, rng):
    """A random cut through the sums of column j; the sums below it become below[BEST]."""
    entries, (common, first, offsets), exact = columns
    by_bin, below, full = scratch
    n, least, largest, known = offsets[j + 1] - offsets[j], NONE, NONE, 0
    for c in range(max(first[j], 0), n):
        if not is_empty(by_bin[c]):
            least, largest = (c if least == NONE else least), c
            if first[j] == UNORDERED:
                known |= 1 << c
    if least == largest:
        return -1.0, NO_CUT, NO_CUT
    if first[j] == UNORDERED:
        lo, hi = random_subset(known, common[j], rng), SUBSET
    else:
        hi = least + 1 + number_below(largest - least, rng)
        lo = hi - 1
    clear(below[BEST])
    for c in range(n):
        if not is_above(c, lo, hi):
            for l in range(total.shape[1]):  # noqa: E741
                below[BEST, ALL, l] += by_bin[c, ALL, l]
                below[BEST, HAS, l] += by_bin[c, HAS, l]
    return edge(below[BEST], total, factors), lo, hi


@kernel_without_refcounts
def random_subset(known, common, rng):
    """The bits of a random subset of known categories, with some on both sides."""
    subset = 0
    while not divides(subset, known, common):
        subset = np.int64(bits(rng) >> np.uint64(1)) & known & ~(1 << common)
    return subset


@kernel_without_refcounts
def small_step(votes, n, gamma, S, leaves, factors, smoothing):
    """Set the votes of n + 1 leaves: (α, Σ w after the round, by what weights are divided)."""
    parents, stumps, gains, total, below = leaves
    plus, minus = factors
    Z = 0.0
    for leaf in range(n + 1):
        for l in range(votes.shape[1]):  # noqa: E741
            has = plus[l] * total[leaf, HAS, l] / UNIT
            rest = minus[l] * (total[leaf, ALL, l] - total[leaf, HAS, l]) / UNIT
            votes[leaf, l] = (has - rest) / (has + rest + LAMBDA * smoothing)
            Z += has * math.exp(-STEP * votes[leaf, l]) + rest * math.exp(STEP * votes[leaf, l])
    return STEP, Z, 1.0


@kernel_without_refcounts
def weight_of(node, total, factors):
    """The weight of a node; that of all rows is not 1."""
    return total_weight(total, factors)


random_search = bind(search, "random_search", best_cut=random_cut, node_weight=weight_of)
fit_random_leaf = bind(fit_leaf, "fit_random_leaf", search=random_search)
random_tree = bind(tree, "random_tree", fit_leaf=fit_random_leaf)
