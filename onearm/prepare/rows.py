"""Rows as linear learners want them: one-hot codes, standardised numbers, a constant, norm 1.

Nothing looks ahead: a number is centred and scaled by the mean and deviation of its column so far,
then clipped. A value that lies farther out than FARTHEST deviations counts as one that lies there,
so that outliers do not decide the scale. A code is one-hot, with √2 for 1. What is missing, and a
code that is none, is 0. A product of two columns has a place for each pair of codes.

Wide rows are sparse: there numbers are divided by their root mean square and not centred, since
that would fill them. Words, the last columns of a text, are tf-idf: v·(log((2+t)/(1+n)) + 1) in
round t + 1, if n rows had the word.
"""

import math

import numpy as np

from onearm.chorus.rows import SQRT_2, place
from onearm.core.kernels import kernel
from onearm.core.vectors import entry, size

WIDE = 4096  # numbers of a prepared row: with more of them it is sparse
CLIP = 2.0  # deviations
FARTHEST, FEW = 10.0, 10.0  # deviations; values of a column before any may lie too far out


@kernel
def standard(v, count, mean, square, centred):
    """Return v by the moments of its column so far, 0 while they say nothing."""
    variance = square / max(1.0, count)
    if centred:
        v -= mean
    else:
        variance += mean * mean
    return max(-CLIP, min(CLIP, v / math.sqrt(variance))) if variance > 0.0 else 0.0


@kernel
def plain(x, n_plain):
    """The columns of row x that are no words, with their zeros."""
    values = np.zeros(n_plain)
    for i in range(size(x)):
        j, v = entry(x, i)
        if j < n_plain:
            values[j] = v
    return values


@kernel
def entries(x, moments, rounds, layout, centred):
    """What a row becomes: where its entries stand, ascending, and what they are."""
    start, nominal, pairs, n_words = layout
    count, mean, square = moments
    values = plain(x, len(nominal) - n_words)
    column_at, column_value = np.full(len(values), -1), np.zeros(len(values))
    most = len(values) + size(x) + len(pairs) + 1
    at, value, n = np.empty(most, np.int32), np.empty(most), 0
    for j in range(len(values)):
        v = values[j]
        if v == v:
            column_at[j] = place(j, v, start, nominal)
            column_value[j] = SQRT_2
            if nominal[j] == 0:
                column_value[j] = standard(v, count[j], mean[j], square[j], centred)
            if column_at[j] >= 0 and column_value[j] != 0.0:
                at[n], value[n], n = column_at[j], column_value[j], n + 1
    for i in range(size(x)):
        j, v = entry(x, i)
        if j >= len(values) and v == v and v != 0.0:
            idf = math.log((2.0 + rounds[0]) / (1.0 + count[j])) + 1.0
            at[n], value[n], n = start[j], v * idf, n + 1
    for p in range(len(pairs)):
        i, j = pairs[p]
        v = column_value[i] * column_value[j]
        if column_at[i] >= 0 and column_at[j] >= 0 and v != 0.0:
            if nominal[i] > 0 or nominal[j] > 0:
                v /= SQRT_2
            code = (column_at[i] - start[i]) * max(1, nominal[j]) + column_at[j] - start[j]
            at[n], value[n], n = start[len(nominal) + p] + code, max(-CLIP, min(CLIP, v)), n + 1
    at[n], value[n], n = start[-1], 1.0, n + 1
    total = 0.0
    for i in range(n):
        total += value[i] * value[i]
    for i in range(n):
        value[i] /= math.sqrt(total)
    return at[:n], value[:n]


@kernel
def prepare_sparse(x, moments, rounds, layout):
    """The prepared row as (indices, values)."""
    return entries(x, moments, rounds, layout, False)


@kernel
def prepare_few(x, moments, rounds, layout):
    """The same with numbers that are centred: of a row that is not wide but mostly zeros."""
    return entries(x, moments, rounds, layout, True)


@kernel
def prepare_dense(x, moments, rounds, layout):
    """The prepared row with its zeros."""
    at, value = entries(x, moments, rounds, layout, True)
    z = np.zeros(layout[0][-1] + 1)
    for i in range(len(at)):
        z[at[i]] = value[i]
    return z


@kernel
def note(x, moments, rounds, layout):
    """Add a row to the moments of its columns."""
    _, nominal, _, n_words = layout
    count, mean, square = moments
    values = plain(x, len(nominal) - n_words)
    for j in range(len(values)):
        v = values[j]
        if v == v and nominal[j] == 0:
            if count[j] >= FEW and square[j] > 0.0:
                far = FARTHEST * math.sqrt(square[j] / count[j])
                v = max(mean[j] - far, min(mean[j] + far, v))
            count[j] += 1.0
            off = v - mean[j]
            mean[j] += off / count[j]
            square[j] += off * (v - mean[j])
    for i in range(size(x)):
        j, v = entry(x, i)
        if j >= len(values) and v == v and v != 0.0:
            count[j] += 1.0
    rounds[0] += 1.0


def places(nominal: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return where each column, each product of two and the constant starts in a prepared row."""
    sizes = np.maximum(nominal, 1)
    products = sizes[pairs[:, 0]] * sizes[pairs[:, 1]]
    return np.cumsum(np.concatenate([[0], sizes, products]))
