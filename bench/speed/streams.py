"""The two streams of the speed measurements, as arrays and as Vowpal Wabbit's lines."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits

from onearm import SynSep

SEED = 0
COPIES = 20  # of the digits, shuffled together; longer streams repeat them
ERROR_ROWS = {"sparse": 200_000, "dense": 1797 * COPIES}  # the errors of peers are known for these


class Rows(NamedTuple):
    """Examples in memory with their true labels."""

    name: str
    X: Any  # CSR or dense
    y: np.ndarray
    k: int

    def learner(self, cls: Any) -> Any:
        """Return a learner of class `cls` with its default parameters."""
        return cls(self.k, self.X.shape[1])


def streams(n_rows: int) -> list[Rows]:
    """Return SynSep (k = 9, d = 400, binary) and the digits / 16 (k = 10, d = 64)."""
    X, y = SynSep(n_rows, seed=SEED).arrays()
    digits = load_digits()
    order = np.tile(np.arange(len(digits.target)), COPIES)
    np.random.default_rng(SEED).shuffle(order)
    order = np.resize(order, n_rows)
    dense = np.ascontiguousarray(digits.data[order] / 16)
    labels = digits.target[order].astype(np.int64)
    return [Rows("sparse", X, y, 9), Rows("dense", dense, labels, 10)]


def single_rows(rows: Rows, n: int) -> list[Any]:
    """Return the first rows one by one, as `choose` takes them: vectors, or (indices, values)."""
    if isinstance(rows.X, np.ndarray):
        return [rows.X[t] for t in range(n)]
    starts = rows.X.indptr
    parts = [slice(starts[t], starts[t + 1]) for t in range(n)]
    return [(rows.X.indices[part], rows.X.data[part]) for part in parts]


def pairs(x: Any) -> zip:
    """Return the indices and values of a row's features that are not 0."""
    indices, values = x if isinstance(x, tuple) else (np.flatnonzero(x), x[x != 0])
    return zip(indices.tolist(), values.tolist(), strict=True)


def features(x: Any) -> str:
    """Return a row as Vowpal Wabbit reads it.

    Names are strings: bare integers are taken as indices, of which --cbify clears low bits.
    """
    return "| " + " ".join([f"f{j}" if v == 1 else f"f{j}:{v}" for j, v in pairs(x)])


def lines(rows: Rows, n: int) -> list[str]:
    """Return the first rows with their labels, which Vowpal Wabbit counts from 1."""
    parts = zip(rows.y[:n].tolist(), single_rows(rows, n), strict=True)
    return [f"{label + 1} {features(x)}" for label, x in parts]
