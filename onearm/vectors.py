"""Rows and what is done with them: one text for dense rows and for sparse (indices, values).

Numba decides `isinstance(x, tuple)` at compile time. Weights are feature-major, (d, k): the k
weights of a feature lie side by side, so a sparse row touches few cache lines and the loop over
classes vectorises without reordering any sum.
"""

import math

import numpy as np

from onearm.kernels import kernel

FINE, NOT_FINITE, BAD_INDEX = 0, 1, 2


@kernel
def row(X, t):
    """Row t of a matrix: of a dense array, or of sparse (starts, indices, values)."""
    if isinstance(X, tuple):
        starts, indices, values = X
        return indices[starts[t] : starts[t + 1]], values[starts[t] : starts[t + 1]]
    return X[t]


@kernel
def size(x):
    """How many entries of `x` are stored."""
    if isinstance(x, tuple):
        return len(x[0])
    return len(x)


@kernel
def entry(x, i):
    """The i-th stored entry of `x`: (feature, value)."""
    if isinstance(x, tuple):
        return np.int64(x[0][i]), x[1][i]
    return i, x[i]


@kernel
def linear(x, W, *model):
    """The k scores xᵀW."""
    s = np.zeros(W.shape[1])
    for i in range(size(x)):
        j, v = entry(x, i)
        for r in range(len(s)):
            s[r] += v * W[j, r]
    return s


@kernel
def add(a, x, W, r):
    """W_r += a·x: one class learns."""
    for i in range(size(x)):
        j, v = entry(x, i)
        W[j, r] += a * v


@kernel
def spread(a, x, W):
    """W += x aᵀ: every class r learns, with its own step a_r."""
    for i in range(size(x)):
        j, v = entry(x, i)
        for r in range(len(a)):
            W[j, r] += a[r] * v


@kernel
def sqnorm(x):
    """‖x‖²."""
    total = 0.0
    for i in range(size(x)):
        v = entry(x, i)[1]
        total += v * v
    return total


@kernel
def fault(x, d, missing):
    """What is wrong with row `x` of `d` features: FINE, NOT_FINITE or BAD_INDEX."""
    last = -1
    for i in range(size(x)):
        j, v = entry(x, i)
        if not (math.isfinite(v) or (missing and math.isnan(v))):
            return NOT_FINITE
        if j <= last or j >= d:
            return BAD_INDEX
        last = j
    return FINE


@kernel
def first_fault(X, n, d, missing):
    """The first of `n` rows with something wrong, or n."""
    for t in range(n):
        if fault(row(X, t), d, missing) != FINE:
            return t
    return n
