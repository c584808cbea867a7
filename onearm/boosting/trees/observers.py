"""What a leaf stores of each column, to find a split and to estimate P(x | class).

Numeric columns, one of two ways. Gaussian: per class the weight, mean, sum of squared deviations
(Welford's, weighted), least and largest value. Histogram: per class the weight in each of 32 bins,
whose edges are quantiles of the first 100 values that the leaf saw in that column.
Nominal columns: per class the weight of each value, of any other value, and of all.

A variance is S/W: importance weights are not counts, so nothing is taken off W.

For naive Bayes with Gaussians `density` holds μ and 1/2σ² of each column and class, and `prior`
log n_c - Σ_j log σ_jc; both fit rows and leaves without missing values, which `gaps` counts. A
class that the leaf has not seen itself is impossible there.
"""

import math

import numpy as np

from onearm.core.kernels import kernel, kernel_not_inlined, kernel_without_refcounts

WEIGHT, MEAN, SQUARES, LEAST, MOST = range(5)
MU, PRECISION = range(2)
NARROWEST = 1e-12  # of variances
NEVER = 1e300  # the least and largest of no values; minus the log of no chance
BINS, EARLY = 32, 100
VALUE, CLASS, IMPORTANCE = range(3)  # of an early value


@kernel_without_refcounts
def code(v, m):
    """The value of a nominal column with values 0 … m-1; m stands for every other."""
    if 0.0 <= v < m:
        c = int(v)
        return c if c == v else m
    return m


@kernel_without_refcounts
def observe(x, i, at, c, w, n_c, stats, columns):
    """Add x, of class c and weight w, to slot `at` of tree i; n_c is the leaf's mass of c."""
    moments, density, prior, gaps, counts, edges, bins, early, n_values = stats
    nominal, place = columns
    if len(counts) > 0:
        for j in range(len(nominal)):
            m = nominal[j]
            if m > 0 and x[j] == x[j]:
                counts[i, at, place[j] + code(x[j], m), c] += w
                counts[i, at, place[j] + m + 1, c] += w
    if len(moments) > 0:
        _welford(x, w, moments[i, at, c])
        if len(density) > 0:
            prior[i, at, c] = _describe(nominal, c, n_c, moments[i, at, c], density[i, at])
            for j in range(len(x)):
                gaps[i, at] += x[j] != x[j]
        return
    if len(prior) > 0:
        prior[i, at, c] = math.log(n_c)
    for j in range(len(nominal)):
        v = x[j]
        if v == v and nominal[j] == 0:
            _count(v, c, w, n_values[i, at, j], edges[i, at, j], bins[i, at, j], early[i, at, j])
            n_values[i, at, j] += 1.0


@kernel_without_refcounts
def _welford(x, w, of):
    """Add x to the (5, d) moments of a class; those of nominal codes are not used."""
    for j in range(len(x)):
        v = x[j]
        there = v == v  # no branch, so that several columns are done at once
        off = v - of[MEAN, j] if there else 0.0
        W = of[WEIGHT, j] + (w if there else 0.0)
        of[WEIGHT, j] = W
        of[MEAN, j] += off * (w / W if W > 0.0 else 0.0)
        of[SQUARES, j] += w * off * (v - of[MEAN, j] if there else 0.0)
        of[LEAST, j] = v if v < of[LEAST, j] else of[LEAST, j]
        of[MOST, j] = v if v > of[MOST, j] else of[MOST, j]


@kernel_without_refcounts
def variance(of, j):
    """Of column j, from the (5, d) moments of a class."""
    return max(of[SQUARES, j] / of[WEIGHT, j], NARROWEST)


@kernel_without_refcounts
def _describe(nominal, c, n_c, of, density):
    """Keep μ and 1/2σ² of class c; returns its prior, by logarithms of products."""
    logs, product = 0.0, n_c * n_c
    if not 1e-50 < n_c < 1e50:
        logs, product = 2.0 * math.log(n_c), 1.0
    for j in range(len(nominal)):
        if nominal[j] == 0 and of[WEIGHT, j] > 0.0:
            W = of[WEIGHT, j]
            half = 0.5 * W / max(of[SQUARES, j], NARROWEST * W)
            density[j, MU, c] = of[MEAN, j]
            density[j, PRECISION, c] = half
            product *= 2.0 * half
            if not 1e-100 < product < 1e100:
                logs += math.log(product)
                product = 1.0
    return 0.5 * (logs + math.log(product))


@kernel_not_inlined
def _count(v, c, w, before, edges, bins, early):
    """Count one value; the first EARLY are stored until they determine the edges."""
    if before >= EARLY:
        add_to_bin(v, c, w, edges, bins)
        return
    stored = early[int(before)]
    stored[VALUE], stored[CLASS], stored[IMPORTANCE] = v, c, w
    if before + 1 < EARLY:
        return
    ordered = _sorted(early)
    for b in range(BINS - 1):
        edges[b] = ordered[(b + 1) * EARLY // BINS]
    for t in range(EARLY):
        add_to_bin(early[t, VALUE], int(early[t, CLASS]), early[t, IMPORTANCE], edges, bins)


@kernel
def _sorted(early):
    """The early values in ascending order."""
    ordered = np.empty(len(early))
    for t in range(len(early)):
        at, v = t, early[t, VALUE]
        while at > 0 and ordered[at - 1] > v:
            ordered[at] = ordered[at - 1]
            at -= 1
        ordered[at] = v
    return ordered


@kernel_without_refcounts
def bin_of(v, edges):
    """The number of edges below v."""
    low, high = 0, len(edges)
    while low < high:
        middle = (low + high) // 2
        if edges[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low


@kernel_without_refcounts
def add_to_bin(v, c, w, edges, bins):
    bins[bin_of(v, edges), c] += w
    bins[BINS, c] += w  # of all bins


@kernel_not_inlined
def clear(i, at, stats):
    """Make slot `at` of tree i that of a new leaf."""
    moments, density, prior, gaps, counts, edges, bins, early, n_values = stats
    _zero(moments, i, at)
    _zero(counts, i, at)
    _zero(bins, i, at)
    _zero(density, i, at)
    _zero(n_values, i, at)
    for c in range(moments.shape[2]):
        for j in range(moments.shape[4]):
            moments[i, at, c, LEAST, j], moments[i, at, c, MOST, j] = NEVER, -NEVER
    if len(prior) > 0:
        gaps[i, at] = 0.0
        for c in range(prior.shape[2]):
            prior[i, at, c] = -NEVER


@kernel
def _zero(array, i, at):
    if len(array) > 0:
        flat = array[i, at].reshape(-1)
        for n in range(len(flat)):
            flat[n] = 0.0
