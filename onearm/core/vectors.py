"""Rows and what is done with them: one text for dense rows and for sparse (indices, values).

Numba decides `isinstance(x, tuple)` at compile time. Weights are feature-major, (d, k): the k
weights of a feature lie side by side, so a sparse row touches few cache lines and the loop over
classes vectorises without reordering any sum.
"""

import numpy as np

from onearm.core.kernels import kernel
from onearm.schema.values import LARGEST as LARGEST

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
    """The k scores xᵀW: eight classes at a time, then four, then one, each in a register."""
    k = W.shape[1]
    s = np.empty(k)
    for r in range(0, k - 7, 8):
        _eight(x, W, r, s)
    if k % 8 >= 4:
        _four(x, W, k - k % 8, s)
    for r in range(k - k % 4, k):
        total = 0.0
        for i in range(size(x)):
            j, v = entry(x, i)
            total += v * W[j, r]
        s[r] = total
    return s


@kernel
def _eight(x, W, r, s):
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    for i in range(size(x)):
        j, v = entry(x, i)
        w = W[j, r : r + 8]
        s0, s1, s2, s3 = s0 + v * w[0], s1 + v * w[1], s2 + v * w[2], s3 + v * w[3]
        s4, s5, s6, s7 = s4 + v * w[4], s5 + v * w[5], s6 + v * w[6], s7 + v * w[7]
    s[r], s[r + 1], s[r + 2], s[r + 3] = s0, s1, s2, s3
    s[r + 4], s[r + 5], s[r + 6], s[r + 7] = s4, s5, s6, s7


@kernel
def _four(x, W, r, s):
    s0 = s1 = s2 = s3 = 0.0
    for i in range(size(x)):
        j, v = entry(x, i)
        w = W[j, r : r + 4]
        s0, s1, s2, s3 = s0 + v * w[0], s1 + v * w[1], s2 + v * w[2], s3 + v * w[3]
    s[r], s[r + 1], s[r + 2], s[r + 3] = s0, s1, s2, s3


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
def fits(x, d):
    """Whether row `x` of `d` features lies in memory as compiled code takes it to lie."""
    if isinstance(x, tuple):
        return packed(x[0]) and packed(x[1]) and len(x[0]) == len(x[1])
    return packed(x) and len(x) == d


@kernel
def packed(a):
    """Whether the numbers of `a` lie side by side, each where the processor expects it."""
    side_by_side = len(a) < 2 or a.strides[0] == a.itemsize
    aligned = len(a) == 0 or a.ctypes.data % a.itemsize == 0
    return side_by_side and aligned


@kernel
def fault(x, d, missing, largest):
    """What is wrong with row `x` of `d` features: FINE, NOT_FINITE or BAD_INDEX."""
    wrong = 0
    for i in range(size(x)):
        v = entry(x, i)[1]
        wrong += not (abs(v) <= largest or (missing and v != v))
    if wrong:
        return NOT_FINITE
    if isinstance(x, tuple) and len(x[0]) > 0:
        j = x[0]
        for i in range(1, len(j)):
            wrong += j[i] <= j[i - 1]
        if wrong or j[0] < 0 or j[-1] >= d:
            return BAD_INDEX
    return FINE


@kernel
def first_fault(X, n, d, missing, largest):
    """The first of `n` rows with something wrong, or n."""
    for t in range(n):
        if fault(row(X, t), d, missing, largest) != FINE:
            return t
    return n
