"""Random splits of a node's rows: proposed, judged by Gini's index, and done.

A threshold t of a numeric column sends values up to t to the first child. Of a nominal column with
m values, t < 0 stands for the value -t - 1 alone, another t for a random subset of the values. What
is missing goes to the second child.
"""

import numpy as np

from onearm.core.kernels import kernel_without_refcounts
from onearm.core.rng import below, uniform

LABEL, WRONG = 0, 1  # of a row: its label, known or guessed; the label that was wrong, or KNOWN
KNOWN = -1
MISSING = np.inf  # what stands for a missing value
ASKED = 0.3  # how often a split asks whether a value is missing, where one is
SUBSETS = 2**20


@kernel_without_refcounts
def is_left(v, t, m):
    """Whether a value goes to the first child; m is the number of values, 0 of a number."""
    if m == 0:
        return v <= t
    if not 0.0 <= v < m:
        return False
    if t < 0.0:
        return v == -t - 1.0
    h = (int(v) * 2654435 + int(t) * 40503) & 0xFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFF
    return (h >> 15) & 1 == 0


@kernel_without_refcounts
def is_pure(rows, answers):
    """Whether all rows have the same label; so has no row, or one."""
    for i in range(1, len(rows)):
        if answers[rows[i], LABEL] != answers[rows[0], LABEL]:
            return False
    return True


@kernel_without_refcounts
def sample(rows, answers, step, some, labels, ids, total):
    """Take every step-th row; return how many, how many labels they have, the sum of squares.

    `some` gets the rows and `labels` their labels, numbered as they come; `total` gets the numbers
    of rows of each, whose squares are summed. `ids` is -1 for every label before and after.
    """
    n, n_labels, squared = 0, 0, 0.0
    for i in range(0, len(rows), step):
        r = answers[rows[i], LABEL]
        if ids[r] < 0:
            ids[r] = n_labels
            total[n_labels] = 0.0
            n_labels += 1
        some[n], labels[n] = rows[i], ids[r]
        total[ids[r]] += 1.0
        n += 1
    for i in range(0, len(rows), step):
        ids[answers[rows[i], LABEL]] = -1
    for c in range(n_labels):
        squared += total[c] * total[c]
    return n, n_labels, squared


@kernel_without_refcounts
def propose(X, j, some, m, rng, values):
    """Put column j of some rows into `values`; return a random threshold for them.

    Any will do where all are the same.
    """
    least, most = np.float32(np.inf), np.float32(-np.inf)
    for p in range(len(some)):
        v = X[some[p], j]
        values[p] = v
        least, most = min(least, v), max(most, v)
    if m > 0:
        v = np.float64(values[below(len(some), rng)])
        if uniform(rng) < 0.5 and 0.0 <= v < m:
            return -v - 1.0
        return float(below(SUBSETS, rng))
    missing = most == MISSING
    if missing:
        most = np.float32(-np.inf)
        for p in range(len(some)):
            most = max(most, values[p]) if values[p] < MISSING else most
    if least > most:
        return 0.0
    if missing and (least == most or uniform(rng) < ASKED):
        return np.float64(most)
    low, high = np.float64(least), np.float64(most)
    t = np.float64(np.float32(low + uniform(rng) * (high - low)))
    return low if t >= high else t


@kernel_without_refcounts
def gain(values, t, m, labels, total, squared, part):
    """The sum over both sides of the squared numbers of rows of each label, over those of all rows.

    It is the larger the purer the sides; 0 where a side is empty. `total` has the numbers of rows
    of each label, `squared` is the sum of their squares; `part` has room for the numbers of the
    first child, and is 0 before and after. All sums are of integers: exact in any order.
    """
    if m == 0:
        limit = np.float32(t)  # which it is
        for p in range(0, len(values) - 1, 2):  # two sums: one would wait for itself
            part[0, labels[p]] += values[p] <= limit
            part[1, labels[p + 1]] += values[p + 1] <= limit
        if len(values) % 2 == 1:
            part[0, labels[-1]] += values[-1] <= limit
    else:
        for p in range(len(values)):
            part[0, labels[p]] += is_left(np.float64(values[p]), t, m)
    n, squares, product = 0.0, 0.0, 0.0
    for c in range(len(total)):
        one = np.float64(part[0, c] + part[1, c])
        part[0, c] = part[1, c] = 0
        n += one
        squares += one * one
        product += one * total[c]
    if n == 0.0 or n == len(values):
        return 0.0
    return squares / n + (squared - 2.0 * product + squares) / (len(values) - n)


@kernel_without_refcounts
def partition(X, j, t, m, rows, sides):
    """Bring the rows of the first child to the front; return how many they are.

    What is at the front stays if it is of the first child, and else changes places with the last.
    That is done without branches, which nobody could foresee, after all `sides` are known.
    """
    first, last, place = 0, len(rows) - 1, 0
    for p in range(len(rows)):
        sides[p] = is_left(np.float64(X[rows[p], j]), t, m)
    i = rows[0]
    for _ in range(len(rows) - 1):
        left = np.int64(sides[place])
        place = first + 1 if left else last
        to = first if left else last
        following = rows[place]
        rows[to] = i
        i = following
        first += left
        last -= 1 - left
    rows[first] = i
    return first + np.int64(sides[place])
