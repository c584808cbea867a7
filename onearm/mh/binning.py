"""A matrix by columns, each value a small code: what stumps are searched in.

The codes of a column are 0, 1, … in the order of its values: one for each distinct value if there
are at most `max_bins`, else for each of about as many groups of equal size. A missing value has
code 0, and then the others begin at 1.

Of every column only the rows are kept that do not have its most common code (zeros, mostly): what
those have together is the total less the rest. To be scanned instead, columns are kept whole, each
sorted by code.

    starts  (d+1,)  column j has the entries starts[j] … starts[j+1]-1
    rows, codes     of each entry
    common  (d,)    the most common code: that of all rows without an entry
    first   (d,)    1 if code 0 stands for missing values, else 0: no cut lies below code first+1
    places  (d+1,)  where the codes of column j begin in
    low, high       the least and largest value of each code
    whole           whether columns are kept whole and sorted
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from onearm.core.kernels import kernel, kernel_without_refcounts

BLOCK = 64  # columns transposed at a time


class Columns(NamedTuple):
    """The arrays above."""

    starts: np.ndarray
    rows: np.ndarray
    codes: np.ndarray
    common: np.ndarray
    first: np.ndarray
    places: np.ndarray
    low: np.ndarray
    high: np.ndarray
    whole: bool


def columns(X: Any, sample_weight: np.ndarray, max_bins: int, whole: bool) -> Columns:
    """Return the columns of a dense array or a SciPy matrix; `whole`: every value, sorted."""
    most = X.shape[0] if whole else max_bins
    return _joined([_column(x, sample_weight, most, whole) for x in each_column(X)], whole)


def each_column(X: Any) -> Iterator[np.ndarray]:
    """The columns one after another, some of them transposed at a time: faster than each alone."""
    if hasattr(X, "tocsc"):
        X = X.tocsc()
    for j in range(0, X.shape[1], BLOCK):
        some = X[:, j : j + BLOCK]
        yield from np.ascontiguousarray((some.toarray() if hasattr(some, "toarray") else some).T)


def _column(x: np.ndarray, sample_weight: np.ndarray, most: int, whole: bool) -> tuple:
    present = np.zeros(256, bool)
    codes = np.zeros(len(x), np.uint32 if whole else np.uint8)
    if bytes_of(x, present) and present.sum() <= most:
        low = high = np.flatnonzero(present).astype(float)
        encode_bytes(x, np.cumsum(present) - 1, codes)
        gaps = False
    else:
        order = np.argsort(x)  # missing values last
        gaps = bool(np.isnan(x[order[-1]]))
        order = order[: len(x) - int(np.isnan(x).sum())]
        known = x[order]
        begins = np.flatnonzero(np.append(True, known[1:] != known[:-1])[: len(known)])
        if len(begins) > most - gaps:
            begins = _grouped(begins, np.cumsum(sample_weight[order]), most - gaps)
        ends = np.append(begins[1:], len(known))[: len(begins)]
        low, high = known[begins], known[ends - 1]
        codes[order] = np.repeat(np.arange(len(begins)) + gaps, ends - begins)
        if gaps:
            low, high = np.append(np.nan, low), np.append(np.nan, high)
    common = int(np.bincount(codes, minlength=1).argmax())
    rows = np.argsort(codes, kind="stable") if whole else np.flatnonzero(codes != common)
    return rows, codes[rows], common, gaps, low, high


def _grouped(begins: np.ndarray, weight: np.ndarray, most: int) -> np.ndarray:
    """Join neighbouring values to groups of about equal weight: where each group begins.

    `weight` is that of all rows up to each, in the order of their values.
    """
    upto = weight[np.append(begins[1:], len(weight)) - 1]
    wanted = np.arange(1, most) * (upto[-1] / most)
    last = np.unique(np.append(np.searchsorted(upto, wanted), len(begins) - 1))
    return begins[np.append(0, last[:-1] + 1)]


@kernel
def bytes_of(x, present):
    """Whether all values are integers from 0 to 255, and which: faster than sorting them."""
    for i in range(len(x)):
        v = x[i]
        if not 0.0 <= v < 256.0 or v != int(v):
            return False
        present[int(v)] = True
    return True


@kernel
def encode_bytes(x, table, codes):
    """The code of each value, which is a place in a table."""
    for i in range(len(x)):
        codes[i] = table[int(x[i])]


@kernel_without_refcounts
def base_above(j, hi, columns):
    """Whether most rows of a column are above the cut: those of its most common code."""
    return columns[3][j] >= hi


def _joined(kept: list[tuple], whole: bool) -> Columns:
    rows, codes, common, first, low, high = zip(*kept, strict=True)
    starts = np.append(0, np.cumsum([len(part) for part in rows]))
    places = np.append(0, np.cumsum([len(part) for part in low]))
    return Columns(
        starts, np.concatenate(rows).astype(np.uint32), np.concatenate(codes),
        np.array(common, np.int64), np.array(first, np.int64), places, np.concatenate(low),
        np.concatenate(high), whole,
    )  # fmt: skip
