"""Trees: where their nodes lie, the way down, and how a leaf predicts, learns and splits.

    links    (N, M, 4)  SPLIT the column asked, or LEAF; CHILD the first of its children, which lie
                        side by side; DEPTH, 0 at the root; SLOT where a leaf's statistics lie
    numbers  (N, M, 5)  THRESHOLD: x ≤ threshold goes to child 0; TOTAL of the masses; TRIED, the
                        total at the last try; how much weight the MAJORITY and BAYES got right
    mass     (N, M, k)  weight of each class; a node that was split keeps them
    used     (N, 2)     nodes and slots in use: nothing is ever moved or given back

A column with m values (nominal) has m+1 children: one for each value and one for any other.

A leaf predicts by majority class, naive Bayes (`bayes`), or the more accurate of the two there. It
splits by the column with the largest gain (`split`) if that beats the second by Hoeffding's
ε = √(R² ln(1/δ) / 2n), R = log₂ #classes, or if ε < τ.

P. Domingos, G. Hulten. Mining high-speed data streams. KDD 2000.
"""

import math

from onearm.boosting.trees.bayes import posterior
from onearm.boosting.trees.observers import NEVER, clear, code, observe
from onearm.boosting.trees.split import LEAF, best_split, branches
from onearm.core.kernels import (
    kernel,
    kernel_not_inlined,
    kernel_without_refcounts,
    separate_kernel,
)

SPLIT, CHILD, DEPTH, SLOT = range(4)
THRESHOLD, TOTAL, TRIED, RIGHT_MAJORITY, RIGHT_BAYES = range(5)
NOWHERE = -1
LABEL, NODE, MAJORITY, BAYES, BY_BAYES = range(5)  # what is noted about x and a tree
NOTES = 5
BY_MAJORITY, BY_NAIVE_BAYES, ADAPTIVE = range(3)  # in the order of LEAF_PREDICTIONS
PURE = 0.99  # share of a class beyond which a leaf is not split


@kernel_without_refcounts
def top(s):
    """The largest entry; the lowest of several."""
    best = 0
    for r in range(1, len(s)):
        if s[r] > s[best]:
            best = r
    return best


@kernel_without_refcounts
def route(x, i, nodes, columns):
    """The leaf of tree i that x comes to, and the node that speaks for it."""
    links, numbers, mass, used = nodes
    nominal, place = columns
    node = above = 0
    while links[i, node, SPLIT] != LEAF:
        j, first = links[i, node, SPLIT], links[i, node, CHILD]
        v, m = x[j], nominal[j]
        above = node
        if v != v:  # missing: the heaviest branch
            node = first
            for other in range(first + 1, first + (m + 1 if m > 0 else 2)):
                if numbers[i, other, TOTAL] > numbers[i, node, TOTAL]:
                    node = other
        elif m == 0:
            node = first if v <= numbers[i, node, THRESHOLD] else first + 1
        else:
            node = first + code(v, m)
    return node, node if numbers[i, node, TOTAL] > 0.0 else above


@kernel_without_refcounts
def look(x, i, notes, out, nodes, stats, columns, settings):
    """Note what tree i predicts for x; `out` gets log posteriors, or the masses of its leaf."""
    links, numbers, mass, used = nodes
    prediction = settings[-1]
    leaf, spokesman = route(x, i, nodes, columns)
    masses = mass[i, spokesman]
    notes[NODE] = leaf
    notes[LABEL] = notes[MAJORITY] = notes[BAYES] = top(masses)
    notes[BY_BAYES] = 0
    at = links[i, leaf, SLOT]
    if prediction != BY_MAJORITY and at != NOWHERE:
        posterior(x, i, at, mass[i, leaf], out, stats, columns)
        best = top(out)
        if out[best] > -NEVER:
            notes[BAYES] = best
            ahead = numbers[i, leaf, RIGHT_BAYES] >= numbers[i, leaf, RIGHT_MAJORITY]
            if prediction == BY_NAIVE_BAYES or ahead:
                notes[LABEL], notes[BY_BAYES] = best, 1
                return
    for c in range(len(out)):
        out[c] = masses[c]


@kernel
def bound(mass, total, delta):
    """Hoeffding's ε for the difference of two gains."""
    seen = 0
    for c in range(len(mass)):
        seen += mass[c] > 0.0
    R = math.log2(max(2, seen))
    return math.sqrt(R * R * math.log(1.0 / delta) / (2.0 * total))


@separate_kernel
def try_split(i, leaf, nodes, stats, columns, settings):
    """Split a leaf if some column is surely, or almost, the best."""
    links, numbers, mass, used = nodes
    grace_period, delta, tau, room, n_splits, max_depth, prediction = settings
    n, masses = numbers[i, leaf, TOTAL], mass[i, leaf]
    largest = 0.0
    for c in range(len(masses)):
        largest = max(largest, masses[c])
    if largest > PURE * n:
        return
    at, k = links[i, leaf, SLOT], len(masses)
    column, t, first, second = best_split(i, at, k, n_splits, stats, columns)
    if column == LEAF:
        return
    eps = bound(masses, n, delta[i])
    if first - second > eps or eps < tau[i]:
        sides, t = branches(i, at, k, column, t, stats, columns)
        grow(i, leaf, column, t, sides, nodes, stats, settings)


@kernel_not_inlined
def grow(i, leaf, column, t, sides, nodes, stats, settings):
    """Turn a leaf into a split with children of these masses, if there is room."""
    links, numbers, mass, used = nodes
    grace_period, delta, tau, room, n_splits, max_depth, prediction = settings
    n_branches, k = sides.shape
    first = used[i, 0]
    if first + n_branches > links.shape[1] or used[i, 1] + n_branches - 1 > room:
        return
    used[i, 0] += n_branches
    free = links[i, leaf, SLOT]
    deeper = links[i, leaf, DEPTH] + 1
    watched = prediction != BY_MAJORITY or max_depth == 0 or deeper < max_depth
    for b in range(n_branches):
        node = first + b
        links[i, node, SPLIT], links[i, node, DEPTH], links[i, node, SLOT] = LEAF, deeper, NOWHERE
        whole = 0.0
        for c in range(k):
            mass[i, node, c] = sides[b, c]
            whole += sides[b, c]
        numbers[i, node, TOTAL] = numbers[i, node, TRIED] = whole
        if watched:
            if free == NOWHERE:
                free = used[i, 1]
                used[i, 1] += 1
            links[i, node, SLOT] = free
            clear(i, free, stats)
            free = NOWHERE
    numbers[i, leaf, THRESHOLD] = t
    links[i, leaf, SPLIT], links[i, leaf, CHILD], links[i, leaf, SLOT] = column, first, NOWHERE


@kernel_without_refcounts
def learn(x, i, notes, label, w, nodes, stats, columns, settings):
    """Teach tree i that x, about which it made these notes, has this label, with weight w."""
    links, numbers, mass, used = nodes
    grace_period, delta, tau, room, n_splits, max_depth, prediction = settings
    if not 0.0 < w < math.inf:
        return
    leaf = notes[NODE]
    at = links[i, leaf, SLOT]
    if prediction == ADAPTIVE:
        numbers[i, leaf, RIGHT_MAJORITY] += w * (notes[MAJORITY] == label)
        numbers[i, leaf, RIGHT_BAYES] += w * (notes[BAYES] == label)
    mass[i, leaf, label] += w
    numbers[i, leaf, TOTAL] += w
    if at == NOWHERE:
        return
    observe(x, i, at, label, w, mass[i, leaf, label], stats, columns)
    n = numbers[i, leaf, TOTAL]
    due = n - numbers[i, leaf, TRIED] >= grace_period[i] and mass[i, leaf, label] < n
    if due and used[i, 0] + 2 <= links.shape[1]:
        if max_depth == 0 or links[i, leaf, DEPTH] < max_depth:
            numbers[i, leaf, TRIED] = n
            try_split(i, leaf, nodes, stats, columns, settings)


@kernel
def probabilities(notes, out):
    """From what `look` gave to P(class): a softmax, or masses plus one each."""
    k = len(out)
    p = out.copy()
    if notes[BY_BAYES]:
        largest = out[top(out)]
        for c in range(k):
            p[c] = math.exp(max(out[c] - largest, -700.0))
    else:
        for c in range(k):
            p[c] += 1.0
    whole = 0.0
    for c in range(k):
        whole += p[c]
    for c in range(k):
        p[c] /= whole
    return p


@kernel
def margin(notes, out):
    """The margin of class 1 over class 0, in [-1, 1], of a tree of two classes."""
    return 2.0 * probabilities(notes, out)[1] - 1.0
