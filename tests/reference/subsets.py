"""Subset cuts of a column of categories: the search of AdaBoost.MH, with plain sets."""

import math

import numpy as np

from . import stumps

TINY = 1e-12


def scores(codes, target):
    """e_c, a vector of the labels, for each category c."""
    return {c: target[codes == c].sum(axis=0) for c in sorted(set(codes.tolist()))}


def edge(subset, e):
    return np.abs(sum((v if c in subset else -v) for c, v in e.items())).sum()


def by_votes(votes, e, common):
    """Categories with another sign than the most common one, by votes of the labels."""
    score = {c: float((votes * v).sum()) for c, v in e.items()}
    side = 1.0 if score.get(common, 0.0) > TINY else -1.0
    return {c for c, s in score.items() if side * s < -TINY}


def best_subset(codes, target, common):
    """(edge, set above the cut); None if there is no cut. `common` is never above."""
    e = {c: v for c, v in scores(codes, target).items() if (np.abs(v) > TINY).any()}
    K = target.shape[1]
    starts = [{c} for c in e] + [by_votes(np.eye(K)[label], e, common) for label in range(K)]
    allowed = [s for s in starts if s and s != set(e) and common not in s]
    best, chosen = -1.0, None
    for subset in allowed:
        if edge(subset, e) > best + TINY:
            best, chosen = edge(subset, e), subset
    while chosen is not None:
        signed = sum((v if c in chosen else -v) for c, v in e.items())
        subset = by_votes(np.where(signed > 0, 1.0, -1.0), e, common)
        if not subset or subset == set(e) or edge(subset, e) <= best + TINY:
            break
        best, chosen = edge(subset, e), subset
    return None if chosen is None else (best, chosen)


class SubsetStump:
    """A stump that is +1 where the code of a column is in a set."""

    threshold = math.nan

    def __init__(self, column, subset, votes):
        self.column, self.subset, self.votes = column, subset, votes
        self.columns, self.thresholds = [column], [self.threshold]

    def phi(self, X):
        return np.array([1.0 if x[self.column] in self.subset else -1.0 for x in X])

    def h(self, X):
        return np.outer(self.phi(X), self.votes)


def best_cut_with(common):
    """The function `best_cut`, where `common` has the most common code of columns of categories."""

    def best_cut(X, target, column):
        if column not in common:
            return stumps.best_cut(X, target, column)
        found = best_subset(X[:, column], target, common[column])
        if found is None:
            return None, -1.0
        stump = SubsetStump(column, found[1], None)
        stump.votes = stumps.signs(stumps.label_sums(target * stump.phi(X)[:, None]))
        return stump, found[0]

    return best_cut
