"""Ensembles of base classifiers in arrays: products (a stump is one of one term) and trees.

An ensemble grows by rounds on a Training and votes on new rows.
"""

from typing import Any, ClassVar

import numpy as np

from onearm.core.state import Interval, Shapes, require_inside, require_shapes
from onearm.mh.stump import NONE
from onearm.mh.training import Training
from onearm.mh.votes import StumpTables, vote_products, vote_trees

RANGES = {"votes": "[-1, 1]", "alpha": "[-1e6, 1e6]", "loss": "(0, 2]"}  # of saved arrays


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
        raise NotImplementedError  # every kind has its own

    def vote(self, X: np.ndarray, f: np.ndarray, begin: int = 0, end: int | None = None) -> None:
        """Add the votes of rounds begin … end-1."""
        raise NotImplementedError  # every kind has its own

    def _append(self, rounds: int, **new: np.ndarray) -> None:
        for name, array in self.arrays().items():
            setattr(self, name, np.concatenate([array, new[name][:rounds]]))


class Products(Ensemble):
    """h_l(x) = V_l·φ¹(x)⋯φᵐ(x)."""

    kind, least_size = "products", 1

    def boost(self, rounds: int, training: Training) -> bool:
        column, low, high = np.full((3, rounds, self.size), NONE)
        votes, (alpha, loss) = np.zeros((rounds, self.K), np.int8), np.zeros((2, rounds))
        total, before, (positive_factor, negative_factor) = np.zeros((3, 2, training.K))
        terms = np.zeros((self.size, 3), np.int64)
        n = training.boost(
            self.kind, (column, low, high, votes, alpha, loss),
            (terms, total, before, positive_factor, negative_factor),
        )  # fmt: skip
        threshold = training.columns.thresholds(column, low, high)
        self._append(n, column=column, threshold=threshold, votes=votes, alpha=alpha, loss=loss)
        return n == rounds

    def vote(self, X: np.ndarray, f: np.ndarray, begin: int = 0, end: int | None = None) -> None:
        rounds = (
            array[begin:end] for array in (self.column, self.threshold, self.votes, self.alpha)
        )
        column, threshold, votes, alpha = rounds
        if self.size == 1 and len(alpha) > 1:
            used = column[:, 0] >= 0
            stumps = column[used, 0], threshold[used, 0], votes[used], alpha[used]
            StumpTables(*stumps).vote(X, f)
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

    def boost(self, rounds: int, training: Training) -> bool:
        N = self.size
        splits = np.zeros((rounds, N - 1, 5), np.int64)
        n_splits, votes = np.zeros(rounds, np.int64), np.zeros((rounds, N, self.K), np.int8)
        alpha, loss = np.zeros((2, rounds))
        leaves = (
            np.zeros((N, 2), np.int64), np.zeros((N, 3), np.int64), np.zeros(N),
            *np.zeros((2, N, 2, training.K)),
        )  # fmt: skip
        factors = np.zeros((2, N, training.K))
        n = training.boost(self.kind, (splits, n_splits, votes, alpha, loss), (leaves, *factors))
        used = np.arange(N - 1) < n_splits[:, None]
        column, low, high = (np.where(used, splits[:, :, part], NONE) for part in range(3))
        threshold, child = training.columns.thresholds(column, low, high), splits[:, :, 3:]
        nodes = {"column": column, "threshold": threshold, "child": child}
        self._append(n, **nodes, votes=votes, alpha=alpha, loss=loss)
        return n == rounds

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
