"""When and where a leaf splits.

Each column offers the split with the largest information gain

    G = H(n) - Σ_b (W_b/W) H(n_b),

in bits, over the mass that the column's statistics have seen; not splitting offers 0. The best is
taken if it beats the second by ε = √(R² ln(1/δ) / 2n), R = log₂ #classes, or if ε < τ.

P. Domingos, G. Hulten. Mining high-speed data streams. KDD 2000.
"""

import math

import numpy as np

from onearm.boosting.trees.leaves import BY_MAJORITY
from onearm.boosting.trees.nodes import (
    CHILD,
    DEPTH,
    LEAF,
    NOWHERE,
    SLOT,
    SPLIT,
    THRESHOLD,
    TOTAL,
    TRIED,
)
from onearm.boosting.trees.observers import (
    BINS,
    EARLY,
    LEAST,
    MEAN,
    MOST,
    NEVER,
    WEIGHT,
    clear,
    variance,
)
from onearm.kernels import kernel, large_kernel

SMALLEST_BRANCH = 0.01  # of the mass: two branches at least must have more
MARGIN = 1e-10  # by which a gain must be larger to be better: not by rounding
PURE = 0.99  # share of a class beyond which a leaf is not split


@kernel
def xlogx(v):
    return v * math.log(v) if v > 0.0 else 0.0


@kernel
def entropy(masses):
    """W·H in nats: W log W - Σ n log n; and W."""
    whole = total = 0.0
    for c in range(len(masses)):
        whole += masses[c]
        total += xlogx(masses[c])
    return xlogx(whole) - total, whole


@large_kernel
def gain(branches):
    """The information gain of a split into these (b, k) masses; negative if it is no split."""
    n_branches, k = branches.shape
    all_of = np.zeros(k)
    for b in range(n_branches):
        for c in range(k):
            all_of[c] += branches[b, c]
    before, W = entropy(all_of)
    after, large = 0.0, 0
    for b in range(n_branches):
        H, W_b = entropy(branches[b])
        after += H
        large += W_b > SMALLEST_BRANCH * W
    return (before - after) / (W * math.log(2.0)) if large >= 2 else -1.0


@kernel
def _copy(source, target, rows):
    for b in range(rows):
        for c in range(source.shape[1]):
            target[b, c] = source[b, c]


@large_kernel
def _gaussian(moments, p, n_splits, branches, found):
    """Try thresholds equally spaced over the range of column p."""
    low, high = NEVER, -NEVER
    for c in range(len(moments)):
        low, high = min(low, moments[c, LEAST, p]), max(high, moments[c, MOST, p])
    best, at = -1.0, 0.0
    if not low < high:
        return best, at
    for n in range(1, n_splits + 1):
        t = low + n * (high - low) / (n_splits + 1)
        for c in range(len(moments)):
            W = moments[c, WEIGHT, p]
            if t < moments[c, LEAST, p]:
                left = 0.0
            elif t >= moments[c, MOST, p]:
                left = W
            else:
                z = (t - moments[c, MEAN, p]) / math.sqrt(2.0 * variance(moments[c], p))
                left = W * (0.5 * (1.0 + math.erf(z)))
            branches[0, c], branches[1, c] = left, W - left
        G = gain(branches[:2])
        if G > best + MARGIN:
            best, at = G, t
            _copy(branches, found, 2)
    return best, at


@large_kernel
def _histogram(edges, bins, branches, found):
    """Try the edges of a column's bins."""
    best, at = -1.0, 0.0
    for b in range(BINS - 1):
        for c in range(bins.shape[1]):
            branches[0, c] = bins[b, c] + (branches[0, c] if b > 0 else 0.0)
            branches[1, c] = bins[BINS, c] - branches[0, c]
        G = gain(branches[:2])
        if G > best + MARGIN:
            best, at = G, edges[b]
            _copy(branches, found, 2)
    return best, at


@large_kernel
def best_split(i, at, k, n_splits, stats, columns):
    """The best column, its gain, threshold and branches, and the second best gain."""
    moments, density, prior, gaps, counts, edges, bins, early, heard = stats
    nominal, place, numeric = columns
    widest = 2
    for j in range(len(nominal)):
        widest = max(widest, nominal[j] + 1)
    trial, found, kept = np.empty((widest, k)), np.empty((widest, k)), np.empty((widest, k))
    column, first, second, where = LEAF, 0.0, 0.0, 0.0  # not splitting is the first to beat
    for j in range(len(nominal)):
        p, m = place[j], nominal[j]
        t = 0.0
        if m > 0:
            _copy(counts[i, at, p:], found, m + 1)
            G = gain(found[: m + 1])
        elif len(moments) > 0:
            G, t = _gaussian(moments[i, at], p, n_splits, trial, found)
        elif heard[i, at, p] >= EARLY:
            G, t = _histogram(edges[i, at, p], bins[i, at, p], trial, found)
        else:
            G = -1.0
        if G > first + MARGIN:
            column, where, first, second = j, t, G, first
            _copy(found, kept, widest)
        elif G > second:
            second = G
    return column, first, second, where, kept


@kernel
def bound(mass, total, delta):
    """Hoeffding's ε for the difference of two gains."""
    seen = 0
    for c in range(len(mass)):
        seen += mass[c] > 0.0
    R = math.log2(max(2, seen))
    return math.sqrt(R * R * math.log(1.0 / delta) / (2.0 * total))


@large_kernel
def try_split(i, leaf, nodes, stats, columns, settings):
    """Split a leaf if some column is surely, or almost, the best."""
    links, numbers, mass, used = nodes
    grace, delta, tie, room, n_splits, max_depth, leaves = settings
    nominal, place, numeric = columns
    n, masses = numbers[i, leaf, TOTAL], mass[i, leaf]
    largest = 0.0
    for c in range(len(masses)):
        largest = max(largest, masses[c])
    if largest > PURE * n:
        return
    column, first, second, t, branches = best_split(
        i, links[i, leaf, SLOT], len(masses), n_splits, stats, columns
    )
    if column == LEAF:
        return
    eps = bound(masses, n, delta[i])
    if first - second > eps or eps < tie[i]:
        n_branches = nominal[column] + 1 if nominal[column] > 0 else 2
        grow(i, leaf, column, t, branches[:n_branches], room, nodes, stats, settings)


@large_kernel
def grow(i, leaf, column, t, branches, room, nodes, stats, settings):
    """Turn a leaf into a split with children of these masses, if there is room."""
    links, numbers, mass, used = nodes
    grace, delta, tie, room, n_splits, max_depth, leaves = settings
    n_branches, k = branches.shape
    first = used[i, 0]
    if first + n_branches > links.shape[1] or used[i, 1] + n_branches - 1 > room:
        return
    used[i, 0] += n_branches
    free = links[i, leaf, SLOT]
    deeper = links[i, leaf, DEPTH] + 1
    watched = leaves != BY_MAJORITY or max_depth == 0 or deeper < max_depth
    for b in range(n_branches):
        node = first + b
        links[i, node, SPLIT], links[i, node, DEPTH], links[i, node, SLOT] = LEAF, deeper, NOWHERE
        whole = 0.0
        for c in range(k):
            mass[i, node, c] = branches[b, c]
            whole += branches[b, c]
        numbers[i, node, TOTAL] = numbers[i, node, TRIED] = whole
        if watched:
            if free == NOWHERE:
                free = used[i, 1]
                used[i, 1] += 1
            links[i, node, SLOT] = free
            clear(i, free, mass[i, node], stats)
            free = NOWHERE
    numbers[i, leaf, THRESHOLD] = t
    links[i, leaf, SPLIT], links[i, leaf, CHILD], links[i, leaf, SLOT] = column, first, NOWHERE
