"""Memory: rows that surprised, and what the nearest of them say of a new one.

The nearest rows whose label was right, and those whose label was wrong, speak for and against it,
the more the nearer they are. If a label is right with probability q at best, as where labels are
mostly noise, a wrong answer tells little: it counts q. A row is kept if all this did not foretell
its answer: so a few thousand rows stand for many more, and the oldest give way to new ones.

Of row i, Y has label + 1 if that was right, and its negative if it was wrong; 0 is no row.

P. E. Hart. The condensed nearest neighbor rule. IEEE Trans. Information Theory 14, 1968.
"""

import numpy as np

from onearm.core.kernels import kernel, separate_kernel

RIGHT, WRONG = 5, 20  # how many of the nearest rows speak, of those that were right and wrong
KNOWN, RULED_OUT = 0.7, -0.5  # said of a label at which "right", and "wrong", is no surprise
NEAREST = 1e-3  # added to squared distances: the same row is not endlessly near
WIDEST = 128  # numbers by which rows are compared


@kernel
def folded(z, signs, u):
    """Add up numbers, with random signs, to as many as u has: distances stay, about."""
    for j in range(len(z)):
        u[j % len(u)] += signs[0, j, 0] * z[j]


@separate_kernel
def recall(u, rows, Y, q, said):
    """What the rows, given column by column, say of every label for row u."""
    D = np.zeros(len(Y), np.float32)
    for j in range(len(u)):
        v, line = u[j], rows[j]
        for i in range(len(D)):
            off = v - line[i]
            D[i] += off * off
    against, total = np.zeros(len(said)), 0.0
    for i in nearest(D, Y, 1, RIGHT):
        if i >= 0:
            said[Y[i] - 1] += weight(D[i])
            total += weight(D[i])
    for i in nearest(D, Y, -1, WRONG):
        if i >= 0:
            against[-Y[i] - 1] += q * weight(D[i])
    for r in range(len(said)):
        if total + against[r] > 0.0:
            said[r] = (said[r] - against[r]) / (total + against[r])


@kernel
def nearest(D, Y, sign, most):
    """The rows of this sign with the least distances D; -1 where there are no more."""
    found, least = np.full(most, -1), np.inf
    for i in range(len(D)):
        if Y[i] * sign > 0 and D[i] < least:
            p = most - 1
            while p > 0 and (found[p - 1] < 0 or D[found[p - 1]] > D[i]):
                found[p] = found[p - 1]
                p -= 1
            found[p] = i
            if found[-1] >= 0:
                least = D[found[-1]]
    return found


@kernel
def weight(distance):
    """How much a row at this squared distance counts."""
    return 1.0 / (float(distance) + NEAREST) ** 2


@kernel
def remember(near, label, right, said, rows, Y, kept):
    """Keep a row, measured in each way, if what was `said` of the label did not foretell this."""
    if said >= KNOWN if right else said <= RULED_OUT:
        return
    i = kept[0] % len(Y)
    kept[0] += 1
    for g in range(len(near)):
        for j in range(near.shape[1]):
            rows[g, j, i] = near[g, j]
    Y[i] = label + 1 if right else -label - 1
