"""The weights w_il of AdaBoost.MH, as integers, so that no sum depends on its order.

    w_il = A_il · plus_l / UNIT   if row i has label l,   A_il · minus_l / UNIT   if not

with integers A ≥ 1 (0 where the weight of the row is 0). They are stored as floats, which add up
exactly as long as no sum is above 2⁵³, and are multiplied four at a time, as integers are not.

A base classifier has the same sign on most rows. The factors plus and minus take up that sign, so
that A changes in the other rows only. Factors far from 1 are multiplied into A. So the sum of all A
stays below 2·FAR·UNIT, and no difference of such sums needs more than 53 bits.

Kernels take the tuple (A, factors, positive, sums, before) with

    factors   (plus, minus), of each label
    positive  (starts, labels, single): row i has the labels[starts[i] … starts[i+1]-1]; single is
              whether every row has one label, labels[i]
    sums      (2, K)  Σ_i A_il, over all rows and over those that have label l
    before    (K,)    scratch: the A of a row
"""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from onearm.core.kernels import kernel, kernel_without_refcounts

UNIT = 2.0**48
FAR = 2.0**3  # of a factor from 1
FINER = 2.0**4  # the units of S than those of A: so many that sums still have at most 53 bits
SIGNED = FINER * UNIT
NONE = -1  # no node: all rows; no column
ALL, HAS = range(2)  # of sums
LANES = 4  # floats that are added at a time: A has columns of zeros up to a multiple of it
LINE = 64  # bytes that a core fetches at once
BLOCK = 2**16  # rows
VOTING_ROWS = 256  # pass through all base classifiers together: they stay in the cache

# A kernel that passes over many rows: not inlined, so that its loop has the registers to itself.
row_loop = partial(kernel, _nrt=False, forceinline=False)


def relative_weights(sample_weight: np.ndarray) -> np.ndarray:
    """Return weights above 0 as multiples of the lightest: w and c·w give the same.

    Integers of which one is 1 stay as they are, and so mean repeated rows. What is lighter than
    1/UNIT of the heaviest counts as that. Multiples are rounded to single precision: the rounding
    of c·w then gives no others.
    """
    shares = np.maximum(sample_weight / sample_weight.max(), 1.0 / UNIT)
    return (shares / shares.min()).astype(np.float32).astype(np.float64)


def aligned_zeros(*shape: int) -> np.ndarray:
    """Zeros that begin where a line of the cache does: then no four numbers lie in two lines."""
    buffer = np.zeros(math.prod(shape) + LINE // 8)
    begin = -buffer.ctypes.data % LINE // 8
    return buffer[begin : begin + math.prod(shape)].reshape(shape)


def blocks(n: int) -> Iterator[slice]:
    """Yield slices of n rows, so that what is computed from all takes little memory at a time."""
    return (slice(begin, min(begin + BLOCK, n)) for begin in range(0, n, BLOCK))


class Weights:
    """The arrays above; `positive` is given as (starts, labels)."""

    def __init__(self, A: np.ndarray, positive: tuple, K: int) -> None:
        self.A, self.K, self.positive = A, K, positive
        self.plus, self.minus = np.ones((2, A.shape[1]))
        (starts, labels), (n, wide) = positive, A.shape
        self.single = bool((np.diff(starts) == 1).all())
        self.sums = np.zeros((2, wide))
        for rows in blocks(n):
            own = labels[starts[rows.start] : starts[rows.stop]]
            number = np.repeat(np.arange(rows.start, rows.stop), np.diff(starts)[rows])
            self.sums[ALL] += A[rows].sum(axis=0)
            self.sums[HAS] += np.bincount(own, A[number, own], wide)
        self.before = np.zeros(wide)

    @classmethod
    def of(cls, positive: np.ndarray, sample_weight: np.ndarray, shared: bool) -> "Weights":
        """Return those at the start; `positive`, (n, K), is whether a row has a label.

        Half of each row's weight is on its labels and half on the others, or 1/K on each of all.
        """
        n, K = positive.shape
        n_labels = positive.sum(axis=1, keepdims=True)
        halved = (n_labels > 0) & (n_labels < K) & shared
        A, whole = aligned_zeros(n, -(-K // LANES) * LANES), sample_weight.sum()
        for rows in blocks(n):
            own = np.where(positive[rows], n_labels[rows], K - n_labels[rows])
            w = np.where(halved[rows], 0.5 / np.maximum(own, 1), 1.0 / K)
            w *= (sample_weight[rows] / whole)[:, None]
            A[rows, :K] = np.where(w > 0, np.maximum(np.rint(w * UNIT), 1), 0)
        starts = np.append(0, np.cumsum(n_labels))
        return cls(A, (starts, np.nonzero(positive)[1].astype(np.uint32)), K)

    def copy(self) -> "Weights":
        A = aligned_zeros(*self.A.shape)
        A[:] = self.A
        other = Weights(A, self.positive, self.K)
        other.plus[:], other.minus[:] = self.plus, self.minus
        return other

    def model(self) -> tuple:
        factors, positive = (self.plus, self.minus), (*self.positive, self.single)
        return self.A, factors, positive, self.sums, self.before


@kernel_without_refcounts
def add_row(i, times, sums, weights):
    """Add the A of a row, some times, to sums."""
    A, factors, (starts, labels, single), _, before = weights
    for l in range(A.shape[1]):  # noqa: E741 the paper's letter for a label
        sums[ALL, l] += times * A[i, l]
    if single:
        sums[HAS, labels[i]] += times * A[i, labels[i]]
    else:
        for a in range(starts[i], starts[i + 1]):
            sums[HAS, labels[a]] += times * A[i, labels[a]]


@kernel_without_refcounts
def scaled(a, factor):
    """a·factor, rounded; no weight becomes 0."""
    return max(min(a, 1.0), np.rint(a * factor))


@kernel_without_refcounts
def reweigh_row(i, positive_factor, negative_factor, weights):
    """Multiply w_il by the positive factor if row i has label l, else by the negative one."""
    A, factors, (starts, labels, single), sums, before = weights
    for a in range(starts[i], starts[i + 1]):
        before[labels[a]] = A[i, labels[a]]
    for l in range(A.shape[1]):  # noqa: E741
        old = A[i, l]
        A[i, l] = scaled(old, negative_factor[l])
        sums[ALL, l] += A[i, l] - old
    for a in range(starts[i], starts[i + 1]):
        l = labels[a]  # noqa: E741
        new = scaled(before[l], positive_factor[l])
        sums[ALL, l] += new - A[i, l]
        sums[HAS, l] += new - before[l]
        A[i, l] = new


@row_loop
def reweigh_signed(psi, leaf_of, positive_factor, negative_factor, weights):
    """Reweigh the rows with ψ = -1 as leaf 1, and make it 1."""
    for i in range(len(psi)):
        if psi[i] < 0:
            reweigh_row(i, positive_factor[1], negative_factor[1], weights)
            psi[i] = 1


@row_loop
def reweigh_leaves(psi, leaf_of, positive_factor, negative_factor, weights):
    """Reweigh the rows of each leaf except 0, and move them to leaf 0."""
    for i in range(len(leaf_of)):
        if leaf_of[i] != 0:
            reweigh_row(i, positive_factor[leaf_of[i]], negative_factor[leaf_of[i]], weights)
            leaf_of[i] = 0


@row_loop
def multiply_out(plus, minus, weights):
    """Multiply factors into all A."""
    A, factors, positive, sums, before = weights
    for i in range(len(A)):
        reweigh_row(i, plus, minus, weights)


@kernel_without_refcounts
def reset(psi, leaf_of):
    """Make the sign of all rows 1 and their leaf 0."""
    for i in range(len(psi)):
        psi[i], leaf_of[i] = 1, 0


@kernel_without_refcounts
def total_weight(sums, factors):
    """Σ w over the rows of these sums."""
    plus, minus = factors
    total = 0.0
    for l in range(len(plus)):  # noqa: E741
        total += plus[l] * sums[HAS, l] + minus[l] * (sums[ALL, l] - sums[HAS, l])
    return total / UNIT


@kernel_without_refcounts
def copy_sums(sums, others):
    """Copy sums from others."""
    for l in range(sums.shape[1]):  # noqa: E741
        sums[ALL, l], sums[HAS, l] = others[ALL, l], others[HAS, l]


@kernel_without_refcounts
def clear(sums):
    for l in range(sums.shape[1]):  # noqa: E741
        sums[ALL, l] = sums[HAS, l] = 0.0


@kernel_without_refcounts
def is_empty(sums):
    for l in range(sums.shape[1]):  # noqa: E741
        if sums[ALL, l] != 0.0:
            return False
    return True


@kernel_without_refcounts
def signed_sum(l, sums, factors):  # noqa: E741
    """Σ w_il y_il over the rows of these sums, times UNIT."""
    plus, minus = factors
    return plus[l] * sums[HAS, l] - minus[l] * (sums[ALL, l] - sums[HAS, l])


@kernel_without_refcounts
def sign(e):
    return 1 if e > 0.0 else -1


@kernel_without_refcounts
def rescale(weights):
    """Multiply the factors into A if one of them is far from 1."""
    A, (plus, minus), positive, sums, before = weights
    far = False
    for l in range(len(plus)):  # noqa: E741
        far |= not (1.0 / FAR < plus[l] < FAR and 1.0 / FAR < minus[l] < FAR)
    if not far:
        return
    multiply_out(plus, minus, weights)
    for l in range(len(plus)):  # noqa: E741
        plus[l] = minus[l] = 1.0


@kernel_without_refcounts
def sign_weights(psi, leaf_of, node, weights, S, total, n):
    """Multiply out S in a node, or everywhere, and sum it."""
    A, (plus, minus), (starts, labels, single), sums, before = weights
    n[0] = 0
    for l in range(len(total)):  # noqa: E741
        total[l] = 0.0
    for i in range(len(A)):
        if node != NONE and leaf_of[i] != node:
            continue
        times = FINER * psi[i]
        for l in range(len(total)):  # noqa: E741
            S[i, l] = np.rint(A[i, l] * minus[l] * -times)
        for a in range(starts[i], starts[i + 1]):
            l = labels[a]  # noqa: E741
            S[i, l] = np.rint(A[i, l] * plus[l] * times)
        n[0] += S[i, 0] != 0.0
        for l in range(len(total)):  # noqa: E741
            total[l] += S[i, l]
