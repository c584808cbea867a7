"""A ridge regression per class, with how sure it is: what Confidit, LinUCB and LinTS share.

Class r keeps A_r = λI + Σ x xᵀ and w_r = A_r⁻¹ Σ target·x over the rounds that taught it. Seen of
an x are the means w_r·x in row 0 and the squared widths xᵀA_r⁻¹x in row 1.

A holds the inverses, (k, d, d), or in the diagonal version the diagonals of the A_r, (d, k).
"""

import numpy as np

from onearm.core.kernels import kernel
from onearm.core.vectors import entry, size, sqnorm
from onearm.linear.second_order import fall, lower


@kernel
def look(x, W, A, *model):
    k = W.shape[1]
    seen = np.zeros((2, k))
    for i in range(size(x)):
        j, v = entry(x, i)
        for r in range(k):
            seen[0, r] += v * W[j, r]
            if A.ndim == 2:
                seen[1, r] += v * v / A[j, r]
    if A.ndim == 3:
        for r in range(k):
            seen[1, r] = max(0.0, _form(x, A[r]))  # rounding may pass 0 for very large x
    return seen


@kernel
def _form(x, A):
    """xᵀ A x for symmetric A."""
    total = 0.0
    for i in range(size(x)):
        j, v = entry(x, i)
        line, across = A[j], 0.0
        for i2 in range(i):
            j2, v2 = entry(x, i2)
            across += v2 * line[j2]
        total += v * (2.0 * across + v * line[j])
    return total


@kernel
def means(seen, *model):
    return seen[0]


@kernel
def update(x, seen, label, greedy, propensity, reward, truth, rng, W, A, *model):
    """The chosen label learns its reward."""
    regress(x, seen, label, reward, W, A)


@kernel
def regress(x, seen, r, target, W, A):
    """Class r learns that its target for x is `target`."""
    if A.ndim == 2:
        for i in range(size(x)):
            j, v = entry(x, i)
            before = A[j, r]
            A[j, r] += v * v
            W[j, r] = (W[j, r] * before + target * v) / A[j, r]
    else:
        _sherman_morrison(x, seen[0, r], seen[1, r], target, r, W, A[r])


@kernel
def _sherman_morrison(x, mean, q, target, r, W, A):
    """A -= c·u uᵀ with u = A x, and w_r = A·Σ target·x with the new A."""
    u = np.zeros(len(W))
    for i in range(size(x)):
        j, v = entry(x, i)
        for j2 in range(len(u)):
            u[j2] += v * A[j, j2]
    w, c = fall(1.0, q, A, u, sqnorm(x))
    if c == 0.0:
        return
    move = target * (1.0 - c * q) - c * mean  # (target - mean)/(1+q), with the usual c
    if w < 1.0:
        move = c * (target - mean)
    for j in range(len(u)):
        W[j, r] += u[j] * move
    lower(A, u, c)
