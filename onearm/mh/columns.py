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

from typing import Any, NamedTuple

import numpy as np

from onearm.kernels import kernel


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


def columns(X: Any, max_bins: int = 256, scan: bool = False) -> Columns:
    """Return the columns of a dense array or a SciPy matrix; `scan`: every value, sorted."""
    n, d = X.shape
    sparse = X.tocsc() if hasattr(X, "tocsc") else None
    kept: list[tuple] = []
    for j in range(d):
        if sparse is None:
            x = np.ascontiguousarray(X[:, j], np.float64)
        else:
            x = np.zeros(n)
            part = slice(sparse.indptr[j], sparse.indptr[j + 1])
            x[sparse.indices[part]] = sparse.data[part]
        kept.append(_column(x, n if scan else max_bins, scan))
    return _joined(kept, scan)


def _column(x: np.ndarray, most: int, scan: bool) -> tuple:
    ordered = np.sort(x)
    gaps = bool(len(x)) and np.isnan(ordered[-1])
    values = ordered[: np.searchsorted(ordered, np.nan)] if gaps else ordered
    new = np.concatenate([[True], values[1:] != values[:-1]]) if len(values) else np.empty(0, bool)
    low = values[new]
    ends = np.flatnonzero(np.append(new, True))[1:]  # of each run of equal values
    if len(low) > most - gaps:
        wanted = np.arange(1, most - gaps) * (len(values) / (most - gaps))
        last = np.unique(np.append(np.searchsorted(ends, wanted), len(low) - 1))
    else:
        last = np.arange(len(low))
    high = low[last]
    low = low[np.append(0, last[:-1] + 1)] if len(low) else low
    codes = np.empty(len(x), np.uint32 if scan else np.uint16)
    encode(x, low, int(gaps), codes)
    if gaps:
        low, high = np.append(np.nan, low), np.append(np.nan, high)
    common = int(np.bincount(codes, minlength=1).argmax())
    rows = np.argsort(codes, kind="stable") if scan else np.flatnonzero(codes != common)
    return rows, codes[rows], common, gaps, low, high


@kernel
def encode(x, low, base, codes):
    """The code of each value: base plus the number of codes that begin at or below it, less 1."""
    for i in range(len(x)):
        v = x[i]
        a, b = 0, len(low)
        while a < b:
            middle = (a + b) // 2
            if low[middle] <= v:
                a = middle + 1
            else:
                b = middle
        codes[i] = 0 if v != v else max(base + a - 1, base)


def _joined(kept: list[tuple], whole: bool) -> Columns:
    rows, codes, common, first, low, high = zip(*kept, strict=True)
    starts = np.append(0, np.cumsum([len(part) for part in rows]))
    places = np.append(0, np.cumsum([len(part) for part in low]))
    joined = np.concatenate(codes)
    small = joined.astype(np.uint8) if joined.max(initial=0) < 256 else joined
    return Columns(
        starts, np.concatenate(rows).astype(np.int32), small, np.array(common, np.int64),
        np.array(first, np.int64), places, np.concatenate(low), np.concatenate(high), whole,
    )  # fmt: skip


@kernel
def between(lo, hi):
    """A threshold b with lo < b ≤ hi: the middle, or hi where there is none."""
    b = lo + (hi - lo) / 2.0
    return b if b > lo else hi
