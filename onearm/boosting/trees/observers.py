"""What a leaf remembers of each column, to find a split and to say P(x | class).

Numeric columns, one of two ways. Gaussian: per class the weight, mean, sum of squared deviations
(Welford's, weighted), least and largest value. Histogram: per class the weight in each of 32 bins,
whose edges are quantiles of the first 100 values that the leaf saw in that column.
Nominal columns: per class the weight of each value, of any other value, and of all.

A variance is S/W: importance weights are not counts, so nothing is taken off W.
"""

import math

import numpy as np

from onearm.boosting.trees.nodes import code
from onearm.kernels import kernel, large_kernel

WEIGHT, MEAN, SQUARES, LEAST, MOST = range(5)
MU, PRECISION, LOG_SD = range(3)  # what the density of a class needs: μ, 1/2σ², log σ
NARROWEST = 1e-12  # of variances
NEVER = 1e300  # log σ of a class that a column has not seen
BINS, EARLY = 32, 100
VALUE, CLASS, IMPORTANCE = range(3)  # of an early value


@kernel
def variance(m):
    """Of one class in one column, from its moments."""
    return max(m[SQUARES] / m[WEIGHT], NARROWEST)


@kernel
def observe(x, i, at, c, w, stats, columns):
    """Add x, of class c and weight w, to the statistics in slot `at` of tree i."""
    moments, density, prior, counts, edges, bins, early, heard = stats
    nominal, place = columns
    for j in range(len(nominal)):
        v, p, m = x[j], place[j], nominal[j]
        if v != v:
            continue
        if m > 0:
            counts[i, at, p + code(v, m), c] += w
            counts[i, at, p + m + 1, c] += w
        elif len(moments) > 0:
            one = moments[i, at, c, p]
            _welford(v, w, one)
            if len(density) > 0:
                var = variance(one)
                normal = density[i, at, p]
                normal[MU, c] = one[MEAN]
                normal[PRECISION, c] = 0.5 / var
                normal[LOG_SD, c] = 0.5 * math.log(var)
        else:
            _count(v, c, w, heard[i, at, j], edges[i, at, p], bins[i, at, p], early[i, at, p])
        heard[i, at, j] += 1.0


@kernel
def _welford(v, w, one):
    one[LEAST] = v if one[WEIGHT] == 0.0 else min(v, one[LEAST])
    one[MOST] = v if one[WEIGHT] == 0.0 else max(v, one[MOST])
    one[WEIGHT] += w
    off = v - one[MEAN]
    one[MEAN] += w * off / one[WEIGHT]
    one[SQUARES] += w * off * (v - one[MEAN])


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


@large_kernel
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
    moments, density, prior, counts, edges, bins, early, heard = stats
    _zero(counts, i, at)
    _zero(moments, i, at)
    _zero(bins, i, at)
    _zero(density, i, at)
    for j in range(heard.shape[2]):
        heard[i, at, j] = 0.0
    for j in range(density.shape[2]):
        for c in range(len(mass)):
            density[i, at, j, LOG_SD, c] = NEVER
    for c in range(prior.shape[2]):
        prior[i, at, c] = log_or_never(mass[c])


@kernel
def _zero(array, i, at):
    if len(array) > 0:
        flat = array[i, at].reshape(-1)
        for n in range(len(flat)):
            flat[n] = 0.0


@kernel
def log_or_never(mass):
    return math.log(mass) if mass > 0.0 else -NEVER
