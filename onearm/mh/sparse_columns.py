"""Columns of a sparse matrix that are mostly zero, binned all at once.

A column of 100,000 has a few entries, and going through them one by one would take longer than the
rounds. Here the entries of all columns are sorted together. It is for columns that are mostly zero,
so that zero is the most common bin, and have at most `most` distinct values.
"""

from typing import Any

import numpy as np
from scipy.sparse import csc_array


class SparseColumns:
    """The entries other than zero, sorted by column and value; missing values come first."""

    def __init__(self, X: Any) -> None:
        X = csc_array(X)
        X.sum_duplicates()
        self.n, self.d = X.shape
        column = np.repeat(np.arange(self.d), np.diff(X.indptr))
        entry = X.data != 0.0
        value = np.where(np.isnan(X.data), -np.inf, X.data)[entry]  # infinite ones are refused
        self.column, self.row = column[entry], X.indices[entry]
        order = np.lexsort((value, self.column))
        column, value = self.column[order], value[order]
        new = np.append(True, (column[1:] != column[:-1]) | (value[1:] != value[:-1]))[: len(value)]
        self.value_column, self.values = column[new], value[new]  # each distinct value of a column
        self.n_values = np.bincount(self.value_column, minlength=self.d)
        self.counts = np.bincount(column, minlength=self.d)
        self.number = np.empty(len(value), np.int64)  # of the value of each entry, by rows
        self.number[order] = np.cumsum(new) - 1

    def simple(self, most: int, share: float) -> np.ndarray:
        """Return for each column whether it can be binned here: at most a share is not zero."""
        return (self.counts <= share * self.n) & (self.n_values < most)

    def binned(self, simple: np.ndarray) -> tuple:
        """Return what `BinnedColumns` has of the simple columns, others empty.

        These are column, row and bin of each entry; the most common bin and whether values are
        missing, by column; and column, least and largest value of each bin.
        """
        chosen = simple[self.value_column]
        column, value = self.value_column[chosen], self.values[chosen]
        zeros = np.flatnonzero(simple)
        owners = np.append(column, zeros)
        values = np.append(value, np.zeros(len(zeros)))
        order = np.lexsort((values, owners))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        owners, values = owners[order], values[order]
        offsets = np.searchsorted(owners, np.arange(self.d + 1))
        common, missing = np.zeros((2, self.d), np.int64)
        common[zeros] = place[len(column) :] - offsets[zeros]
        missing[column[np.isneginf(value)]] = 1
        bin_of_value = np.zeros(len(chosen), np.int64)
        bin_of_value[chosen] = place[: len(column)] - offsets[column]
        entries = simple[self.column]
        bins = bin_of_value[self.number[entries]]
        values[np.isneginf(values)] = np.nan
        return (self.column[entries], self.row[entries], bins), (common, missing), (owners, values)
