"""Ensembles of base classifiers in arrays: products (a stump is one of one term) and trees.

An ensemble grows by rounds on a Training. Its vote on new rows is f = Σ_t α_t h_t; a missing value
is below every threshold.
"""

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from onearm.core.kernels import kernel
from onearm.core.state import Interval, Shapes, require_inside, require_shapes
from onearm.mh.rounds import Training
from onearm.mh.stump import NONE
from onearm.mh.trees import MINUS

RANGES = {"votes": "[-1, 1]", "alpha": "[-1e6, 1e6]", "loss": "(0, 2]"}  # of saved arrays
BLOCK = 256  # rows that pass through all base classifiers together


class Ensemble:
    """Base classifiers by round: arrays of T rows, whose other axes and types are `shapes`."""

    kind: ClassVar[str]
    least_size: ClassVar[int]
    column: np.ndarray
    threshold: np.ndarray
    votes: np.ndarray
    alpha: np.ndarray
    loss: np.ndarray

    def __init__(self, size: int, K: int) -> None:
        self.size, self.K = size, K
        for name, (shape, dtype) in self.shapes().items():
            setattr(self, name, np.empty((0, *shape), dtype))

    def shapes(self) -> Shapes:
        """Return shape and type of each array of one round."""
        m = self.size
        return {
            "column": ((m,), np.int64), "threshold": ((m,), float), "votes": ((self.K,), np.int8),
            "alpha": ((), float), "loss": ((), float),
        }  # fmt: skip

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name) for name in self.shapes()}

    def restore(self, saved: dict[str, np.ndarray], d: int) -> None:
        """Take the saved arrays of an ensemble over d columns."""
        T = len(saved["alpha"]) if saved.get("alpha", np.zeros(())).ndim else 0
        shapes = {name: ((T, *shape), dtype) for name, (shape, dtype) in self.shapes().items()}
        require_shapes(saved, shapes, "AdaBoostMH")
        self.require_sound(saved, d)
        for name in shapes:
            setattr(self, name, saved[name].copy())

    def require_sound(self, saved: dict[str, np.ndarray], d: int) -> None:
        """Refuse rounds out of range; a threshold may be NaN, no value reaches it."""
        for name, within in (RANGES | {"column": f"[-1, {d})"}).items():
            require_inside(name, saved[name], Interval(within), "AdaBoostMH")
        if np.isinf(saved["threshold"]).any():
            raise ValueError("saved array threshold of AdaBoostMH must be finite or NaN")

    def require_fits(self, d: int, K: int) -> None:
        """Refuse to vote on rows of d columns and K labels if the fit had others."""
        if self.column.max(initial=-1) >= d or self.K != K:
            raise ValueError(
                f"n_features_in_ and classes_ must be those of the fit, got {d} and {K} labels"
            )

    def truncate(self, rounds: int) -> None:
        """Keep the first rounds."""
        for name, array in self.arrays().items():
            setattr(self, name, array[:rounds].copy())

    def boost(self, rounds: int, training: Training) -> bool:
        """Play rounds; return False if nothing was left to gain."""
        (m,), _ = self.shapes()["column"]
        n_leaves, state = self._state(training.K)
        stumps, n_stumps = np.zeros((rounds, m, 5), np.int64), np.zeros(rounds, np.int64)
        votes, (alpha, loss) = np.zeros((rounds, n_leaves, self.K), np.int8), np.zeros((2, rounds))
        output = stumps, n_stumps, votes, alpha, loss
        n = training.boost(self.kind, output, (state, *np.zeros((2, n_leaves, training.K))))
        used = np.arange(m) < n_stumps[:, None]
        column, low, high = (np.where(used, stumps[:, :, part], NONE) for part in range(3))
        new = {
            "column": column, "threshold": training.columns.thresholds(column, low, high),
            "child": stumps[:, :, MINUS:], "alpha": alpha, "loss": loss,
            "votes": self._final_votes(votes, used & (training.columns.common[column] < high)),
        }  # fmt: skip
        for name, array in self.arrays().items():
            setattr(self, name, np.concatenate([array, new[name][:n]]))
        return n == rounds

    def _state(self, K: int) -> tuple[int, tuple]:
        """Return the number of leaves, and what a base classifier is fitted in."""
        raise NotImplementedError  # every kind has its own

    def _final_votes(self, votes: np.ndarray, common_below: np.ndarray) -> np.ndarray:
        """Return the votes; `common_below`: a column's most common bin is below a stump's cut."""
        return votes

    def vote(self, X: np.ndarray, f: np.ndarray, begin: int = 0, end: int | None = None) -> None:
        """Add the votes of rounds begin … end-1."""
        raise NotImplementedError  # every kind has its own


class Products(Ensemble):
    """h_l(x) = V_l·φ¹(x)⋯φᵐ(x)."""

    kind, least_size = "products", 1

    def _state(self, K: int) -> tuple[int, tuple]:
        return 2, tuple(np.zeros((2, 2, K)))

    def _final_votes(self, votes: np.ndarray, common_below: np.ndarray) -> np.ndarray:
        """Return V: the votes where ψ = 1, times the signs that were taken out of ψ."""
        return np.where(common_below.sum(axis=1)[:, None] % 2, -votes[:, 0], votes[:, 0])

    def vote(self, X: np.ndarray, f: np.ndarray, begin: int = 0, end: int | None = None) -> None:
        arrays = self.column, self.threshold, self.votes, self.alpha
        column, threshold, votes, alpha = (array[begin:end] for array in arrays)
        if self.size == 1 and len(alpha) > 1:
            used = column[:, 0] >= 0
            vote_stumps(X, column[used, 0], threshold[used, 0], votes[used], alpha[used], f)
        else:
            vote_products(X, column, threshold, votes, alpha, f)


class Trees(Ensemble):
    """Trees of at most N leaves."""

    kind, least_size = "trees", 2
    child: np.ndarray  # of each split and side: a split, or ~leaf

    def shapes(self) -> Shapes:
        N = self.size
        return {
            "column": ((N - 1,), np.int64), "threshold": ((N - 1,), float),
            "child": ((N - 1, 2), np.int64), "votes": ((N, self.K), np.int8),
            "alpha": ((), float), "loss": ((), float),
        }  # fmt: skip

    def require_sound(self, saved: dict[str, np.ndarray], d: int) -> None:
        """Refuse children that are neither a later split that exists nor ~leaf, too."""
        super().require_sound(saved, d)
        n_splits, is_split, child = self.size - 1, saved["column"] >= 0, saved["child"]
        inner = (child >= 0) & is_split[:, :, None]
        later = (child > np.arange(n_splits)[:, None]) & (child < n_splits)
        flat = child.clip(0, n_splits - 1).reshape(len(child), -1)
        exists = np.take_along_axis(is_split, flat, 1).reshape(child.shape)
        leaf = (~child >= 0) & (~child <= n_splits)
        sound = np.where(inner, later & exists, leaf | ~is_split[:, :, None])
        if not sound.all():
            raise ValueError(
                "saved array child of AdaBoostMH must lead to later splits and to leaves"
            )

    def _state(self, K: int) -> tuple[int, tuple]:
        N = self.size
        parents, stumps = np.zeros((N, 2), np.int64), np.zeros((N, 3), np.int64)
        return N, (parents, stumps, np.zeros(N), *np.zeros((2, N, 2, K)))

    def vote(self, X: np.ndarray, f: np.ndarray, begin: int = 0, end: int | None = None) -> None:
        arrays = self.column, self.threshold, self.child, self.votes, self.alpha
        vote_trees(X, *(array[begin:end] for array in arrays), f)


def make(kind_and_size: Any, K: int) -> Any:
    """Return an empty ensemble: of ["trees", leaves] or ["products", terms]."""
    kinds = {cls.kind: cls for cls in (Trees, Products)}
    given = kind_and_size
    if not isinstance(given, list) or len(given) != 2 or given[0] not in list(kinds):
        raise ValueError(f"ensemble must be of {', '.join(kinds)} and a size, got {given!r}")
    kind, size = given
    least = kinds[kind].least_size
    if type(size) is not int or not least <= size <= 2**15:
        raise ValueError(f"the size of {kind} must be in [{least}, {2**15}], got {size!r}")
    return kinds[kind](size, K)


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


def vote_stumps(
    X: np.ndarray, column: np.ndarray, threshold: np.ndarray, votes: np.ndarray, alpha: np.ndarray,
    f: np.ndarray,
) -> None:  # fmt: skip
    """Add the votes of stumps, by a table of their sums between each two thresholds of a column."""
    order = np.lexsort((threshold, column))
    column, threshold = column[order], threshold[order]
    weighted = votes[order] * alpha[order, None]
    columns, first = np.unique(column, return_index=True)
    starts = np.append(first, len(column))
    table = np.empty((len(column) + len(columns), votes.shape[1]))
    for place, (begin, end) in enumerate(pairwise(starts)):
        sums = table[begin + place : end + place + 1]
        sums[0] = -weighted[begin:end].sum(axis=0)
        sums[1:] = sums[0] + 2.0 * np.cumsum(weighted[begin:end], axis=0)
    vote_tables(X, columns, starts, threshold, table, f)


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
