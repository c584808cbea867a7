"""A matrix by columns, each value replaced by a small number, its bin: what stumps are searched in.

The bins of a column are 0, 1, … in the order of its values: one for each distinct value if there
are at most `max_bins`, else for each of about as many groups of equal weight. A missing value has
bin 0, and then the others begin at 1.

Of every column only the rows outside its most common bin (zeros, mostly) are stored: the sums of
that bin are the total less the rest. In exact mode columns are stored completely, sorted by bin.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from onearm.core.kernels import kernel, kernel_without_refcounts

BLOCK = 64  # columns transposed at a time


class BinnedColumns(NamedTuple):
    """The columns of a matrix, one after the other in flat arrays."""

    starts: np.ndarray  # (d+1,) column j has the entries starts[j] … starts[j+1]-1
    rows: np.ndarray  # of each entry
    bins: np.ndarray  # of each entry
    common: np.ndarray  # (d,) the most common bin: that of all rows without an entry
    first: np.ndarray  # (d,) 1 if bin 0 holds missing values, else 0: cuts lie above bin `first`
    offsets: np.ndarray  # (d+1,) where the bins of column j begin in low and high
    low: np.ndarray  # the least value of each bin
    high: np.ndarray  # the largest value of each bin
    exact: bool  # whether columns are complete and sorted

    def model(self) -> tuple:
        """Return what kernels take: entries, bins and whether columns are sorted."""
        entries, bins = self[:3], (self.common, self.first, self.offsets)
        return entries, bins, self.exact

    def varying(self) -> np.ndarray:
        """Return the columns that have a cut."""
        return np.flatnonzero(np.diff(self.offsets) - self.first > 1)

    def thresholds(self, column: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Return values between the bins on both sides of cuts; NaN where there is no column."""
        used = column >= 0
        offset = self.offsets[np.where(used, column, 0)]
        lo = self.high[np.where(used, offset + low, 0)]
        hi = self.low[np.where(used, offset + high, 0)]
        with np.errstate(over="ignore"):
            gap = hi - lo
        middle = np.where(np.isinf(gap), lo / 2 + hi / 2, lo + gap / 2)
        return np.where(used, np.where(middle > lo, middle, hi), np.nan)


def bin_columns(X: Any, sample_weight: np.ndarray, max_bins: int, exact: bool) -> BinnedColumns:
    """Bin a dense array or a SciPy matrix; `exact`: a bin for every distinct value."""
    most = X.shape[0] if exact else max_bins
    binned = [_bin_column(x, sample_weight, most, exact) for x in iterate_columns(X)]
    rows, bins, common, first, low, high = zip(*binned, strict=True)
    starts, offsets = (np.append(0, np.cumsum(list(map(len, parts)))) for parts in (rows, low))
    return BinnedColumns(
        starts, np.concatenate(rows).astype(np.uint32), np.concatenate(bins),
        np.array(common, np.int64), np.array(first, np.int64), offsets, np.concatenate(low),
        np.concatenate(high), exact,
    )  # fmt: skip


def iterate_columns(X: Any) -> Iterator[np.ndarray]:
    """Yield the columns; transposed by blocks, which is faster than one at a time."""
    if hasattr(X, "tocsc"):
        X = X.tocsc()
    for j in range(0, X.shape[1], BLOCK):
        block = X[:, j : j + BLOCK]
        yield from np.ascontiguousarray((block.toarray() if hasattr(block, "toarray") else block).T)


def _bin_column(x: np.ndarray, sample_weight: np.ndarray, most: int, exact: bool) -> tuple:
    present = np.zeros(256, bool)
    bins = np.zeros(len(x), np.uint32 if exact else np.uint8)
    if find_bytes(x, present) and present.sum() <= most:
        low = high = np.flatnonzero(present).astype(float)
        encode_bytes(x, np.cumsum(present) - 1, bins)
        missing = False
    else:
        order = np.argsort(x)  # missing values last
        missing = bool(np.isnan(x[order[-1]]))
        order = order[: len(x) - int(np.isnan(x).sum())]
        values = x[order]
        begins = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])
        if len(begins) > most - missing:
            begins = _group(begins, np.cumsum(sample_weight[order]), most - missing)
        ends = np.append(begins[1:], len(values))[: len(begins)]
        low, high = values[begins], values[ends - 1]
        bins[order] = np.repeat(np.arange(len(begins)) + missing, ends - begins)
        if missing:
            low, high = np.append(np.nan, low), np.append(np.nan, high)
    common = int(np.bincount(bins, minlength=1).argmax())
    rows = np.argsort(bins, kind="stable") if exact else np.flatnonzero(bins != common)
    return rows, bins[rows], common, missing, low, high


def _group(begins: np.ndarray, cumulative: np.ndarray, most: int) -> np.ndarray:
    """Join neighbouring values to groups of about equal weight: where each group begins."""
    upto = cumulative[np.append(begins[1:], len(cumulative)) - 1]
    wanted = np.arange(1, most) * (upto[-1] / most)
    last = np.unique(np.append(np.searchsorted(upto, wanted), len(begins) - 1))
    return begins[np.append(0, last[:-1] + 1)]


@kernel
def find_bytes(x, present):
    """Whether all values are integers from 0 to 255, and which: faster than sorting them."""
    for i in range(len(x)):
        v = x[i]
        if not 0.0 <= v < 256.0 or v != int(v):
            return False
        present[int(v)] = True
    return True


@kernel
def encode_bytes(x, table, bins):
    """Set the bin of each value, an index into the table."""
    for i in range(len(x)):
        bins[i] = table[int(x[i])]


@kernel_without_refcounts
def common_above(j, hi, columns):
    """Whether the most common bin of a column is above the cut below bin `hi`."""
    entries, (common, first, offsets), exact = columns
    return common[j] >= hi
