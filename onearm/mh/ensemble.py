"""Ensembles of base classifiers in arrays: products (a stump is one of one term) and trees.

An ensemble grows by rounds on a Training. Its vote on new rows is f = Σ_t α_t h_t; a missing value
is below every threshold. Saved arrays are checked before kernels index with them.
"""

from copy import copy
from typing import Any, ClassVar

import numpy as np

from onearm.core.state import Interval, Shapes, require_inside, require_shapes
from onearm.mh.products import vote_products_of_any, vote_products_of_numbers, vote_stumps
from onearm.mh.rounds import Training
from onearm.mh.subsets import SUBSET
from onearm.mh.trees import MINUS, vote_trees_of_any, vote_trees_of_numbers
from onearm.mh.weights import NONE

DENSE = 2**22  # numbers of sparse rows, or of bytes, that become dense floats at a time
RANGES = {"votes": "[-1, 1]", "alpha": "[-1e6, 1e6]", "loss": "(0, 2]"}  # of saved arrays


class Ensemble:
    """Base classifiers by round: arrays of T rows, whose other axes and types are `shapes`."""

    kind: ClassVar[str]
    least_size: ClassVar[int]
    column: np.ndarray
    threshold: np.ndarray
    subset: np.ndarray  # of categories above a cut, as bits; 0 for a threshold
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
            "column": ((m,), np.int64), "threshold": ((m,), float), "subset": ((m,), np.int64),
            "votes": ((self.K,), np.int8), "alpha": ((), float), "loss": ((), float),
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
        for name, within in (RANGES | {"column": f"[-1, {d})", "subset": "[0, inf)"}).items():
            require_inside(name, saved[name], Interval(within), "AdaBoostMH")
        if np.isinf(saved["threshold"]).any():
            raise ValueError("saved array threshold of AdaBoostMH must be finite or NaN")

    def require_fits(self, d: int, K: int) -> None:
        """Refuse to vote on rows of d columns and K labels if the fit had others."""
        if self.column.max(initial=-1) >= d or self.K != K:
            raise ValueError(
                f"n_features_in_ and classes_ must be those of the fit, got {d} and {K} labels"
            )

    def first(self, rounds: int) -> "Ensemble":
        """Return an ensemble of the first rounds."""
        return self.part(0, rounds)

    def part(self, begin: int, end: int) -> "Ensemble":
        """Return an ensemble of rounds begin … end-1."""
        other = copy(self)
        for name, array in self.arrays().items():
            setattr(other, name, array[begin:end].copy())
        return other

    def boost(self, rounds: int, training: Training) -> bool:
        """Play rounds; return False if nothing was left to gain."""
        (m,), _ = self.shapes()["column"]
        n_leaves, state = self._state(training.K)
        stumps, n_stumps = np.zeros((rounds, m, 5), np.int64), np.zeros(rounds, np.int64)
        votes = np.zeros((rounds, n_leaves, self.K), self.shapes()["votes"][1])
        alpha, loss = np.zeros((2, rounds))
        output = stumps, n_stumps, votes, alpha, loss
        n = training.boost(self.kind, output, (state, *np.zeros((2, n_leaves, training.K))))
        used = np.arange(m) < n_stumps[:, None]
        column, low, high = (np.where(used, stumps[:, :, part], NONE) for part in range(3))
        is_subset = used & (high == SUBSET)
        common_below = is_subset | (training.columns.common[column] < high)
        new = {
            "column": column, "threshold": training.columns.thresholds(column, low, high),
            "subset": np.where(is_subset, low, 0), "child": stumps[:, :, MINUS:], "alpha": alpha,
            "loss": loss, "votes": self._final_votes(votes, used & common_below),
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

    def votes_on(self, X: Any) -> np.ndarray:
        """Return the votes of all rounds on rows."""
        f = np.zeros((X.shape[0], self.K))
        at_once, wide = max(1, len(f)), X.shape[1]
        if not isinstance(X, np.ndarray):
            X, wide = X.tocsr(), len(np.unique(self.column[self.column >= 0]))
        if X.dtype != float or not isinstance(X, np.ndarray):
            at_once = max(1, DENSE // max(1, wide))
        for begin in range(0, len(f), at_once):
            rows = slice(begin, begin + at_once)
            ensemble, values = self.with_dense(X[rows])
            ensemble.vote(values, f[rows])
        return f

    def with_dense(self, X: Any) -> tuple["Ensemble", np.ndarray]:
        """Return dense rows and the ensemble on these: of sparse rows only columns it uses."""
        if isinstance(X, np.ndarray):
            return self, np.ascontiguousarray(X, float)
        used = np.unique(self.column[self.column >= 0])
        other = copy(self)
        other.column = np.where(self.column >= 0, np.searchsorted(used, self.column), NONE)
        return other, np.ascontiguousarray(X[:, used].toarray(), float)


class Products(Ensemble):
    """h_l(x) = V_l·φ¹(x)⋯φᵐ(x)."""

    kind, least_size = "products", 1

    def _state(self, K: int) -> tuple[int, tuple]:
        return 2, tuple(np.zeros((2, 2, K)))

    def _final_votes(self, votes: np.ndarray, common_below: np.ndarray) -> np.ndarray:
        """Return V: the votes where ψ = 1, times the signs that were taken out of ψ."""
        return np.where(common_below.sum(axis=1)[:, None] % 2, -votes[:, 0], votes[:, 0])

    def vote(self, X: np.ndarray, f: np.ndarray, begin: int = 0, end: int | None = None) -> None:
        arrays = self.column, self.threshold, self.subset, self.votes, self.alpha
        rounds = [array[begin:end] for array in arrays]
        subset = rounds[2]
        if self.size == 1 and len(subset) > 1:
            used = (rounds[0][:, 0] >= 0) & (subset[:, 0] == 0)
            column, threshold, _, votes, alpha = (part[used] for part in rounds)
            vote_stumps(X, column[:, 0], threshold[:, 0], votes, alpha, f)
            rounds = [part[subset[:, 0] != 0] for part in rounds]
        (vote_products_of_any if subset.any() else vote_products_of_numbers)(X, *rounds, f)


class Trees(Ensemble):
    """Trees of at most N leaves."""

    kind, least_size = "trees", 2
    child: np.ndarray  # of each split and side: a split, or ~leaf

    def shapes(self) -> Shapes:
        N = self.size
        return {
            "column": ((N - 1,), np.int64), "threshold": ((N - 1,), float),
            "subset": ((N - 1,), np.int64), "child": ((N - 1, 2), np.int64),
            "votes": ((N, self.K), np.int8),
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
        parents, stumps = np.zeros((2, N, 3), np.int64)
        return N, (parents, stumps, np.zeros(N), *np.zeros((2, N, 2, K)))

    def vote(self, X: np.ndarray, f: np.ndarray, begin: int = 0, end: int | None = None) -> None:
        arrays = self.column, self.threshold, self.subset, self.child, self.votes, self.alpha
        vote = vote_trees_of_any if self.subset.any() else vote_trees_of_numbers
        vote(X, *(array[begin:end] for array in arrays), f)


class RandomTrees(Trees):
    """Trees whose leaves have real votes."""

    kind = "random_trees"

    def shapes(self) -> Shapes:
        return super().shapes() | {"votes": ((self.size, self.K), float)}


def make(kind_and_size: Any, K: int) -> Any:
    """Return an empty ensemble: of ["trees", leaves] or ["products", terms]."""
    kinds = {cls.kind: cls for cls in (Trees, RandomTrees, Products)}
    given = kind_and_size
    if not isinstance(given, list) or len(given) != 2 or given[0] not in list(kinds):
        raise ValueError(f"ensemble must be of {', '.join(kinds)} and a size, got {given!r}")
    kind, size = given
    least = kinds[kind].least_size
    if type(size) is not int or not least <= size <= 2**15:
        raise ValueError(f"the size of {kind} must be in [{least}, {2**15}], got {size!r}")
    return kinds[kind](size, K)
