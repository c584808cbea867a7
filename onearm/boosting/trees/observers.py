"""What a leaf remembers of each column, to find a split and to say P(x | class).

Numeric columns, one of two ways. Gaussian: per class the weight, mean, sum of squared deviations
(Welford's, weighted), least and largest value. Histogram: per class the weight in each of 32 bins,
whose edges are quantiles of the first 100 values that the leaf saw in that column.
Nominal columns: per class the weight of each value, of any other value, and of all.

A variance is S/W: importance weights are not counts, so nothing is taken off W.

For naive Bayes with Gaussians `density` holds μ and 1/2σ² of each column and class, and `prior`
log n_c - Σ_j log σ_jc; both fit rows and leaves without missing values, which `gaps` counts.
"""

import math

import numpy as np

from onearm.boosting.trees.nodes import code
from onearm.kernels import kernel, large_kernel

WEIGHT, MEAN, SQUARES, LEAST, MOST = range(5)
MU, PRECISION = range(2)
NARROWEST = 1e-12  # of variances
NEVER = 1e300  # the least and largest of no values; minus the log of no chance
BINS, EARLY = 32, 100
VALUE, CLASS, IMPORTANCE = range(3)  # of an early value


@kernel
def numbers_of(x, numeric):
    """The numeric columns of x."""
    if len(numeric) == len(x):
        return x
    values = np.empty(len(numeric))
    for p in range(len(numeric)):
        values[p] = x[numeric[p]]
    return values


@kernel
def observe(x, i, at, c, w, n_c, stats, columns):
    """Add x, of class c and weight w, to slot `at` of tree i; n_c is the leaf's mass of c."""
    moments, density, prior, gaps, counts, edges, bins, early, heard = stats
    nominal, place, numeric = columns
    if len(counts) > 0:
        for j in range(len(nominal)):
            m = nominal[j]
            if m > 0 and x[j] == x[j]:
                counts[i, at, place[j] + code(x[j], m), c] += w
                counts[i, at, place[j] + m + 1, c] += w
    v = numbers_of(x, numeric)
    if len(moments) > 0:
        _welford(v, w, moments[i, at, c])
        if len(density) > 0:
            _describe(v, i, at, c, n_c, moments[i, at, c], density[i, at], prior, gaps)
        return
    if len(prior) > 0:
        prior[i, at, c] = math.log(n_c)
    for p in range(len(v)):
        if v[p] == v[p]:
            _count(v[p], c, w, heard[i, at, p], edges[i, at, p], bins[i, at, p], early[i, at, p])
            heard[i, at, p] += 1.0


@kernel
def _welford(v, w, of):
    """Add one value of each numeric column to the (5, columns) moments of a class."""
    for p in range(len(v)):
        there = v[p] == v[p]  # no branch, so that several columns are done at once
        off = v[p] - of[MEAN, p] if there else 0.0
        W = of[WEIGHT, p] + (w if there else 0.0)
        of[WEIGHT, p] = W
        of[MEAN, p] += off * (w / W if W > 0.0 else 0.0)
        of[SQUARES, p] += w * off * (v[p] - of[MEAN, p] if there else 0.0)
        of[LEAST, p] = v[p] if v[p] < of[LEAST, p] else of[LEAST, p]
        of[MOST, p] = v[p] if v[p] > of[MOST, p] else of[MOST, p]


@kernel
def variance(of, p):
    """Of column p, from the (5, columns) moments of a class."""
    return max(of[SQUARES, p] / of[WEIGHT, p], NARROWEST)


@kernel
def _describe(v, i, at, c, n_c, of, density, prior, gaps):
    """Keep what naive Bayes needs of class c; the logarithm is taken of products of variances."""
    logs, product = 0.0, 1.0
    for p in range(len(v)):
        if of[WEIGHT, p] == 0.0:
            continue
        var = variance(of, p)
        density[p, MU, c] = of[MEAN, p]
        density[p, PRECISION, c] = 0.5 / var
        product *= var
        if not 1e-100 < product < 1e100:
            logs += math.log(product)
            product = 1.0
        gaps[i, at] += v[p] != v[p]
    prior[i, at, c] = math.log(n_c) - 0.5 * (logs + math.log(product))


@large_kernel
def _count(v, c, w, before, edges, bins, early):
    """Count one value; the first EARLY are kept until they tell where the edges lie."""
    if before >= EARLY:
        add_to_bin(v, c, w, edges, bins)
        return
    kept = early[int(before)]
    kept[VALUE], kept[CLASS], kept[IMPORTANCE] = v, c, w
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


@kernel
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


@kernel
def add_to_bin(v, c, w, edges, bins):
    bins[bin_of(v, edges), c] += w
    bins[BINS, c] += w  # of all bins


@large_kernel
def clear(i, at, mass, stats):
    """Make slot `at` of tree i that of a new leaf with these class masses."""
    moments, density, prior, gaps, counts, edges, bins, early, heard = stats
    _zero(moments, i, at)
    _zero(counts, i, at)
    _zero(bins, i, at)
    for p in range(heard.shape[2]):
        heard[i, at, p] = 0.0
    for c in range(moments.shape[2]):
        for p in range(moments.shape[4]):
            moments[i, at, c, LEAST, p], moments[i, at, c, MOST, p] = NEVER, -NEVER
    if len(prior) > 0:
        gaps[i, at] = 0.0
        for c in range(len(mass)):
            unheard = density.shape[2] > 0 or mass[c] <= 0.0
            prior[i, at, c] = -NEVER if unheard else math.log(mass[c])


@kernel
def _zero(array, i, at):
    if len(array) > 0:
        flat = array[i, at].reshape(-1)
        for n in range(len(flat)):
            flat[n] = 0.0
