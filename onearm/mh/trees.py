"""Trees of stumps, grown best first: the leaf is split whose stump gains most over a constant.

Each leaf says what the last stump on its path says there, v_l·φ. Row i is at the leaf at[i]: when a
leaf is split, the side with the column's most common code keeps its number and the other gets a
new one, so that few rows are moved.

B. Kégl. The return of AdaBoost.MH: multi-class Hamming trees. ICLR 2014.
"""

from onearm.core.kernels import kernel_without_refcounts
from onearm.mh.binning import base_above
from onearm.mh.search import search
from onearm.mh.stump import KEPT, MARGIN, NONE, e_of, keep
from onearm.mh.weights import ALL, HAS, UNIT

COLUMN, LOW, HIGH, MINUS, PLUS = range(5)  # of a split: MINUS and PLUS are splits, or ~leaf
PARENT, SIDE = range(2)  # of a leaf: the split that it hangs on


@kernel_without_refcounts
def constant_edge(total, weights):
    """γ of saying the same everywhere."""
    plus, minus = weights[1], weights[2]
    gamma = 0.0
    for l in range(len(plus)):  # noqa: E741
        has = total[HAS, l]
        gamma += abs(plus[l] * has - minus[l] * (total[ALL, l] - has))
    return gamma / UNIT


@kernel_without_refcounts
def pure(total):
    """Whether all rows have one and the same label."""
    n = 0
    for l in range(total.shape[1]):  # noqa: E741
        n += total[HAS, l] > 0
    return n <= 1


@kernel_without_refcounts
def sign(e):
    return 1 if e > 0.0 else -1


@kernel_without_refcounts
def tree(splits, votes, leaves, at, psi, weights, columns, room, arms, rng):
    """Grow a tree of len(votes) leaves: (how many splits it has, γ). `at` must be all 0."""
    hang, found, gains, total, below = leaves
    fit_leaf(0, NONE, leaves, at, psi, weights, columns, room, arms, rng)
    if found[0, COLUMN] == NONE or gains[0] < -MARGIN:
        for l in range(votes.shape[1]):  # noqa: E741
            votes[0, l] = sign(_own(l, total[0], weights))
        return 0, constant_edge(total[0], weights)
    hang[0, PARENT] = NONE
    n, leaf = 0, 0
    while gains[leaf] > MARGIN or n == 0:
        new = n + 1
        under, over = attach(n, leaf, new, splits, votes, leaves, at, weights, columns)
        n += 1
        if n == len(splits):
            break
        for one in (under, over):
            gains[one] = 0.0
            if not pure(total[one]):
                fit_leaf(one, one, leaves, at, psi, weights, columns, room, arms, rng)
        leaf = _largest(gains, hang, n + 1)
    gamma = 0.0
    for one in range(n + 1):
        for l in range(votes.shape[1]):  # noqa: E741
            gamma += votes[one, l] * _own(l, total[one], weights)
    return n, gamma / UNIT


@kernel_without_refcounts
def _largest(gains, hang, n):
    """The leaf with the largest gain; of several the one whose split came first."""
    leaf = 0
    for one in range(1, n):
        more = gains[one] - gains[leaf]
        before = 2 * hang[one, PARENT] + hang[one, SIDE] < 2 * hang[leaf, PARENT] + hang[leaf, SIDE]
        if more > MARGIN or (more > -MARGIN and before):
            leaf = one
    return leaf


@kernel_without_refcounts
def _own(l, total, weights):  # noqa: E741
    """Σ w_il y_il over the rows of a leaf."""
    return weights[1][l] * total[HAS, l] - weights[2][l] * (total[ALL, l] - total[HAS, l])


@kernel_without_refcounts
def fit_leaf(leaf, node, leaves, at, psi, weights, columns, room, arms, rng):
    """Find the stump that would split a leaf, and what it would gain."""
    hang, found, gains, total, below = leaves
    gamma, j, lo, hi = search(psi, at, node, total[leaf], weights, columns, room, arms, rng)
    found[leaf, COLUMN], found[leaf, LOW], found[leaf, HIGH] = j, lo, hi
    gains[leaf] = gamma - constant_edge(total[leaf], weights) if j != NONE else 0.0
    keep(below[leaf], room[1][KEPT])


@kernel_without_refcounts
def move(j, hi, leaf, new, at, columns):
    """Move the rows of a leaf that lie on the other side of the cut than the most common code."""
    begins, rows, codes = columns[0], columns[1], columns[2]
    above = base_above(j, hi, columns)
    for e in range(begins[j], begins[j + 1]):
        if at[rows[e]] == leaf and (codes[e] < hi) == above:
            at[rows[e]] = new


@kernel_without_refcounts
def attach(n, leaf, new, splits, votes, leaves, at, weights, columns):
    """Split a leaf: the side of the most common code keeps its number, the other becomes `new`."""
    hang, found, gains, total, below = leaves
    j, hi = found[leaf, COLUMN], found[leaf, HIGH]
    move(j, hi, leaf, new, at, columns)
    under, over = (new, leaf) if base_above(j, hi, columns) else (leaf, new)
    if hang[leaf, PARENT] != NONE:
        splits[hang[leaf, PARENT], hang[leaf, SIDE]] = n
    for part in (COLUMN, LOW, HIGH):
        splits[n, part] = found[leaf, part]
    splits[n, MINUS], splits[n, PLUS] = ~under, ~over
    hang[under, PARENT] = hang[over, PARENT] = n
    hang[under, SIDE], hang[over, SIDE] = MINUS, PLUS
    for l in range(votes.shape[1]):  # noqa: E741
        e = e_of(l, below[leaf], total[leaf], weights)
        votes[under, l], votes[over, l] = -sign(e), sign(e)
        for kind in (ALL, HAS):
            whole, part = total[leaf, kind, l], below[leaf, kind, l]
            total[under, kind, l], total[over, kind, l] = part, whole - part
    return under, over
