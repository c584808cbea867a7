"""A matrix A, or one for each label: its inverse, changed by rank one at a time, or its diagonal.

The inverse of a (d·k × d·k) matrix is stored as (d, k, d, k), so that its two sides are indexed
like the weights. Writing c·(u_i·u_j) keeps it symmetric to the bit. It stays positive definite
since no direction may fall below 10⁻¹² of the trace, where rounding would take over: with features
of very unlike scale the last digits of certainty are given up. Nor may it fall by more than 10¹⁰ at
once: a row so long that it would has less weight.

The diagonal version has the diagonal of A itself, (d, k). Numba prunes the other branch of a kernel
at compile time by `A.ndim`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from onearm.core.learner import Learner, kernel, state
from onearm.core.state import FINITE, copy_into_corner
from onearm.core.vectors import entry, size

FLOOR, STEEPEST = 1e-12, 1e10


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
def fall(weight, q, A, u, sqnorm):
    """(w, c): the weight of a change z zᵀ, and the c of A -= c·u uᵀ for u = A z.

    w is `weight`, or less if q = zᵀA z is too large; c is w/(1 + w·q), or less where q would become
    too small. `sqnorm` is ‖z‖².
    """
    w = weight if weight * q <= STEEPEST else weight * (STEEPEST / (weight * q))
    flat, trace = A.reshape(u.size, u.size), 0.0
    for i in range(u.size):
        trace += flat[i, i]
    least = FLOOR * trace * sqnorm
    return w, min(w / (1.0 + w * q), (q - least) / q / q) if q > least else 0.0


@kernel
def lower(A, u, c):
    """A -= c·u uᵀ."""
    n = u.size
    flat, v = A.reshape(n, n), u.reshape(n)
    for i in range(n):
        for j in range(n):
            flat[i, j] -= c * (v[i] * v[j])


def _shape(learner: Any) -> tuple[int, ...]:
    d, k = learner.n_features, learner.n_classes
    if learner.diagonal:
        return d, k
    return (k, d, d) if learner.per_label else (d, k, d, k)


def _range(learner: Any) -> str:
    return "[1e-30, inf)" if learner.diagonal else FINITE


def _inverses(A: np.ndarray) -> np.ndarray:
    n = A.shape[2] if A.ndim == 3 else A.shape[0] * A.shape[1]
    return A.reshape(-1, n, n)


@dataclass
class SecondOrder(Learner):
    """A learner with weights and a matrix A that starts as λI, or one for each label."""

    weights: np.ndarray = state("n_features", "n_classes")
    second_order: np.ndarray = state(_shape, range=_range, grow=copy_into_corner)

    per_label: ClassVar[bool] = False  # (k, d, d) in place of (d, k, d, k)
    way_out = "use diagonal=True, fewer features or classes, or set onearm.max_bytes"

    def scale(self) -> tuple[float, float]:
        """Return λ and 1/λ."""
        raise NotImplementedError

    def start(self) -> None:
        super().start()
        lam, inverse = self.scale()
        if self.second_order.ndim == 2:
            self.second_order[...] = lam
        else:
            for A in _inverses(self.second_order):
                np.fill_diagonal(A, inverse)

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        if saved["second_order"].ndim == 2:
            return
        A, most = _inverses(saved["second_order"]), self.scale()[1]
        diagonal = np.einsum("...ii->...i", A)
        if not ((diagonal > 0.0) & (diagonal <= most * (1.0 + 1e-9))).all():
            raise ValueError(f"saved array second_order must have a diagonal in (0, {most:g}]")
        if not np.array_equal(A, A.swapaxes(-1, -2)):
            raise ValueError("saved array second_order must be symmetric")
        length = np.sqrt(diagonal)
        if (abs(A) > 1.001 * length[..., None] * length[..., None, :]).any():
            raise ValueError("saved array second_order must be positive definite")
