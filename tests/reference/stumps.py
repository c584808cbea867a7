"""The best stump on a column: B10, section 2."""

import math
from itertools import pairwise

import numpy as np

TINY = 1e-12


def signs(sums):
    return np.array([1.0 if s > 0 else -1.0 for s in sums])


def label_sums(target):
    return np.array([math.fsum(column) for column in target.T])


def constant_edge(target):
    return math.fsum(abs(label_sums(target)))


class Stump:
    def __init__(self, column, threshold, votes):
        self.column, self.threshold, self.votes = column, threshold, votes
        self.columns, self.thresholds = [column], [threshold]

    def phi(self, X):
        return np.array([1.0 if x[self.column] >= self.threshold else -1.0 for x in X])

    def h(self, X):
        return np.outer(self.phi(X), self.votes)


def cuts(x):
    for lo, hi in pairwise(np.unique(x[~np.isnan(x)])):
        b = lo + (hi - lo) / 2
        yield hi if b <= lo else b


def best_cut(X, target, column):
    """The best stump on one column, and its edge; target is w * y."""
    best, best_edge = None, -1.0
    for b in cuts(X[:, column]):
        phi = np.where(X[:, column] >= b, 1.0, -1.0)
        sums = label_sums(target * phi[:, None])
        edge = math.fsum(abs(sums))
        if edge > best_edge + TINY:
            best, best_edge = Stump(column, b, signs(sums)), edge
    return best, best_edge
