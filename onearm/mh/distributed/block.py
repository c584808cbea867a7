"""A block of rows: what is known of some of the rows, where they lie on another machine.

It has their codes, A, signs ψ and leaves. It hears of changes, each once and in order, and is asked
for sums. These are integers: those of all blocks add up to those of all rows, to the bit.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from onearm.mh.binning import Columns
from onearm.mh.distributed.histograms import gather
from onearm.mh.full_search import sign_weights
from onearm.mh.products import take_out
from onearm.mh.stump import collect, keep
from onearm.mh.trees import move
from onearm.mh.weights import Weights, multiply_out, reset, reweigh_leaves, reweigh_signed


def bounds(n: int, n_blocks: int) -> list[tuple[int, int]]:
    """The rows of each block, first and last + 1, when n rows are cut evenly."""
    return list(pairwise(np.linspace(0, n, n_blocks + 1).astype(int).tolist()))


def cut(columns: Columns, weights: Weights, begin: int, end: int) -> tuple:
    """What the block of the rows begin … end-1 is made of, as they are between two rounds."""
    inside = (columns.rows >= begin) & (columns.rows < end)
    starts = np.append(0, np.cumsum(inside))[columns.starts]
    rows = columns.rows[inside] - np.uint32(begin)
    own = columns._replace(starts=starts, rows=rows, codes=columns.codes[inside])
    starts, labels = weights.positive
    positive = starts[begin : end + 1] - starts[begin], labels[starts[begin] : starts[end]]
    return own, weights.A[begin:end], positive, weights.K


class Block:
    """Some rows. `done` says how many changes they have seen."""

    def __init__(
        self, columns: Columns, A: np.ndarray, positive: tuple, K: int, done: int = 0
    ) -> None:
        self.columns = tuple(own(part) for part in columns)
        self.weights = Weights(own(A), tuple(own(part) for part in positive), K)
        self.psi, self.at = np.ones(len(A), np.int8), np.zeros(len(A), np.int16)
        self.total = self.weights.sums.copy()  # (2, K): Σ_i ψ_i A_il, as the sums of all rows
        self.S, self.S_total = np.zeros(A.shape), np.zeros(A.shape[1])  # signed weights, their sum
        self.n = np.zeros(1, np.int64)  # how many rows they are of
        self.signed: Any = None  # after which change, and of which node, S was made
        self.done = done

    def answer(self, number: int, changes: list[tuple], question: str, *given: Any) -> Any:
        """Go through the changes from `number` on; then answer the question."""
        if number != self.done:
            raise RuntimeError(f"a block has seen {self.done} changes, and is told of {number}")
        for name, *how in changes:
            getattr(self, name)(*(own(part) for part in how))
            self.done += 1
        return getattr(self, question)(*(own(part) for part in given))

    # Changes

    def flip(self, j: int, hi: int) -> None:
        take_out(j, hi, self.psi, self.total, self.weights.model(), self.columns)

    def move(self, j: int, hi: int, leaf: int, new: int) -> None:
        move(j, hi, leaf, new, self.at, self.columns)

    def reset(self) -> None:
        reset(self.psi, 1)
        reset(self.at, 0)
        keep(self.total, self.weights.sums)

    def reweigh_signed(self, more: np.ndarray, less: np.ndarray) -> None:
        reweigh_signed(self.psi, more, less, self.weights.model())
        keep(self.total, self.weights.sums)

    def reweigh_leaves(self, more: np.ndarray, less: np.ndarray) -> None:
        reweigh_leaves(self.at, more, less, self.weights.model())
        keep(self.total, self.weights.sums)

    def multiply_out(self, plus: np.ndarray, minus: np.ndarray) -> None:
        multiply_out(plus, minus, self.weights.model())
        keep(self.total, self.weights.sums)

    # Questions

    def sums(self) -> tuple:
        return (self.weights.sums,)

    def totals(self) -> tuple:
        return (self.total,)

    def collected(self, j: int, node: int) -> tuple:
        """The sums of the rows kept of each code of a column."""
        places = self.columns[5]
        by_code = np.zeros((places[j + 1] - places[j], *self.total.shape))
        collect(j, self.psi, self.at, node, self.weights.model(), self.columns, by_code)
        return (by_code,)

    def gathered(
        self, node: int, plus: np.ndarray, minus: np.ndarray, searched: np.ndarray
    ) -> tuple:
        """The sum of the signed weights, and by code of many columns; how many rows these are."""
        if self.signed != (self.done, node):
            self.weights.plus[:], self.weights.minus[:] = plus, minus
            model = self.weights.model()
            sign_weights(self.psi, self.at, node, model, self.S, self.S_total, self.n)
            self.signed = self.done, node
        places = self.columns[5]
        n_codes = int((places[searched + 1] - places[searched]).sum())
        by_code, counts = np.zeros((n_codes, len(self.S_total))), np.zeros(n_codes, np.int64)
        gather(searched, self.at, node, self.columns, self.S, by_code, counts)
        return self.S_total, by_code, self.n, counts

    def A(self) -> np.ndarray:
        return self.weights.A


def own(part: Any) -> Any:
    """A copy of an array: those that come from elsewhere cannot be written to."""
    return np.array(part) if isinstance(part, np.ndarray) else part
