"""A forest of extremely randomised trees over stored rows, under bandit feedback.

Trees are grown one after the other, each on all rows that are stored by then, a few nodes in every
round; a tree that is complete replaces the oldest. A node is split by the best of some random
splits, by Gini's index, until all labels in it are the same.

Of a row whose answer was right the label is known. Of one whose answer was wrong it is guessed: at
first the best other label of the whole model; then half of these rows, others for each tree, take
no part in its growth, and the leaf that such a row comes to votes for its label, excluding the one
that was wrong. The guess changes when votes against it outnumber those for it (Boyer and Moore's
majority vote). What is learnt from right answers alone would know easy rows only.

A tree scores label r by its leaf of n rows:

    m_r = (rows labelled r, known or guessed - q·DENIAL·rows whose answer r was wrong) / n

P. Geurts, D. Ernst, L. Wehenkel. Extremely randomized trees. Machine Learning 63, 2006.
R. S. Boyer, J. S. Moore. MJRTY: a fast majority vote algorithm. 1981.
"""

import numpy as np

from onearm.chorus.splits import (
    KNOWN,
    LABEL,
    MISSING,
    WRONG,
    gain,
    is_left,
    is_pure,
    partition,
    propose,
    sample,
)  # fmt: skip
from onearm.core.kernels import (
    kernel,
    kernel_without_refcounts,
    separate_kernel,
    separate_kernel_without_refcounts,
)
from onearm.core.rng import below, uniform

# of `progress`: rows ever stored, trees grown; of the tree at hand: the node to be looked at next,
# how many nodes there are, how many rows, and how many of them take part; which half is in use; the
# most nodes of a tree and the most rows that there ever were: beyond these, arrays are still empty
STORED, GROWN, NEXT, NODES, ROWS, TAKING_PART, HALF, MOST_NODES, MOST_ROWS = range(9)
SPLIT, FIRST, LAST = range(3)  # of a node: its column + 1; its first child, or a leaf's rows
LEAF = 0
DENIAL = 1.5  # how much a wrong answer speaks against a label
SAMPLE = 512  # rows of a node, about, by which splits are judged; of twice as many all
READ = 64  # rows of a leaf that are read at most
MOST_VOTES = 20  # votes for a guess that count
LEAST = 4  # rows before the first tree
EARLY = 4096  # rows: while there are fewer, a round may look at more, since a tree has less
LARGEST = 1e38  # a value in single precision


@kernel
def single(x):
    """A row as it is stored."""
    v = np.empty(len(x), np.float32)
    for j in range(len(x)):
        v[j] = max(-LARGEST, min(LARGEST, x[j])) if x[j] == x[j] else MISSING
    return v


@kernel_without_refcounts
def leaf_of(v, nominal, nodes, thresholds):
    """The leaf that a row comes to in a tree."""
    node = 0
    while nodes[node, SPLIT] != LEAF:
        j = nodes[node, SPLIT] - 1
        left = is_left(v[j], thresholds[node], abs(nominal[j]))
        node = nodes[node, FIRST] + (0 if left else 1)
    return node


@separate_kernel_without_refcounts
def vote(v, nominal, forest, half, q, m):
    """Add the mean score of the trees of one half to m."""
    nodes, thresholds, leaves, sizes, _ = forest[1]
    each, n_trees = len(sizes) // 2, 0
    for t in range(half * each, (half + 1) * each):
        n_trees += sizes[t] > 0
    for t in range(half * each, (half + 1) * each):
        if sizes[t] == 0:
            continue
        leaf = leaf_of(v, nominal, nodes[t], thresholds[t])
        first, last = nodes[t, leaf, FIRST], nodes[t, leaf, LAST]
        last = min(last, first + READ)
        for i in range(first, last):
            share = 1.0 / ((last - first) * n_trees)
            m[leaves[t, i, LABEL]] += share
            if leaves[t, i, WRONG] != KNOWN:
                m[leaves[t, i, WRONG]] -= q * DENIAL * share


@separate_kernel_without_refcounts
def store(v, label, right, s, forest):
    """Store a row; s are the scores by which its label is guessed where the answer was wrong."""
    X, answers, votes = forest[0]
    _, _, _, _, progress = forest[1]
    i = progress[STORED] % len(X)
    for j in range(len(v)):
        X[i, j] = v[j]
    guess = -1
    for r in range(len(s)):
        if r != label and (guess < 0 or s[r] > s[guess]):
            guess = r
    answers[i, LABEL] = label if right or guess < 0 else guess
    answers[i, WRONG] = KNOWN if right or guess < 0 else label
    votes[i] = 0
    progress[STORED] += 1
    progress[MOST_ROWS] = max(progress[MOST_ROWS], min(progress[STORED], len(X)))


@separate_kernel
def grow(nominal, k, rng, forest):
    """Grow the tree at hand by as many nodes as a round may look at."""
    (X, answers, votes), (nodes, thresholds, leaves, sizes, progress), order, (work, tries) = forest
    t = progress[HALF] * (len(sizes) // 2) + progress[GROWN] % (len(sizes) // 2)
    if progress[NODES] == 0:
        if progress[STORED] < LEAST:
            return
        begin_tree(rng, t, answers, nodes, sizes, order, progress)
    room, left = room_for(k, progress[ROWS]), work + work * EARLY // progress[ROWS]
    while progress[NEXT] < progress[NODES] and left > 0:
        left -= look_at(progress[NEXT], t, nominal, tries, rng, room, forest)
        progress[NEXT] += 1
    progress[MOST_NODES] = max(progress[MOST_NODES], progress[NODES])
    if progress[NEXT] == progress[NODES]:
        for i in range(progress[TAKING_PART]):
            for c in range(2):
                leaves[t, i, c] = answers[order[i], c]
        counts = np.zeros(k)
        for i in range(progress[TAKING_PART], progress[ROWS]):
            guess_again(order[i], t, nominal, counts, forest)
        sizes[t] = progress[NODES]
        progress[GROWN] += 1
        progress[NEXT] = progress[NODES] = 0


@kernel_without_refcounts
def begin_tree(rng, t, answers, nodes, sizes, order, progress):
    """Make a root of the stored rows; half of those whose label is guessed take no part."""
    n = min(progress[STORED], len(order))
    first, last = 0, n
    for i in range(n):
        if answers[i, WRONG] != KNOWN and uniform(rng) < 0.5:
            last -= 1
            order[last] = i
        else:
            order[first] = i
            first += 1
    sizes[t] = 0
    progress[ROWS], progress[TAKING_PART], progress[NEXT], progress[NODES] = n, first, 0, 1
    nodes[t, 0, SPLIT], nodes[t, 0, FIRST], nodes[t, 0, LAST] = LEAF, 0, first


@kernel
def room_for(k, n):
    """Room for the rows by which a node is split, for their labels, and for the sides of n rows."""
    rows = np.empty(2 * SAMPLE, np.uint32), np.empty(2 * SAMPLE, np.float32)
    labels = (
        np.empty(2 * SAMPLE, np.uint32),
        np.full(k, -1),
        np.empty(k),
        np.zeros((2, k), np.int64),
    )
    return rows, labels, np.empty(n, np.uint8)


@kernel_without_refcounts
def look_at(node, t, nominal, tries, rng, room, forest):
    """Split a node if it can be split; return how many values were looked at."""
    (X, answers, _), (nodes, thresholds, _, _, progress), order, _ = forest
    (some, values), (labels, ids, total, part), sides = room
    first, last = nodes[t, node, FIRST], nodes[t, node, LAST]
    rows, seen = order[first:last], last - first
    if progress[NODES] + 2 > nodes.shape[1] or is_pure(rows, answers):
        return seen
    n, n_labels, squared = sample(rows, answers, max(1, seen // SAMPLE), some, labels, ids, total)
    some, values, labels, total = some[:n], values[:n], labels[:n], total[:n_labels]
    best, column, threshold, valid = 0.0, -1, 0.0, 0
    for _ in range(2 * tries + 8):
        if valid == tries:
            break
        j = below(X.shape[1], rng)
        t_j = propose(X, j, some, abs(nominal[j]), rng, values)
        score = gain(values, t_j, abs(nominal[j]), labels, total, squared, part)
        seen += 2 * n
        valid += score > 0.0
        if score > best:
            best, column, threshold = score, j, t_j
    if column >= 0:
        n_left = partition(X, column, threshold, abs(nominal[column]), rows, sides)
        child = progress[NODES]
        nodes[t, node, SPLIT], nodes[t, node, FIRST] = column + 1, child
        thresholds[t, node] = threshold
        for c in range(2):
            nodes[t, child + c, SPLIT] = LEAF
            nodes[t, child + c, FIRST] = first if c == 0 else first + n_left
            nodes[t, child + c, LAST] = first + n_left if c == 0 else last
        progress[NODES] += 2
    return seen


@kernel_without_refcounts
def guess_again(i, t, nominal, counts, forest):
    """Let the leaf of a row vote for its label."""
    (X, answers, votes), (nodes, thresholds, leaves, _, _), _, _ = forest
    leaf = leaf_of(X[i], nominal, nodes[t], thresholds[t])
    first, last = nodes[t, leaf, FIRST], nodes[t, leaf, LAST]
    last, label = min(last, first + READ), -1
    for p in range(first, last):
        r = leaves[t, p, LABEL]
        counts[r] += 1.0
        if leaves[t, p, WRONG] != KNOWN:
            counts[leaves[t, p, WRONG]] -= DENIAL
    for p in range(first, last):
        r = leaves[t, p, LABEL]
        if r != answers[i, WRONG] and (label < 0 or counts[r] > counts[label]):
            label = r
    for p in range(first, last):
        counts[leaves[t, p, LABEL]] = 0.0
        if leaves[t, p, WRONG] != KNOWN:
            counts[leaves[t, p, WRONG]] = 0.0
    if label < 0:
        return
    if label == answers[i, LABEL]:
        votes[i] = min(votes[i] + 1, MOST_VOTES)
    elif votes[i] > 0:
        votes[i] -= 1
    else:
        answers[i, LABEL] = label


@separate_kernel_without_refcounts
def begin_forest(forest):
    """Forget the rows, and grow trees in the other half: those of this one are as they were."""
    _, _, _, sizes, progress = forest[1]
    half = 1 - progress[HALF]
    progress[:HALF] = 0
    progress[HALF] = half
    each = len(sizes) // 2
    sizes[half * each : (half + 1) * each] = 0
