"""The weights w_il of AdaBoost.MH, as integers, so that no sum depends on its order.

    w_il = A_il · plus_l / UNIT   if row i has label l,   A_il · minus_l / UNIT   if not

with integers A ≥ 1 (0 where the weight of the row is 0). A base classifier says the same about most
rows, on most of which A then need not be touched: the factors plus and minus take it up. When they
have gone far they are multiplied into A.

    all_   (K,)  Σ_i A_il          positive (starts, labels): the labels of row i are
    has    (K,)  Σ_i A_il over rows that have label l         labels[starts[i] … starts[i+1]-1]
"""

import numpy as np

from onearm.kernels import lean_kernel

UNIT = 2.0**54
LARGEST_SUM = 2**61
FAR = 2.0**6  # of a factor from 1


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


class Weights:
    """A and all that belongs to it."""

    def __init__(self, w: np.ndarray, positive: tuple) -> None:
        K = w.shape[1]
        self.A = np.where(w > 0, np.maximum(np.rint(w * UNIT), 1), 0).astype(np.int64)
        self.plus, self.minus = np.ones(K), np.ones(K)
        self.positive = positive
        self.all_, self.has = np.zeros(K, np.int64), np.zeros(K, np.int64)
        add_up(self.A, *positive, self.all_, self.has)

    def model(self) -> tuple:
        return self.A, self.plus, self.minus, *self.positive, self.all_, self.has

    def values(self) -> np.ndarray:
        """The weights, (n, K)."""
        w = self.A * (self.minus / UNIT)
        starts, labels = self.positive
        rows = np.repeat(np.arange(len(self.A)), np.diff(starts))
        w[rows, labels] = self.A[rows, labels] * (self.plus / UNIT)[labels]
        return w


@lean_kernel
def add_up(A, starts, labels, all_, has):
    """Make the sums anew."""
    n, K = A.shape
    for l in range(K):  # noqa: E741 the paper's letter for a label
        all_[l] = has[l] = 0
    for i in range(n):
        for l in range(K):  # noqa: E741
            all_[l] += A[i, l]
        for a in range(starts[i], starts[i + 1]):
            has[labels[a]] += A[i, labels[a]]


@lean_kernel
def scaled(a, factor):
    """a·factor, rounded; no weight becomes 0."""
    return max(1, int(np.rint(a * factor))) if a > 0 else 0


@lean_kernel
def reweigh_row(i, more, less, weights):
    """Multiply w_il by more[l] if row i has label l, else by less[l]; 1 leaves it as it is."""
    A, plus, minus, starts, labels, all_, has = weights
    a, end = starts[i], starts[i + 1]
    for l in range(A.shape[1]):  # noqa: E741
        mine = a < end and labels[a] == l
        a += mine
        factor = more[l] if mine else less[l]
        if factor != 1.0:
            before = A[i, l]
            A[i, l] = scaled(before, factor)
            all_[l] += A[i, l] - before
            if mine:
                has[l] += A[i, l] - before


@lean_kernel
def mass(weights):
    """Σ w, times UNIT."""
    A, plus, minus, starts, labels, all_, has = weights
    total = 0.0
    for l in range(len(plus)):  # noqa: E741
        total += plus[l] * has[l] + minus[l] * (all_[l] - has[l])
    return total


@lean_kernel
def rescale(weights):
    """Multiply the factors into A if one of them has gone far, or a sum has become large."""
    A, plus, minus, starts, labels, all_, has = weights
    far = False
    for l in range(len(plus)):  # noqa: E741
        far |= not (1.0 / FAR < plus[l] < FAR and 1.0 / FAR < minus[l] < FAR)
        far |= all_[l] > LARGEST_SUM
    if not far:
        return
    for i in range(len(A)):
        a, end = starts[i], starts[i + 1]
        for l in range(A.shape[1]):  # noqa: E741
            mine = a < end and labels[a] == l
            a += mine
            A[i, l] = scaled(A[i, l], plus[l] if mine else minus[l])
    for l in range(len(plus)):  # noqa: E741
        plus[l] = minus[l] = 1.0
    add_up(A, starts, labels, all_, has)
