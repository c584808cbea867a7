"""Trees of random cuts whose leaves vote real numbers: of AdaBoost.MH, in small steps."""

import numpy as np

from onearm.core.rng import below, bits

from .stumps import Stump, label_sums, signs
from .subsets import SubsetStump

ALPHA = 0.15


def cuts_at_random(X, common, rng):
    """The function (rows, target, column): a random cut and its edge.

    X are all rows; `common` has the most common code of columns of categories.
    """

    def numbers(rows, column):
        bins = np.unique(X[~np.isnan(X[:, column]), column])
        x = rows[~np.isnan(rows[:, column]), column]
        if len(np.unique(x)) < 2:
            return None
        least, largest = np.searchsorted(bins, [x.min(), x.max()])
        above = least + 1 + below(largest - least, rng)
        lo, hi = bins[above - 1], bins[above]
        middle = lo + (hi - lo) / 2
        return Stump(column, middle if middle > lo else hi, None)

    def categories(rows, column):
        known = set(rows[:, column].astype(int).tolist())
        if len(known) < 2:
            return None
        while True:
            mask = int(bits(rng)) >> 1
            subset = {c for c in known if (mask >> c) & 1} - {common[column]}
            if subset and subset != known:
                return SubsetStump(column, subset, None)

    def cut(rows, target, column):
        stump = (categories if column in common else numbers)(rows, column)
        if stump is None:
            return None, -1.0
        sums = label_sums(target * stump.phi(rows)[:, None])
        stump.votes = signs(sums)
        return stump, np.abs(sums).sum()

    return cut


class RandomTree:
    """A tree, or a constant, with the votes of each of its leaves."""

    def __init__(self, tree, X, y, w, smoothing):
        self.tree, self.columns, self.thresholds = tree, tree.columns, tree.thresholds
        leaves = [self.leaf(x) for x in X]
        self.votes = {}
        for leaf in set(leaves):
            rows = [i for i in range(len(X)) if leaves[i] == leaf]
            signed, weight = (w[rows] * y[rows]).sum(axis=0), w[rows].sum(axis=0)
            self.votes[leaf] = signed / (weight + 50.0 * smoothing)

    def leaf(self, x):
        at = 0
        while self.tree.columns:
            side = self.tree.stumps[at].phi([x])[0]
            if (at, side) not in self.tree.child:
                return at, side
            at = self.tree.child[at, side]
        return 0, 0

    def h(self, X):
        return np.array([self.votes[self.leaf(x)] for x in X])
