"""A block of rows on another machine: their bins, weights A, signs ψ and leaves.

A block receives changes, each once and in order, and answers queries for sums. These are integers:
those of all blocks add up to those of all rows, bit-identical.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from onearm.core.kernels import kernel_without_refcounts
from onearm.mh.binning import BinnedColumns, collect, collect_signed
from onearm.mh.products import remove_term
from onearm.mh.trees import move
from onearm.mh.weights import (
    Weights,
    copy_sums,
    multiply_out,
    reset,
    reweigh_leaves,
    reweigh_signed,
    sign_weights,
)


def bounds(n: int, n_blocks: int) -> list[tuple[int, int]]:
    """Return the first row and the last + 1 of each block, when n rows are divided evenly."""
    return list(pairwise(np.linspace(0, n, n_blocks + 1).astype(int).tolist()))


def slice_rows(columns: BinnedColumns, weights: Weights, begin: int, end: int) -> tuple:
    """Return the arguments of the Block of the rows begin … end-1, between two rounds."""
    number = np.arange(len(weights.A))
    sliced = columns.of_rows((number >= begin) & (number < end))
    starts, labels = weights.positive
    positive = starts[begin : end + 1] - starts[begin], labels[starts[begin] : starts[end]]
    return sliced, weights.A[begin:end], positive, weights.K


class Block:
    """Some rows; `n_changes` counts the changes that were applied to them."""

    def __init__(
        self, columns: BinnedColumns, A: np.ndarray, positive: tuple, K: int, n_changes: int = 0
    ) -> None:
        columns = BinnedColumns(*map(writable, columns))
        self.columns, self.offsets = columns.model(), columns.offsets
        self.weights = Weights(writable(A), tuple(map(writable, positive)), K)
        self.psi, self.leaf_of = np.ones(len(A), np.int8), np.zeros(len(A), np.int16)
        self.total = self.weights.sums.copy()  # (2, K): Σ_i ψ_i A_il, as the sums of all rows
        self.S, self.S_total = np.zeros(A.shape), np.zeros(A.shape[1])  # signed weights, their sum
        self.n = np.zeros(1, np.int64)  # the number of rows in S
        self.signed: Any = None  # S is of this number of changes and this node
        self.n_changes = n_changes

    def answer(self, number: int, changes: list[tuple], query: str, *given: Any) -> Any:
        """Apply the changes from `number` on; then answer the query."""
        if number != self.n_changes:
            raise RuntimeError(f"a block has {self.n_changes} changes, and was sent from {number}")
        for name, *arguments in changes:
            getattr(self, name)(*map(writable, arguments))
            self.n_changes += 1
        return getattr(self, query)(*map(writable, given))

    # Changes

    def flip(self, j: int, lo: int, hi: int) -> None:
        remove_term(j, lo, hi, self.psi, self.total, self.weights.model(), self.columns)

    def move(self, j: int, lo: int, hi: int, leaf: int, new: int) -> None:
        move(j, lo, hi, leaf, new, self.leaf_of, self.columns, ())

    def reset(self) -> None:
        reset(self.psi, self.leaf_of)
        copy_sums(self.total, self.weights.sums)

    def reweigh_signed(self, *factors: np.ndarray) -> None:
        reweigh_signed(self.psi, self.leaf_of, *factors, self.weights.model())
        copy_sums(self.total, self.weights.sums)

    def reweigh_leaves(self, *factors: np.ndarray) -> None:
        reweigh_leaves(self.psi, self.leaf_of, *factors, self.weights.model())
        copy_sums(self.total, self.weights.sums)

    def multiply_out(self, plus: np.ndarray, minus: np.ndarray) -> None:
        multiply_out(plus, minus, self.weights.model())
        copy_sums(self.total, self.weights.sums)

    # Queries

    def sums(self) -> tuple:
        return (self.weights.sums,)

    def totals(self) -> tuple:
        return (self.total,)

    def histogram(self, j: int, node: int) -> tuple:
        """Return the sums of the stored rows of each bin of a column."""
        by_bin = np.zeros((self.offsets[j + 1] - self.offsets[j], *self.total.shape))
        collect(j, self.psi, self.leaf_of, node, self.weights.model(), self.columns, by_bin)
        return (by_bin,)

    def signed_histograms(
        self, node: int, plus: np.ndarray, minus: np.ndarray, searched: np.ndarray
    ) -> tuple:
        """Return the sum of S, also by bin of many columns, and the numbers of rows in both."""
        if self.signed != (self.n_changes, node):
            self.weights.plus[:], self.weights.minus[:] = plus, minus
            model = self.weights.model()
            sign_weights(self.psi, self.leaf_of, node, model, self.S, self.S_total, self.n)
            self.signed = self.n_changes, node
        n_bins = int((self.offsets[searched + 1] - self.offsets[searched]).sum())
        by_bin, counts = np.zeros((n_bins, len(self.S_total))), np.zeros(n_bins, np.int64)
        collect_many(searched, self.leaf_of, node, self.columns, self.S, by_bin, counts)
        return self.S_total, by_bin, self.n, counts

    def A(self) -> np.ndarray:
        return self.weights.A


@kernel_without_refcounts
def collect_many(searched, leaf_of, node, columns, S, by_bin, counts):
    """Collect columns, the bins of each after those of the one before."""
    entries, (common, first, offsets), exact = columns
    begin = 0
    for a in range(len(searched)):
        j = searched[a]
        end = begin + offsets[j + 1] - offsets[j]
        collect_signed(j, leaf_of, node, columns, S, by_bin[begin:end], counts[begin:end])
        begin = end


def writable(part: Any) -> Any:
    """Return a copy of an array: those of Ray's object store cannot be written to."""
    return np.array(part) if isinstance(part, np.ndarray) else part
