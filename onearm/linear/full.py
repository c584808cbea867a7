"""Full matrices: a rank-one change of an inverse at a time.

The inverse of a (d·k × d·k) matrix is stored as (d, k, d, k), so that its two sides are indexed
like the weights. Writing c·(u_i·u_j) keeps it symmetric to the bit. It stays positive definite
since no direction may fall below 10⁻¹² of the trace, where rounding would take over: with features
of very unlike scale the last digits of certainty are given up. Nor may it fall by more than 10¹⁰ at
once: a row so long that it would has less weight.
"""

from typing import Any

import numpy as np

from onearm.core.kernels import kernel
from onearm.core.state import FINITE, state
from onearm.core.vectors import entry, size

FLOOR, STEEPEST = 1e-12, 1e10
WAY_OUT = "use diagonal=True, fewer features or classes, or set onearm.max_bytes"


@kernel
def times(A, v, x):
    """A·(x vᵀ), for symmetric A."""
    d, k = A.shape[0], A.shape[1]
    u = np.zeros((d, k))
    for i in range(size(x)):
        j, value = entry(x, i)
        for r in range(k):
            if v[r] != 0.0:
                a, line = value * v[r], A[j, r]
                for j2 in range(d):
                    for r2 in range(k):
                        u[j2, r2] += a * line[j2, r2]
    return u


@kernel
def inner(v, x, U):
    """⟨x vᵀ, U⟩."""
    total = 0.0
    for i in range(size(x)):
        j, value = entry(x, i)
        for r in range(len(v)):
            total += value * v[r] * U[j, r]
    return total


@kernel
def trace(A):
    """The trace of a (d, k, d, k) matrix."""
    total = 0.0
    for j in range(A.shape[0]):
        for r in range(A.shape[1]):
            total += A[j, r, j, r]
    return total


@kernel
def weight_of(q):
    """The weight of a rank-one change z zᵀ with q = zᵀA z: less than 1 if q is too large."""
    return 1.0 if q <= STEEPEST else STEEPEST / q


@kernel
def fall(usual, q, total, sqnorm):
    """The c of A -= c·u uᵀ for u = A z: `usual`, or less where q = zᵀA z would become too small.

    `total` is the trace of A and `sqnorm` is ‖z‖².
    """
    least = FLOOR * total * sqnorm
    return min(usual, (q - least) / q / q) if q > least else 0.0


@kernel
def lower(A, u, c):
    """A -= c·u uᵀ."""
    n = u.size
    flat, v = A.reshape(n, n), u.reshape(n)
    for i in range(n):
        for j in range(n):
            flat[i, j] -= c * (v[i] * v[j])


def diagonal_or_inverse() -> Any:
    """Return a field: the diagonal of a matrix as (d, k), or its inverse as (d, k, d, k)."""
    return state(_shape, range=positive_diagonal)


def _shape(learner: Any) -> tuple[int, ...]:
    shape = learner.n_features, learner.n_classes
    return shape if learner.diagonal else shape + shape


def positive_diagonal(learner: Any) -> str:
    """Return the range of a diagonal, or of a whole matrix."""
    return "[1e-30, inf)" if learner.diagonal else FINITE


def require_inverse(name: str, A: np.ndarray, most: float) -> None:
    """Refuse (n, n) matrices that are no inverses which have been lowered from most·I."""
    diagonal = np.einsum("...ii->...i", A)
    if not ((diagonal > 0.0) & (diagonal <= most * (1.0 + 1e-9))).all():
        raise ValueError(f"saved array {name} must have a diagonal in (0, {most:g}]")
    if not np.array_equal(A, A.swapaxes(-1, -2)):
        raise ValueError(f"saved array {name} must be symmetric")
    length = np.sqrt(diagonal)
    if (abs(A) > 1.001 * length[..., None] * length[..., None, :]).any():
        raise ValueError(f"saved array {name} must be positive definite")


def set_identity(A: np.ndarray, scale: float) -> None:
    """Make a (d, k, d, k) matrix of zeros scale·I."""
    n = A.shape[0] * A.shape[1]
    np.fill_diagonal(A.reshape(n, n), scale)
