"""Trees of stumps, grown best first: the leaf is split whose stump gains most over a constant.

Each leaf votes as the last stump on its path, v_l·φ. Row i is in the leaf leaf_of[i]: when a leaf
is split, the side with the column's most common bin keeps its number and the other gets a new one,
so that few rows are moved.

Kernels take the tuple leaves = (parents, stumps, gains, total, below) with, for each leaf, its
parent, side and depth, the stump that would split it and its gain, and sums over its rows and over
those below the cut.

B. Kégl. The return of AdaBoost.MH: multi-class Hamming trees. ICLR 2014.
"""

from onearm.core.kernels import bind, kernel_without_refcounts
from onearm.mh.bandits import set_step
from onearm.mh.binning import common_above
from onearm.mh.search import COLUMN, HIGH, LOW, MARGIN, SELECTED, cut_sum, search
from onearm.mh.subsets import is_above, reaches, reaches_or_in
from onearm.mh.weights import (
    ALL,
    HAS,
    NONE,
    UNIT,
    VOTING_ROWS,
    copy_sums,
    row_loop,
    sign,
    signed_sum,
)

MINUS, PLUS = 3, 4  # of a split, beside what a stump has: splits, or ~leaf
PARENT, SIDE, DEPTH = range(3)  # of a leaf: the split above it, how many splits are above it


@kernel_without_refcounts
def constant_edge(total, factors):
    """γ of the best constant."""
    gamma = 0.0
    for l in range(total.shape[1]):  # noqa: E741
        gamma += abs(signed_sum(l, total, factors))
    return gamma / UNIT


@kernel_without_refcounts
def is_pure(total):
    """Whether all rows have one and the same label."""
    n = 0
    for l in range(total.shape[1]):  # noqa: E741
        n += total[HAS, l] > 0
    return n <= 1


@kernel_without_refcounts
def tree(splits, votes, leaves, psi, leaf_of, weights, columns, scratch, bandit, rng):
    """Grow a tree of len(votes) leaves: (its number of splits, γ). `leaf_of` must be all 0."""
    parents, stumps, gains, total, below = leaves
    A, factors, positive, sums, before = weights
    copy_sums(total[0], sums)
    parents[0, PARENT], parents[0, DEPTH] = NONE, 0
    fit_leaf(0, NONE, leaves, psi, leaf_of, weights, columns, scratch, bandit, rng)
    if stumps[0, COLUMN] == NONE or gains[0] < -MARGIN:
        for l in range(votes.shape[1]):  # noqa: E741
            votes[0, l] = sign(signed_sum(l, total[0], factors))
        return 0, constant_edge(total[0], factors)
    n, leaf = 0, 0
    while gains[leaf] > MARGIN or n == 0:
        under, over = split(n, leaf, splits, votes, leaves, leaf_of, factors, columns, scratch)
        n += 1
        if n == len(splits):
            break
        for child in (under, over):
            gains[child] = 0.0
            if not is_pure(total[child]):
                fit_leaf(
                    child, child, leaves, psi, leaf_of, weights, columns, scratch, bandit, rng
                )  # fmt: skip
        leaf = _largest_gain(gains, parents, n + 1)
    gamma = 0.0
    for leaf in range(n + 1):
        for l in range(votes.shape[1]):  # noqa: E741
            gamma += votes[leaf, l] * signed_sum(l, total[leaf], factors)
    return n, gamma / UNIT


@kernel_without_refcounts
def _largest_gain(gains, parents, n):
    """The leaf with the largest gain; of several the one whose split came first."""
    best = 0
    for leaf in range(1, n):
        more = gains[leaf] - gains[best]
        if more > MARGIN or (more > -MARGIN and _rank(parents[leaf]) < _rank(parents[best])):
            best = leaf
    return best


@kernel_without_refcounts
def _rank(parent):
    return 2 * parent[PARENT] + parent[SIDE]


@kernel_without_refcounts
def fit_leaf(leaf, node, leaves, psi, leaf_of, weights, columns, scratch, bandit, rng):
    """Find the stump that would split a leaf, and its gain."""
    parents, stumps, gains, total, below = leaves
    A, factors, positive, sums, before = weights
    by_bin, below_cuts, full, members = scratch
    set_step(parents[leaf, DEPTH], bandit)
    gamma, j, lo, hi = search(
        psi, leaf_of, node, total[leaf], weights, columns, scratch, bandit, rng
    )
    stumps[leaf, COLUMN], stumps[leaf, LOW], stumps[leaf, HIGH] = j, lo, hi
    gains[leaf] = gamma - constant_edge(total[leaf], factors) if j != NONE else 0.0
    copy_sums(below[leaf], below_cuts[SELECTED])


@row_loop
def move(j, lo, hi, leaf, new, leaf_of, columns, scratch):
    """Move the rows of a leaf on the other side of the cut than the most common bin to `new`."""
    (begins, rows, bins, dense_row, dense), of_bins, exact = columns
    above = common_above(j, lo, hi, columns)
    for e in range(begins[j], begins[j + 1]):
        if leaf_of[rows[e]] == leaf and is_above(bins[e], lo, hi) != above:
            leaf_of[rows[e]] = new
    if dense_row[j] != NONE:
        codes = dense[dense_row[j]]
        for i in range(len(codes)):
            if leaf_of[i] == leaf and is_above(codes[i], lo, hi) != above:
                leaf_of[i] = new


@kernel_without_refcounts
def split(n, leaf, splits, votes, leaves, leaf_of, factors, columns, scratch):
    """Split a leaf: the side of the most common bin keeps its number, the other becomes n + 1."""
    parents, stumps, gains, total, below = leaves
    j, lo, hi = stumps[leaf, COLUMN], stumps[leaf, LOW], stumps[leaf, HIGH]
    new = n + 1
    move(j, lo, hi, leaf, new, leaf_of, columns, scratch)
    under, over = (new, leaf) if common_above(j, lo, hi, columns) else (leaf, new)
    if parents[leaf, PARENT] != NONE:
        splits[parents[leaf, PARENT], parents[leaf, SIDE]] = n
    for part in (COLUMN, LOW, HIGH):
        splits[n, part] = stumps[leaf, part]
    splits[n, MINUS], splits[n, PLUS] = ~under, ~over
    parents[under, PARENT] = parents[over, PARENT] = n
    parents[under, SIDE], parents[over, SIDE] = MINUS, PLUS
    parents[under, DEPTH] = parents[over, DEPTH] = parents[leaf, DEPTH] + 1
    for l in range(votes.shape[1]):  # noqa: E741
        e = cut_sum(l, below[leaf], total[leaf], factors)
        votes[under, l], votes[over, l] = -sign(e), sign(e)
        for kind in (ALL, HAS):
            whole, part = total[leaf, kind, l], below[leaf, kind, l]
            total[under, kind, l], total[over, kind, l] = part, whole - part
    return under, over


def vote_trees(X, column, threshold, subset, child, votes, alpha, f):
    """Add the votes of trees: children are splits, or ~leaf; a tree without splits has leaf 0."""
    for start in range(0, len(X), VOTING_ROWS):
        stop = min(start + VOTING_ROWS, len(X))
        for t in range(len(alpha)):
            for i in range(start, stop):
                at = 0 if column[t, 0] >= 0 else ~0
                while at >= 0:
                    x = X[i, column[t, at]]
                    over = above(x, threshold[t, at], subset[t, at])  # noqa: F821 bound
                    at = child[t, at, 1 if over else 0]
                for l in range(f.shape[1]):  # noqa: E741
                    f[i, l] += alpha[t] * votes[t, ~at, l]


vote_trees_of_numbers = bind(vote_trees, "vote_trees_of_numbers", above=reaches)
vote_trees_of_any = bind(vote_trees, "vote_trees_of_any", above=reaches_or_in)
