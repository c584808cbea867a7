"""Rows of text files: numbers of a context, dense or sparse, all of one kind and width."""

from typing import Any

import numpy as np

from onearm.core.sparse_check import MOST_FEATURES
from onearm.core.vectors import LARGEST
from onearm.schema.values import shown

NONE, DENSE, SPARSE = "none", "dense", "sparse"  # kinds of contexts


class Rows:
    """The kind and width of rows, given or as the first one has it.

    Sparse rows whose width is not given are as wide as the largest index says.
    """

    def __init__(self, kind: str | None = None, n_features: int | None = None) -> None:
        self.kind, self.n_features = kind, n_features
        self.is_open = n_features is None

    def of_list(self, values: Any) -> np.ndarray:
        """Return a dense row, in which a missing number is None."""
        x = _numbers(values)
        self._require(DENSE)
        if self.is_open:
            self.n_features, self.is_open = len(x), False
        if len(x) != self.n_features:
            raise ValueError(f"x must have {self.n_features} numbers, got {len(x)}")
        return x

    def of_pairs(self, indices: Any, values: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return a sparse row, its indices ascending."""
        x = _numbers(values)
        at = _numbers(indices)
        self._require(SPARSE)
        most = MOST_FEATURES if self.is_open or self.n_features is None else self.n_features
        if len(at) != len(x) or not ((at >= 0) & (at < most) & (at == np.floor(at))).all():
            allowed = f"whole numbers in [0, {most - 1}], as many as values"
            raise ValueError(f"indices must be {allowed}, got {shown(indices)}")
        order = np.argsort(at, kind="stable")
        at, x = at[order].astype(np.int32), x[order]
        if (at[1:] == at[:-1]).any():
            raise ValueError(f"indices must not have duplicates, got {shown(indices)}")
        if self.is_open and len(at):
            self.n_features = max(self.n_features or 1, int(at[-1]) + 1)
        return at, x

    def none(self) -> None:
        """Accept an event without a context."""
        self._require(NONE)

    def _require(self, kind: str) -> None:
        self.kind = self.kind or kind
        if self.kind != kind:
            raise ValueError(f"the context must be {self.kind}, as those before it, got {kind}")

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return 1 if self.kind in (None, NONE) else self.n_features or 1

    def stacked(self, rows: list[Any]) -> Any:
        """Return rows as one array; without contexts they are all 1."""
        n = len(rows)
        if self.kind == DENSE:
            return np.array(rows, np.float64).reshape(n, self.width)
        if self.kind != SPARSE:
            return np.ones((n, 1))
        from scipy.sparse import csr_array

        ends = np.cumsum([0, *(len(at) for at, _ in rows)])
        at, values = (np.concatenate([row[part] for row in rows] or [()]) for part in (0, 1))
        return csr_array((values, at.astype(np.int32), ends), shape=(n, self.width))


def _numbers(given: Any) -> np.ndarray:
    """Return numbers within what learners take; NaN where they are None."""
    if not isinstance(given, list | tuple | np.ndarray):
        raise ValueError(f"numbers must be a list, got {shown(given)}")
    try:
        x = np.array(given, np.float64)  # None becomes NaN
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"x must be a list of numbers, got {shown(given)}") from None
    if x.ndim != 1 or (np.abs(x) > LARGEST).any():
        raise ValueError(f"numbers must be a list within ±{LARGEST:g}, got {shown(given)}")
    return x
