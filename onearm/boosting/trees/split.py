"""The split that a leaf should make.

Each column offers the split with the largest information gain

    G = H(n) - Σ_b (W_b/W) H(n_b),

in bits, over the mass that the column's statistics have seen; not splitting offers 0.
"""

import math

import numpy as np

from onearm.boosting.trees.normal import divided
from onearm.boosting.trees.observers import BINS, EARLY, LEAST, MEAN, MOST, NEVER, WEIGHT, variance
from onearm.core.kernels import kernel_not_inlined, kernel_without_refcounts

SMALLEST_BRANCH = 0.01  # of the mass: two branches at least must have more
MARGIN = 1e-10  # by which a gain must be larger to be better: not by rounding
LEAF = -1  # no column: not to split


@kernel_without_refcounts
def xlogx(v):
    return v * math.log(v) if v > 0.0 else 0.0


@kernel_without_refcounts
def gain(parts, whole, W):
    """G in bits, from Σ W_b H(n_b) and W·H(n) in nats."""
    return (whole - parts) / (W * math.log(2.0))


@kernel_without_refcounts
def _below(t, moments, c, p, scale):
    """How much of class c lies at or below t in column p; `scale` is 1/√2σ."""
    if t < moments[c, LEAST, p]:
        return 0.0
    W = moments[c, WEIGHT, p]
    if t >= moments[c, MOST, p]:
        return W
    return W * (0.5 * (1.0 + math.erf((t - moments[c, MEAN, p]) * scale)))


@kernel_without_refcounts
def _gaussian(moments, p, n_splits, scales):
    """The best of some thresholds equally spaced over the range of column p: (gain, threshold)."""
    low, high, W = NEVER, -NEVER, 0.0
    for c in range(len(moments)):
        W_c = moments[c, WEIGHT, p]
        low, high = min(low, moments[c, LEAST, p]), max(high, moments[c, MOST, p])
        scales[c] = 1.0 / math.sqrt(variance(moments[c], p)) if W_c > 0.0 else 0.0
        W += W_c
    best, at, logs = -1.0, 0.0, xlogx(W)
    if not low < high:
        return best, at
    for n in range(1, n_splits + 1):
        t = low + n * (high - low) / (n_splits + 1)
        W_0 = mixed = 0.0
        for c in range(len(moments)):
            W_c = moments[c, WEIGHT, p]
            if t >= moments[c, MOST, p]:
                W_0 += W_c
            elif t >= moments[c, LEAST, p]:
                below, both = divided((t - moments[c, MEAN, p]) * scales[c])
                W_0, mixed = W_0 + W_c * below, mixed + W_c * both
        W_1 = W - W_0
        if min(W_0, W_1) > SMALLEST_BRANCH * W:
            G = (logs - xlogx(W_0) - xlogx(W_1) + mixed) / (W * math.log(2.0))
            if G > best + MARGIN:
                best, at = G, t
    return best, at


@kernel_without_refcounts
def _histogram(bins, sums):
    """The best of the edges between a column's bins: (gain, edge)."""
    W, whole = 0.0, 0.0
    for c in range(len(sums)):
        sums[c] = 0.0
        W += bins[BINS, c]
        whole -= xlogx(bins[BINS, c])
    whole += xlogx(W)
    best, at = -1.0, 0
    for b in range(BINS - 1):
        W_0 = W_1 = logs_0 = logs_1 = 0.0
        for c in range(len(sums)):
            sums[c] += bins[b, c]
            right = bins[BINS, c] - sums[c]
            W_0, W_1 = W_0 + sums[c], W_1 + right
            logs_0, logs_1 = logs_0 + xlogx(sums[c]), logs_1 + xlogx(right)
        if min(W_0, W_1) > SMALLEST_BRANCH * W:
            G = gain(xlogx(W_0) - logs_0 + xlogx(W_1) - logs_1, whole, W)
            if G > best + MARGIN:
                best, at = G, b
    return best, at


@kernel_without_refcounts
def _values(counts, m, k):
    """The gain of a branch for each of m values; row m of the counts is the sum of them."""
    W, whole, parts, n_large = 0.0, 0.0, 0.0, 0
    for c in range(k):
        W += counts[m, c]
        whole -= xlogx(counts[m, c])
    whole += xlogx(W)
    for b in range(m):
        W_b = 0.0
        for c in range(k):
            W_b += counts[b, c]
            parts -= xlogx(counts[b, c])
        parts += xlogx(W_b)
        n_large += W_b > SMALLEST_BRANCH * W
    return gain(parts, whole, W) if n_large >= 2 else -1.0


@kernel_not_inlined
def best_split(i, at, k, n_splits, stats, columns):
    """The best column, its threshold (of bins: the edge's number), its gain, and the second's."""
    moments, density, prior, gaps, counts, edges, bins, early, n_values = stats
    nominal, place = columns
    room = np.empty(k)
    column, first, second, where = LEAF, 0.0, 0.0, 0.0  # not splitting is the first to beat
    for j in range(len(nominal)):
        p, m = place[j], nominal[j]
        G, t = -1.0, 0.0
        if m > 0:
            G = _values(counts[i, at, p : p + m + 2], m + 1, k)
        elif len(moments) > 0:
            G, t = _gaussian(moments[i, at], j, n_splits, room)
        elif n_values[i, at, j] >= EARLY:
            G, t = _histogram(bins[i, at, j], room)
        if G > first + MARGIN:
            column, where, first, second = j, t, G, first
        elif G > second:
            second = G
    return column, where, first, second


@kernel_not_inlined
def branches(i, at, k, column, t, stats, columns):
    """The class masses on each side of a split, and its threshold."""
    moments, density, prior, gaps, counts, edges, bins, early, n_values = stats
    nominal, place = columns
    p, m = place[column], nominal[column]
    masses = np.zeros((m + 1 if m > 0 else 2, k))
    for c in range(k):
        if m > 0:
            for b in range(m + 1):
                masses[b, c] = counts[i, at, p + b, c]
        elif len(moments) > 0:
            W = moments[i, at, c, WEIGHT, column]
            if W > 0.0:
                scale = 1.0 / math.sqrt(2.0 * variance(moments[i, at, c], column))
                masses[0, c] = _below(t, moments[i, at], c, column, scale)
            masses[1, c] = W - masses[0, c]
        else:
            for b in range(BINS):
                masses[0 if b <= t else 1, c] += bins[i, at, column, b, c]
    if m == 0 and len(bins) > 0:
        t = edges[i, at, column, int(t)]
    return masses, t
