"""Nearest neighbours among rows whose answer was not predicted.

The nearest rows whose label was right, and those whose label was wrong, count for and against it,
by their distance. If a label is right with probability q at best, as where labels are mostly noise,
a wrong answer says little: it counts q. A row is stored if its answer was not predicted by those
stored before: so a few thousand rows stand for many more, and new ones replace the oldest.

Of row i, Y has label + 1 if that was right, and its negative if it was wrong; 0 is no row.

P. E. Hart. The condensed nearest neighbor rule. IEEE Trans. Information Theory 14, 1968.
"""

import numpy as np

from onearm.core.kernels import kernel, separate_kernel

RIGHT, WRONG = 5, 20  # neighbours, of those that were right and wrong
KNOWN, RULED_OUT = 0.7, -0.5  # scores at which "right", and "wrong", is no surprise
NEAREST = 1e-3  # added to squared distances: an equal row has no infinite weight
BLOCK = 1024  # rows that are compared at once: their distances fit into the fastest cache
WIDEST = 128  # numbers by which rows are compared
NOW, BEFORE = 0, 1  # the memory of now, and of the frozen model


@kernel
def folded(z, signs, u):
    """Project z on as many numbers as u has, by random signs: distances stay, about."""
    for j in range(len(z)):
        u[j % len(u)] += signs[0, j, 0] * z[j]


@separate_kernel
def recall(u, rows, Y, q, m):
    """The score of every label for row u, from rows that are given column by column."""
    D = distances(u, rows, len(Y))
    against, total = np.zeros(len(m)), 0.0
    for i in nearest(D, Y, 1, RIGHT):
        if i >= 0:
            m[Y[i] - 1] += weight(D[i])
            total += weight(D[i])
    for i in nearest(D, Y, -1, WRONG):
        if i >= 0:
            against[-Y[i] - 1] += q * weight(D[i])
    for r in range(len(m)):
        if total + against[r] > 0.0:
            m[r] = (m[r] - against[r]) / (total + against[r])


@kernel
def distances(u, rows, n):
    """The squared distances of u from the first n rows."""
    D = np.zeros(n, np.float32)
    for first in range(0, n, BLOCK):
        add_squares(u, rows, first, D[first : first + BLOCK])
    return D


@kernel
def add_squares(u, rows, first, D):
    """Add the squared distances of u from the rows from `first` on to D.

    Four numbers at a time, one after the other: D is read and written once for them.
    """
    last, fours = first + len(D), len(u) - len(u) % 4
    for j in range(0, fours, 4):
        v, w, x, y = u[j], u[j + 1], u[j + 2], u[j + 3]
        a, b = rows[j, first:last], rows[j + 1, first:last]
        c, d = rows[j + 2, first:last], rows[j + 3, first:last]
        for i in range(len(D)):
            o, p, q, r = v - a[i], w - b[i], x - c[i], y - d[i]
            D[i] = (((D[i] + o * o) + p * p) + q * q) + r * r
    for j in range(fours, len(u)):
        v, a = u[j], rows[j, first:last]
        for i in range(len(D)):
            o = v - a[i]
            D[i] += o * o


@kernel
def nearest(D, Y, sign, most):
    """The rows of this sign with the least distances D; -1 where there are no more."""
    rows, least = np.full(most, -1), np.inf
    for i in range(len(D)):
        if Y[i] * sign > 0 and D[i] < least:
            p = most - 1
            while p > 0 and (rows[p - 1] < 0 or D[rows[p - 1]] > D[i]):
                rows[p] = rows[p - 1]
                p -= 1
            rows[p] = i
            if rows[-1] >= 0:
                least = D[rows[-1]]
    return rows


@kernel
def weight(distance):
    """The weight of a row at this squared distance."""
    return 1.0 / (float(distance) + NEAREST) ** 2


@kernel
def remember(near, label, right, score, rows, Y, counts):
    """Store a row, in each metric, if the label's score did not predict the answer."""
    if score >= KNOWN if right else score <= RULED_OUT:
        return
    i = counts[0] % len(Y)
    counts[0] += 1
    for g in range(len(near)):
        for j in range(near.shape[1]):
            rows[g, j, i] = near[g, j]
    Y[i] = label + 1 if right else -label - 1
