"""A matrix by columns, each value replaced by a small number, its bin; and sums of weights by bin.

The bins of a column are 0, 1, … in the order of its values: one for each distinct value if there
are at most `max_bins`, else for each of about as many groups of equal weight. A missing value has
bin 0, and then the others begin at 1.

Of every column only the rows outside its most common bin (zeros, mostly) are stored: the sums of
that bin are the total less the rest. Where these are more than a share `dense_from`, the bins of
all rows are: such a column is dense. It takes a byte a row, and an entry of others takes five. In
exact mode columns are stored completely, sorted by bin.

The histogram of a column has, for each bin, the sums (2, K) of `weights` over its rows in a node;
or of the signed weights S the sums (K,) and the number of rows.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array

from onearm.core.kernels import kernel, kernel_without_refcounts
from onearm.mh.sparse_columns import SparseColumns
from onearm.mh.subsets import SUBSET, UNORDERED, is_above
from onearm.mh.weights import ALL, HAS, NONE, add_row, clear, copy_sums, row_loop

BLOCK, TRANSPOSED = 64, 2**24  # columns transposed at a time, and numbers, at most
DENSE_FROM = 0.8  # share of rows outside the most common bin from which a column is dense
ENTRIES = 2**24  # looked up at a time: more would take more memory than the columns


class BinnedColumns(NamedTuple):
    """The columns of a matrix, one after the other in flat arrays."""

    starts: np.ndarray  # (d+1,) column j has the entries starts[j] … starts[j+1]-1
    rows: np.ndarray  # of each entry
    bins: np.ndarray  # of each entry
    dense_row: np.ndarray  # (d,) in which row of `dense` column j is, NONE if it has entries
    dense: np.ndarray  # (dense columns, n) the bin of each row
    common: np.ndarray  # (d,) the most common bin: that of all rows without an entry
    first: np.ndarray  # (d,) 1 if bin 0 holds missing values, else 0: cuts lie above bin `first`;
    # UNORDERED if bins are categories
    offsets: np.ndarray  # (d+1,) where the bins of column j begin in low and high
    low: np.ndarray  # the least value of each bin
    high: np.ndarray  # the largest value of each bin
    exact: bool  # whether columns are complete and sorted

    def model(self) -> tuple:
        """Return what kernels take: entries, bins and whether columns are sorted."""
        entries, bins = self[:5], (self.common, self.first, self.offsets)
        return entries, bins, self.exact

    def of_rows(self, chosen: np.ndarray) -> "BinnedColumns":
        """Return these columns of some rows, given as a mask; bins stay as they are."""
        spans = range(0, len(self.rows), ENTRIES)
        parts = [
            np.flatnonzero(chosen[self.rows[begin : begin + ENTRIES]]) + begin for begin in spans
        ]
        kept = np.concatenate([np.zeros(0, np.int64), *parts])
        numbers = (np.cumsum(chosen) - 1).astype(np.uint32)
        starts, rows = np.searchsorted(kept, self.starts), numbers[self.rows[kept]]
        dense = np.ascontiguousarray(self.dense[:, chosen])
        return self._replace(starts=starts, rows=rows, bins=self.bins[kept], dense=dense)

    def varying(self) -> np.ndarray:
        """Return the columns that have a cut."""
        cuts = np.diff(self.offsets) - self.first > 1
        has_others = (np.diff(self.starts) > 0) | (self.dense_row != NONE)
        return np.flatnonzero(np.where(self.first == UNORDERED, has_others, cuts))

    def thresholds(self, column: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Return values between the bins on both sides of cuts; NaN where there are none."""
        used = (column >= 0) & (high != SUBSET)
        offset = self.offsets[np.where(used, column, 0)]
        lo = self.high[np.where(used, offset + low, 0)]
        hi = self.low[np.where(used, offset + high, 0)]
        with np.errstate(over="ignore"):
            gap = hi - lo
        middle = np.where(np.isinf(gap), lo / 2 + hi / 2, lo + gap / 2)
        return np.where(used, np.where(middle > lo, middle, hi), np.nan)


def bin_columns(
    X: Any, sample_weight: np.ndarray, max_bins: int, exact: bool,
    n_categories: dict[int, int] | None = None, dense_from: float = DENSE_FROM,
) -> BinnedColumns:  # fmt: skip
    """Bin a dense array or a SciPy matrix; `exact`: a bin for every distinct value.

    `n_categories` are of columns whose values are codes, which stay as they are.
    """
    most = X.shape[0] if exact else max_bins
    if hasattr(X, "tocsc") and not exact:
        return _bin_sparse(csc_array(X), sample_weight, most, dense_from)
    n_categories = n_categories or {}
    columns = (
        _codes(x, n_categories[j]) if j in n_categories
        else _bin_column(x, sample_weight, most, exact)
        for j, x in enumerate(iterate_columns(X))
    )  # fmt: skip
    return _joined(columns, X.shape[0], X.shape[1], exact, dense_from)


def _codes(x: np.ndarray, n: int) -> tuple:
    bins, values = x.astype(np.uint8), np.arange(n, dtype=float)
    return bins, int(np.bincount(bins, minlength=1).argmax()), UNORDERED, values, values


def _bin_sparse(
    X: csc_array, sample_weight: np.ndarray, most: int, dense_from: float
) -> BinnedColumns:
    """Bin columns that are mostly zero together, and the others one by one."""
    sparse = SparseColumns(X)
    simple = sparse.simple(most, min(0.5, dense_from))
    others = np.flatnonzero(~simple)
    entries, of_column, of_bin = sparse.binned(simple)
    low, high = of_bin[1], of_bin[1]
    dense_row, dense = np.full(len(simple), NONE), np.zeros((0, X.shape[0]), np.uint8)
    if len(others):
        values = iterate_columns(X[:, others])
        binned = (_bin_column(x, sample_weight, most, False) for x in values)
        rest = _joined(binned, X.shape[0], len(others), False, dense_from)
        dense_row[others], dense = rest.dense_row, rest.dense
        of_column[0][others], of_column[1][others] = rest.common, rest.first
        owners = np.append(of_bin[0], others.repeat(np.diff(rest.offsets)))
        order = np.argsort(owners, kind="stable")
        low, high = np.append(low, rest.low)[order], np.append(high, rest.high)[order]
        of_bin = owners[order], low
        column = others.repeat(np.diff(rest.starts))
        columns, rows, bins = map(np.append, entries, (column, rest.rows, rest.bins))
        order = np.argsort(columns, kind="stable")
        entries = columns[order], rows[order], bins[order]
    (columns, rows, bins), edges = entries, np.arange(X.shape[1] + 1)
    common, missing = of_column
    return BinnedColumns(
        np.searchsorted(columns, edges), rows.astype(np.uint32), bins.astype(np.uint8),
        dense_row, dense, common, missing, np.searchsorted(of_bin[0], edges), low, high, False,
    )  # fmt: skip


def _joined(
    binned: Iterable[tuple], n: int, d: int, exact: bool, dense_from: float
) -> BinnedColumns:
    dense = np.empty((0 if exact else d, n), np.uint8)  # takes no memory where it is not written
    dense_row, n_dense, columns = np.full(d, NONE), 0, []
    for j, (bins, *facts) in enumerate(binned):
        stored = bins[:0]
        if exact:
            stored = np.argsort(bins, kind="stable")
        elif np.count_nonzero(bins != facts[0]) > dense_from * n:
            dense[n_dense], dense_row[j] = bins, n_dense
            n_dense += 1
        else:
            stored = np.flatnonzero(bins != facts[0])
        columns.append((stored.astype(np.uint32), bins[stored], *facts))
    rows, bins, common, first, low, high = zip(*columns, strict=True)
    starts, offsets = (np.append(0, np.cumsum(list(map(len, parts)))) for parts in (rows, low))
    return BinnedColumns(
        starts, np.concatenate(rows), np.concatenate(bins), dense_row, dense[:n_dense],
        np.array(common, np.int64), np.array(first, np.int64), offsets, np.concatenate(low),
        np.concatenate(high), exact,
    )  # fmt: skip


def iterate_columns(X: Any) -> Iterator[np.ndarray]:
    """Yield the columns; transposed by blocks, which is faster than one at a time."""
    if hasattr(X, "tocsc"):
        X = X.tocsc()
    wide = max(1, min(BLOCK, TRANSPOSED // max(1, X.shape[0])))
    for j in range(0, X.shape[1], wide):
        block = X[:, j : j + wide]
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
    return bins, int(np.bincount(bins, minlength=1).argmax()), missing, low, high


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
def common_above(j, lo, hi, columns):
    """Whether the most common bin of a column is above a cut."""
    entries, (common, first, offsets), exact = columns
    return is_above(common[j], lo, hi)


@row_loop
def _collect_dense(codes, psi, leaf_of, node, weights, by_bin):
    for i in range(len(codes)):
        if node == NONE or leaf_of[i] == node:
            add_row(i, psi[i], by_bin[codes[i]], weights)


@row_loop
def collect(j, psi, leaf_of, node, weights, columns, by_bin):
    """Sum the stored rows of each bin of column j in a node."""
    (begins, rows, bins, dense_row, dense), (common, first, offsets), exact = columns
    for c in range(offsets[j + 1] - offsets[j]):
        clear(by_bin[c])
    if node == NONE:
        for e in range(begins[j], begins[j + 1]):
            add_row(rows[e], psi[rows[e]], by_bin[bins[e]], weights)
    else:
        for e in range(begins[j], begins[j + 1]):
            if leaf_of[rows[e]] == node:
                add_row(rows[e], psi[rows[e]], by_bin[bins[e]], weights)
    if dense_row[j] != NONE:
        _collect_dense(dense[dense_row[j]], psi, leaf_of, node, weights, by_bin)


@kernel_without_refcounts
def complete(j, total, columns, by_bin):
    """Set the sums of the most common bin of column j: the total less the rest."""
    entries, (common, first, offsets), exact = columns
    rest = common[j]
    copy_sums(by_bin[rest], total)
    for c in range(offsets[j + 1] - offsets[j]):
        if c != rest:
            for l in range(total.shape[1]):  # noqa: E741
                by_bin[rest, ALL, l] -= by_bin[c, ALL, l]
                by_bin[rest, HAS, l] -= by_bin[c, HAS, l]


@row_loop
def _collect_dense_signed(codes, leaf_of, node, S, by_bin, counts):
    for i in range(len(codes)):
        if node == NONE or leaf_of[i] == node:
            c = codes[i]
            counts[c] += node != NONE and S[i, 0] != 0.0
            for l in range(S.shape[1]):  # noqa: E741
                by_bin[c, l] += S[i, l]


@kernel_without_refcounts
def collect_signed(j, leaf_of, node, columns, S, by_bin, counts):
    """Sum the stored rows of each bin of column j, and in a node count them."""
    (begins, rows, bins, dense_row, dense), (common, first, offsets), exact = columns
    wide = S.shape[1]
    for c in range(offsets[j + 1] - offsets[j]):
        counts[c] = 0
        for l in range(wide):  # noqa: E741
            by_bin[c, l] = 0.0
    if node == NONE:
        for e in range(begins[j], begins[j + 1]):
            i, c = rows[e], bins[e]
            for l in range(wide):  # noqa: E741
                by_bin[c, l] += S[i, l]
    else:
        for e in range(begins[j], begins[j + 1]):
            i, c = rows[e], bins[e]
            if leaf_of[i] == node:
                counts[c] += S[i, 0] != 0.0
                for l in range(wide):  # noqa: E741
                    by_bin[c, l] += S[i, l]
    if dense_row[j] != NONE:
        _collect_dense_signed(dense[dense_row[j]], leaf_of, node, S, by_bin, counts)
