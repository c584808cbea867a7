"""The two forms of base classifiers in arrays: products (a stump is one of one term) and trees.

A form grows by rounds on a Training and votes on new rows.
"""

from typing import Any

import numpy as np

from onearm.core.state import require_shapes
from onearm.mh.soundness import require_rounds
from onearm.mh.stump import NONE
from onearm.mh.training import Training
from onearm.mh.votes import Tables, vote_products, vote_trees


class Ensemble:
    """Base classifiers by round: the arrays named in `fields`, each of T rows."""

    fields: tuple[str, ...]
    column: np.ndarray
    votes: np.ndarray
    alpha: np.ndarray
    loss: np.ndarray

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name) for name in self.fields}

    def sizes(self) -> list[Any]:
        """Return what `form` makes an empty form like this one of, besides the labels."""
        raise NotImplementedError  # every form has its own

    def restore(self, saved: dict[str, np.ndarray], d: int) -> None:
        """Take the arrays that were saved of a form over d columns."""
        T = len(saved["alpha"]) if saved.get("alpha", np.zeros(())).ndim else 0
        shapes = {name: ((T, *a.shape[1:]), a.dtype) for name, a in self.arrays().items()}
        require_shapes(saved, shapes, "AdaBoostMH")
        require_rounds(saved, d)
        for name in shapes:
            setattr(self, name, saved[name].copy())

    def require_fits(self, d: int, K: int) -> None:
        """Refuse to vote on rows of d columns and K labels if that is not what was fitted."""
        if self.column.max(initial=-1) >= d or self.votes.shape[-1] != K:
            raise ValueError(
                f"n_features_in_ and classes_ must be those of the fit, got {d} and {K} labels"
            )

    def _append(self, rounds: int, **more: np.ndarray) -> None:
        """Add the first rounds of more."""
        for name, array in self.arrays().items():
            setattr(self, name, np.concatenate([array, more[name][:rounds]]))

    def shorten(self, rounds: int) -> None:
        """Keep the first rounds."""
        for name, array in self.arrays().items():
            setattr(self, name, array[:rounds].copy())


class Products(Ensemble):
    """h_l(x) = V_l·φ¹(x)⋯φᵐ(x)."""

    fields = ("column", "threshold", "votes", "alpha", "loss")

    def sizes(self) -> list[Any]:
        return ["products", self.column.shape[1]]

    def __init__(self, m: int, K: int) -> None:
        self.column, self.threshold = np.empty((0, m), np.int64), np.empty((0, m))
        self.votes = np.empty((0, K), np.int8)
        self.alpha, self.loss = np.empty(0), np.empty(0)

    def boost(self, rounds: int, training: Training) -> bool:
        """Play rounds; False if nothing was left to gain."""
        m, K = self.column.shape[1], self.votes.shape[1]
        column, low, high = np.full((3, rounds, m), NONE)
        votes, (alpha, loss) = np.zeros((rounds, K), np.int8), np.zeros((2, rounds))
        terms = np.zeros((m, 3), np.int64)
        total, before, factors = np.zeros((3, 2, training.K))
        boost, _ = training.players()
        n = boost(
            terms, training.psi, training.at, total, before, factors, *training.model(),
            (column, low, high, votes, alpha, loss),
        )  # fmt: skip
        threshold = training.thresholds(column, low, high)
        self._append(n, column=column, threshold=threshold, votes=votes, alpha=alpha, loss=loss)
        return n == rounds

    def vote(self, X: np.ndarray, f: np.ndarray, begin: int = 0, end: int | None = None) -> None:
        """Add the votes of rounds begin … end-1."""
        part = slice(begin, end)
        if self.column.shape[1] == 1 and len(self.alpha[part]) > 1:
            there = self.column[part, 0] >= 0
            columns = self.column[part, 0][there], self.threshold[part, 0][there]
            Tables(*columns, self.votes[part][there], self.alpha[part][there]).add(X, f)
        else:
            vote_products(
                X, self.column[part], self.threshold[part], self.votes[part], self.alpha[part], f
            )


class Trees(Ensemble):
    """Trees of at most N leaves."""

    fields = ("column", "threshold", "child", "votes", "alpha", "loss")

    def sizes(self) -> list[Any]:
        return ["trees", self.votes.shape[1]]

    def __init__(self, N: int, K: int) -> None:
        self.column, self.threshold = np.empty((0, N - 1), np.int64), np.empty((0, N - 1))
        self.child = np.empty((0, N - 1, 2), np.int64)
        self.votes = np.empty((0, N, K), np.int8)
        self.alpha, self.loss = np.empty(0), np.empty(0)

    def boost(self, rounds: int, training: Training) -> bool:
        """Play rounds; False if nothing was left to gain."""
        N, K = self.votes.shape[1:]
        splits = np.zeros((rounds, N - 1, 5), np.int64)
        n_splits, votes = np.zeros(rounds, np.int64), np.zeros((rounds, N, K), np.int8)
        alpha, loss = np.zeros((2, rounds))
        leaves = (
            np.zeros((N, 2), np.int64), np.zeros((N, 3), np.int64), np.zeros(N),
            *np.zeros((2, N, 2, training.K)),
        )  # fmt: skip
        _, boost = training.players()
        n = boost(
            leaves, training.psi, training.at, np.zeros((2 * N, training.K)), *training.model(),
            (splits, n_splits, votes, alpha, loss),
        )  # fmt: skip
        there = np.arange(N - 1) < n_splits[:, None]
        column, low, high = (np.where(there, splits[:, :, part], NONE) for part in range(3))
        threshold, child = training.thresholds(column, low, high), splits[:, :, 3:]
        arrays = {"column": column, "threshold": threshold, "child": child}
        self._append(n, **arrays, votes=votes, alpha=alpha, loss=loss)
        return n == rounds

    def vote(self, X: np.ndarray, f: np.ndarray, begin: int = 0, end: int | None = None) -> None:
        """Add the votes of rounds begin … end-1."""
        part = slice(begin, end)
        vote_trees(
            X, self.column[part], self.threshold[part], self.child[part], self.votes[part],
            self.alpha[part], f,
        )  # fmt: skip


def make(sizes: Any, K: int) -> Any:
    """Return an empty form: ["trees", leaves] or ["products", terms]."""
    kinds = {"trees": (Trees, 2), "products": (Products, 1)}
    if not isinstance(sizes, list) or len(sizes) != 2 or sizes[0] not in list(kinds):
        raise ValueError(f"form must be of {', '.join(kinds)} and a size, got {sizes!r}")
    cls, least = kinds[sizes[0]]
    if type(sizes[1]) is not int or not least <= sizes[1] <= 2**15:
        raise ValueError(f"the size of {sizes[0]} must be in [{least}, {2**15}], got {sizes[1]!r}")
    return cls(sizes[1], K)
