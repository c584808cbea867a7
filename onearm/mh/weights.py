"""The weights w_il of AdaBoost.MH, as integers, so that no sum depends on its order.

    w_il = A_il · plus_l / UNIT   if row i has label l,   A_il · minus_l / UNIT   if not

with integers A ≥ 1 (0 where the weight of the row is 0). They are held in floats, which add up
exactly as long as no sum is above 2⁵³, and are multiplied four at a time, as integers are not.

A base classifier says the same about most rows, on most of which A then need not be touched: the
factors plus and minus take it up. When they have gone far they are multiplied into A. So the sum
of all A stays below 2·FAR·UNIT, and no difference of such sums needs more than 53 bits.

    sums      (2, K)  Σ_i A_il, over all rows and over those that have label l
    positive          (starts, labels): row i has the labels[starts[i] … starts[i+1]-1]
    single            whether every row has one label: row i has labels[i]
"""

import math

import numpy as np

from onearm.core.kernels import kernel_without_refcounts

UNIT = 2.0**48
FAR = 2.0**3  # of a factor from 1
ALL, HAS = range(2)  # of sums
LANES = 4  # floats that are added at a time: A has columns of zeros up to a multiple of it
LINE = 64  # bytes that a core fetches at once


def in_units(sample_weight: np.ndarray) -> np.ndarray:
    """Weights above 0 as multiples of the lightest: c times as large, they are the same.

    Integers of which one is 1 stay as they are, and so mean repeated rows. What is lighter than
    1/UNIT of the heaviest counts as that. Multiples are rounded to single precision: the rounding
    of c·w then gives no others.
    """
    shares = np.maximum(sample_weight / sample_weight.max(), 1.0 / UNIT)
    return (shares / shares.min()).astype(np.float32).astype(np.float64)


def initial(positive: tuple, K: int, sample_weight: np.ndarray, shared: bool) -> np.ndarray:
    """Half of each row's weight on its labels, half on the others; or 1/K on each of all."""
    starts, labels = positive
    n, each = len(starts) - 1, np.diff(starts)
    w = np.full((n, K), 1.0 / K)
    if shared:
        halved = (each > 0) & (each < K)
        w[halved] = 0.5 / (K - each[halved, None])
        rows = np.repeat(np.arange(n), each)
        of_row = np.where(halved, 0.5 / np.maximum(each, 1), 1.0 / K)
        w[rows, labels] = of_row[rows]
    return w * (sample_weight / sample_weight.sum())[:, None]


def in_line(*shape: int) -> np.ndarray:
    """Zeros that begin where a line of the cache does: then no four numbers lie in two lines."""
    room = np.zeros(math.prod(shape) + LINE // 8)
    begin = -room.ctypes.data % LINE // 8
    return room[begin : begin + math.prod(shape)].reshape(shape)


def integers(w: np.ndarray) -> np.ndarray:
    """A at the start."""
    n, K = w.shape
    A = in_line(n, -(-K // LANES) * LANES)
    A[:, :K] = np.where(w > 0, np.maximum(np.rint(w * UNIT), 1), 0)
    return A


class Weights:
    """A and all that belongs to it."""

    def __init__(self, A: np.ndarray, positive: tuple, K: int) -> None:
        self.A, self.K = A, K
        K = A.shape[1]
        self.plus, self.minus = np.ones((2, K))
        self.positive = positive
        self.single = bool((np.diff(positive[0]) == 1).all())
        self.sums, self.before = np.zeros((2, K)), np.zeros(K)
        add_up(self.sums, self.model())

    def copy(self) -> "Weights":
        A = in_line(*self.A.shape)
        A[:] = self.A
        other = Weights(A, self.positive, self.K)
        other.plus[:], other.minus[:] = self.plus, self.minus
        return other

    def model(self) -> tuple:
        return (
            self.A, self.plus, self.minus, *self.positive, self.single, self.sums, self.before
        )  # fmt: skip

    def values(self) -> np.ndarray:
        """The weights, (n, K)."""
        w = self.A * (self.minus / UNIT)
        starts, labels = self.positive
        rows = np.repeat(np.arange(len(self.A)), np.diff(starts))
        w[rows, labels] = self.A[rows, labels] * (self.plus / UNIT)[labels]
        return w[:, : self.K]


@kernel_without_refcounts
def add_up(sums, weights):
    """Make the sums of all rows."""
    for i in range(len(weights[0])):
        add_row(i, 1, sums, weights)


@kernel_without_refcounts
def add_row(i, times, sums, weights):
    """Add the A of a row, some times, to sums."""
    A, starts, labels, single = weights[0], weights[3], weights[4], weights[5]
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
def reweigh_row(i, more, less, weights):
    """Multiply w_il by more[l] if row i has label l, else by less[l]; 1 leaves it as it is."""
    A, plus, minus, starts, labels, single, sums, before = weights
    for a in range(starts[i], starts[i + 1]):
        before[labels[a]] = A[i, labels[a]]
    for l in range(A.shape[1]):  # noqa: E741
        was = A[i, l]
        A[i, l] = scaled(was, less[l])
        sums[ALL, l] += A[i, l] - was
    for a in range(starts[i], starts[i + 1]):
        l = labels[a]  # noqa: E741
        now = scaled(before[l], more[l])
        sums[ALL, l] += now - A[i, l]
        sums[HAS, l] += now - before[l]
        A[i, l] = now


@kernel_without_refcounts
def reweigh_signed(psi, more, less, weights):
    """Reweigh the rows with ψ = -1, and make it 1."""
    for i in range(len(psi)):
        if psi[i] < 0:
            reweigh_row(i, more, less, weights)
            psi[i] = 1


@kernel_without_refcounts
def reweigh_leaves(at, more, less, weights):
    """Reweigh the rows of each leaf but 0, and put them there."""
    for i in range(len(at)):
        if at[i] != 0:
            reweigh_row(i, more[at[i]], less[at[i]], weights)
            at[i] = 0


@kernel_without_refcounts
def multiply_out(plus, minus, weights):
    """Multiply factors into all A."""
    for i in range(len(weights[0])):
        reweigh_row(i, plus, minus, weights)


@kernel_without_refcounts
def reset(of_rows, value):
    """The same sign or leaf for all rows."""
    for i in range(len(of_rows)):
        of_rows[i] = value


@kernel_without_refcounts
def mass(sums, weights):
    """Σ w over the rows of these sums, times UNIT."""
    plus, minus = weights[1], weights[2]
    total = 0.0
    for l in range(len(plus)):  # noqa: E741
        total += plus[l] * sums[HAS, l] + minus[l] * (sums[ALL, l] - sums[HAS, l])
    return total


@kernel_without_refcounts
def rescale(weights):
    """Multiply the factors into A if one of them has gone far."""
    plus, minus = weights[1], weights[2]
    far = False
    for l in range(len(plus)):  # noqa: E741
        far |= not (1.0 / FAR < plus[l] < FAR and 1.0 / FAR < minus[l] < FAR)
    if not far:
        return
    multiply_out(plus, minus, weights)
    for l in range(len(plus)):  # noqa: E741
        plus[l] = minus[l] = 1.0
