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

A cut needs the least and the largest bin of a node, and the sums on one side: no histogram. In
dense columns only the rows of the node are looked at. They are the rows[begin:end] of the tuple
members = (rows, spans, moved), with begin and end the span of the leaf.

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
from onearm.mh.binning import collect, common_above, complete
from onearm.mh.search import BEST, NO_CUT, edge, search
from onearm.mh.subsets import SUBSET, UNORDERED, divides, is_above
from onearm.mh.trees import fit_leaf, move, split, tree
from onearm.mh.weights import (
    ALL,
    HAS,
    LANES,
    NONE,
    UNIT,
    add_row,
    clear,
    is_empty,
    row_loop,
    total_weight,
)

STEP = 0.15  # α of every tree
LAMBDA = 50.0  # λ in units of `smoothing`: half the weight of a row at the start


@kernel_without_refcounts
def random_cut(j, psi, leaf_of, node, total, weights, columns, scratch, rng):
    """A random cut of column j: (γ·UNIT, last bin below, first bin above)."""
    A, factors, positive, sums, before = weights
    (begins, rows, bins, dense_row, dense), (common, first, offsets), exact = columns
    by_bin, below, full, members = scratch
    if dense_row[j] != NONE:
        codes = dense[dense_row[j]]
        least, largest, known = extent(codes, node, first[j], offsets[j + 1] - offsets[j], members)
        lo, hi = cut_between(least, largest, known, first[j], common[j], rng)
        if hi == NO_CUT:
            return -1.0, NO_CUT, NO_CUT
        add_below(codes, node, lo, hi, members, weights, by_bin, below[BEST])
        return edge(below[BEST], total, factors), lo, hi
    collect(j, psi, leaf_of, node, weights, columns, by_bin)
    complete(j, total, columns, by_bin)
    return random_cut_of_bins(j, total, factors, columns, scratch, rng)


@kernel_without_refcounts
def random_cut_of_bins(j, total, factors, columns, scratch, rng):
    """A random cut through the sums of column j; the sums below it become below[BEST]."""
    entries, (common, first, offsets), exact = columns
    by_bin, below, full, members = scratch
    n, least, largest, known = offsets[j + 1] - offsets[j], NONE, NONE, 0
    for c in range(max(first[j], 0), n):
        if not is_empty(by_bin[c]):
            least, largest = (c if least == NONE else least), c
            if first[j] == UNORDERED:
                known |= 1 << c
    lo, hi = cut_between(least, largest, known, first[j], common[j], rng)
    if hi == NO_CUT:
        return -1.0, NO_CUT, NO_CUT
    clear(below[BEST])
    for c in range(n):
        if not is_above(c, lo, hi):
            for l in range(total.shape[1]):  # noqa: E741
                below[BEST, ALL, l] += by_bin[c, ALL, l]
                below[BEST, HAS, l] += by_bin[c, HAS, l]
    return edge(below[BEST], total, factors), lo, hi


@kernel_without_refcounts
def cut_between(least, largest, known, first, common, rng):
    """A random cut between two bins or of known categories: (last bin below, first bin above)."""
    if least >= largest:
        return NO_CUT, NO_CUT
    if first == UNORDERED:
        return random_subset(known, common, rng), SUBSET
    hi = least + 1 + number_below(largest - least, rng)
    return hi - 1, hi


@row_loop
def extent(codes, node, first, n_bins, members):
    """The least and largest bin in a node but that of missing values, and categories as bits."""
    rows, spans, moved = members
    least, largest, known, every = n_bins, NONE, 0, (1 << n_bins) - 1
    begin, end = (0, len(rows)) if node == NONE else (spans[node, 0], spans[node, 1])
    for e in range(begin, end):
        c = np.int64(codes[rows[e]])
        if c < first:
            continue
        least, largest = min(least, c), max(largest, c)
        if first == UNORDERED:
            known |= 1 << c
            if known == every:
                break
        elif largest - least == n_bins - 1 - first:
            break
    return least, largest, known


@row_loop
def add_below(codes, node, lo, hi, members, weights, by_side, below):
    """Sum the rows of a node below a cut: four sums at a time, which need not wait for each other.

    Those above the cut are summed, too: that is faster than a branch, whose side is random.
    """
    rows, spans, moved = members
    begin, end = (0, len(rows)) if node == NONE else (spans[node, 0], spans[node, 1])
    for side in range(2 * LANES):
        clear(by_side[side])
    for e in range(begin, end):
        over = is_above(np.int64(codes[rows[e]]), lo, hi)
        add_row(rows[e], 1, by_side[(e & (LANES - 1)) + (LANES if over else 0)], weights)
    clear(below)
    for lane in range(LANES):
        for l in range(below.shape[1]):  # noqa: E741
            below[ALL, l] += by_side[lane, ALL, l]
            below[HAS, l] += by_side[lane, HAS, l]


@row_loop
def move_members(j, lo, hi, leaf, new, leaf_of, columns, scratch):
    """Move rows as `move` does, and divide the span of the leaf."""
    (begins, stored, bins, dense_row, dense), of_bins, exact = columns
    by_bin, below, full, (rows, spans, moved) = scratch
    if new == 1:  # the first split of a tree
        for i in range(len(rows)):
            rows[i] = i
        spans[0, 0], spans[0, 1] = 0, len(rows)
    begin, end = spans[leaf, 0], spans[leaf, 1]
    if dense_row[j] == NONE:
        move(j, lo, hi, leaf, new, leaf_of, columns, scratch)
    else:
        codes, above = dense[dense_row[j]], common_above(j, lo, hi, columns)
        for e in range(begin, end):
            goes = is_above(np.int64(codes[rows[e]]), lo, hi) != above
            leaf_of[rows[e]] = new if goes else leaf
    n, stay = 0, begin
    for e in range(begin, end):  # without a branch, whose side is random
        i = rows[e]
        rows[stay], moved[n] = i, i
        n += leaf_of[i] == new
        stay += leaf_of[i] == leaf
    for e in range(n):
        rows[stay + e] = moved[e]
    spans[leaf, 1], spans[new, 0], spans[new, 1] = stay, stay, end


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
random_split = bind(split, "random_split", move=move_members)
random_tree = bind(tree, "random_tree", fit_leaf=fit_random_leaf, split=random_split)
