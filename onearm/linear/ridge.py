"""A ridge regression per class, with how sure it is: what Confidit, LinUCB and LinTS share.

Class r keeps A_r = λI + Σ x xᵀ and w_r = A_r⁻¹ Σ target·x over the rounds that taught it. Seen of
an x are the means w_r·x in row 0 and the squared widths xᵀA_r⁻¹x in row 1.

With full matrices A holds the inverses, (k, d, d); the diagonal version keeps the diagonals of the
A_r themselves, (d, k). Numba prunes the other branch at compile time by `A.ndim`.
"""

from typing import Any

import numpy as np

from onearm.core.kernels import kernel
from onearm.core.parameters import flag, real
from onearm.core.state import state
from onearm.core.vectors import entry, size, sqnorm
from onearm.linear.full import fall, positive_diagonal, require_inverse, weight_of


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
    d, total = len(W), 0.0
    u = np.zeros(d)
    for i in range(size(x)):
        j, v = entry(x, i)
        for j2 in range(d):
            u[j2] += v * A[j, j2]
    for j in range(d):
        total += A[j, j]
    w = weight_of(q)
    c = fall(w / (1.0 + w * q), q, total, sqnorm(x))
    move = target * (1.0 - c * q) - c * mean  # (target - mean)/(1+q), with the usual c
    if w < 1.0:
        move = c * (target - mean)
    if c == 0.0:
        return
    for j in range(d):
        W[j, r] += u[j] * move
        for j2 in range(d):
            A[j, j2] -= c * (u[j] * u[j2])


def matrices() -> Any:
    """Return a field: the diagonals of the A_r as (d, k), or their inverses as (k, d, d)."""
    return state(_shape, range=positive_diagonal)


def _shape(learner: Any) -> tuple[int, ...]:
    k, d = learner.n_classes, learner.n_features
    return (d, k) if learner.diagonal else (k, d, d)


def regularise(A: np.ndarray, lam: float) -> None:
    """Set the A_r to λI."""
    if A.ndim == 2:
        A[...] = lam
    else:
        d = A.shape[1]
        A[:, range(d), range(d)] = 1.0 / lam


def require_ridge(learner: Any, saved: dict[str, np.ndarray], lam: float) -> None:
    """Refuse saved inverses that cannot have come from λI."""
    if not learner.diagonal:
        require_inverse("second_order", saved["second_order"], 1.0 / lam)


def diagonal_field() -> Any:
    """Return the field for the diagonal version."""
    return flag(False, fixed=True, doc="Keep only the diagonals of the A_r: d·k numbers, not d²·k.")


def lam_field() -> Any:
    """Return the field for λ."""
    return real(1.0, "[1e-12, 1e12]", fixed=True, doc="Regulariser λ.")
