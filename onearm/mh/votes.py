"""The vote f = Σ_t α_t h_t on new rows. A missing value is below every threshold."""

import numpy as np

from onearm.core.kernels import kernel

BLOCK = 256  # rows that pass through all base classifiers together


@kernel
def vote_products(X, column, threshold, votes, alpha, f):
    """Add the votes of products, (T, m) columns and thresholds, -1 where a term is missing."""
    for start in range(0, len(X), BLOCK):
        stop = min(start + BLOCK, len(X))
        for t in range(len(alpha)):
            for i in range(start, stop):
                h = alpha[t]
                for part in range(column.shape[1]):
                    j = column[t, part]
                    if j >= 0 and not X[i, j] >= threshold[t, part]:
                        h = -h
                for l in range(f.shape[1]):  # noqa: E741
                    f[i, l] += h * votes[t, l]


@kernel
def vote_trees(X, column, threshold, child, votes, alpha, f):
    """Add the votes of trees: children are splits, or ~leaf; a tree without splits has leaf 0."""
    for start in range(0, len(X), BLOCK):
        stop = min(start + BLOCK, len(X))
        for t in range(len(alpha)):
            for i in range(start, stop):
                at = 0 if column[t, 0] >= 0 else ~0
                while at >= 0:
                    at = child[t, at, 1 if X[i, column[t, at]] >= threshold[t, at] else 0]
                for l in range(f.shape[1]):  # noqa: E741
                    f[i, l] += alpha[t] * votes[t, ~at, l]


class StumpTables:
    """Stumps summed up: for each column its thresholds, and the vote between each two of them."""

    def __init__(
        self, column: np.ndarray, threshold: np.ndarray, votes: np.ndarray, alpha: np.ndarray
    ) -> None:
        order = np.lexsort((threshold, column))
        column, threshold = column[order], threshold[order]
        weighted = votes[order] * alpha[order, None]
        self.columns, first = np.unique(column, return_index=True)
        self.starts = np.append(first, len(column))
        self.thresholds = threshold
        K = votes.shape[1]
        self.table = np.empty((len(column) + len(self.columns), K))
        for place, (begin, end) in enumerate(zip(self.starts, self.starts[1:], strict=False)):
            rows = self.table[begin + place : end + place + 1]
            rows[0] = -weighted[begin:end].sum(axis=0)
            rows[1:] = rows[0] + 2.0 * np.cumsum(weighted[begin:end], axis=0)

    def vote(self, X: np.ndarray, f: np.ndarray) -> None:
        """Add the votes of all stumps."""
        vote_tables(X, self.columns, self.starts, self.thresholds, self.table, f)


@kernel
def vote_tables(X, columns, starts, thresholds, table, f):
    for i in range(len(X)):
        for place in range(len(columns)):
            x = X[i, columns[place]]
            low, high = starts[place], starts[place + 1]
            while low < high:
                middle = (low + high) // 2
                if x >= thresholds[middle]:
                    low = middle + 1
                else:
                    high = middle
            for l in range(f.shape[1]):  # noqa: E741
                f[i, l] += table[low + place, l]
