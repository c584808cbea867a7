"""Naive Bayes in a leaf.

    log P(c | x) = log n_c + Σ_j log P(x_j | c)  (up to a constant)

over the columns that are not missing in x and that the leaf has seen.
"""

import math

from onearm.boosting.trees.observers import (
    BINS,
    EARLY,
    MEAN,
    MU,
    NEVER,
    PRECISION,
    WEIGHT,
    bin_of,
    code,
    variance,
)
from onearm.core.kernels import kernel_not_inlined, kernel_without_refcounts


@kernel_without_refcounts
def posterior(x, i, at, mass, out, stats, columns):
    """Put log P(c | x), up to a constant, into `out`; -NEVER or less where c is impossible."""
    moments, density, prior, gaps, counts, edges, bins, early, n_values = stats
    nominal, place = columns
    if len(density) > 0:
        missing = gaps[i, at]
        for j in range(len(x)):
            missing += x[j] != x[j]
        if missing == 0.0:
            _without_gaps(x, density[i, at], prior[i, at], out)
        else:
            _with_gaps(x, nominal, moments[i, at], prior[i, at], mass, out)
    else:
        for c in range(len(out)):
            out[c] = prior[i, at, c]
    if len(counts) == 0 and len(bins) == 0:
        return
    for j in range(len(nominal)):
        m, p = nominal[j], place[j]
        if x[j] != x[j]:
            continue
        if m > 0:
            _add_log(counts[i, at, p + code(x[j], m)], counts[i, at, p + m + 1], m + 1, out)
        elif len(bins) > 0 and n_values[i, at, j] >= EARLY:
            b = bin_of(x[j], edges[i, at, j])
            _add_log(bins[i, at, j, b], bins[i, at, j, BINS], BINS, out)


@kernel_without_refcounts
def _add_log(n, of, m, out):
    """Add log P(value | c) for a column of m values, each counted once more than it was seen."""
    for c in range(len(out)):
        out[c] += math.log((n[c] + 1.0) / (of[c] + m))


@kernel_without_refcounts
def _without_gaps(x, density, prior, out):
    """Four classes at a time, then one, each in a register."""
    k = len(out)
    for c in range(0, k - 3, 4):
        s0 = s1 = s2 = s3 = 0.0
        for j in range(len(x)):
            mu, half = density[j, MU, c : c + 4], density[j, PRECISION, c : c + 4]
            v = x[j]
            o0, o1, o2, o3 = v - mu[0], v - mu[1], v - mu[2], v - mu[3]
            s0, s1 = s0 + o0 * o0 * half[0], s1 + o1 * o1 * half[1]
            s2, s3 = s2 + o2 * o2 * half[2], s3 + o3 * o3 * half[3]
        out[c], out[c + 1] = prior[c] - s0, prior[c + 1] - s1
        out[c + 2], out[c + 3] = prior[c + 2] - s2, prior[c + 3] - s3
    for c in range(k - k % 4, k):
        s = 0.0
        for j in range(len(x)):
            off = x[j] - density[j, MU, c]
            s += off * off * density[j, PRECISION, c]
        out[c] = prior[c] - s


@kernel_not_inlined
def _with_gaps(x, nominal, moments, prior, mass, out):
    """Leave out columns that are missing in x or that the leaf has not seen."""
    for c in range(len(out)):
        out[c] = math.log(mass[c]) if prior[c] > -NEVER else -NEVER
    for j in range(len(x)):
        weight = 0.0
        for c in range(len(out)):
            weight += moments[c, WEIGHT, j]
        if x[j] != x[j] or weight == 0.0 or nominal[j] > 0:
            continue
        for c in range(len(out)):
            if moments[c, WEIGHT, j] == 0.0:
                out[c] = -NEVER
            else:
                off, var = x[j] - moments[c, MEAN, j], variance(moments[c], j)
                out[c] -= 0.5 * math.log(var) + off * off * (0.5 / var)
