"""Full matrices: a rank-one change of an inverse at a time, and a refusal when they cannot fit.

The inverse of a (d·k × d·k) matrix is stored as (d, k, d, k), so that its two sides are indexed
like the weights. Writing c·(u_i·u_j) keeps it symmetric to the bit. It stays positive definite
since no direction may fall below 10⁻¹² of the trace, where rounding would take over: with features
of very unlike scale the last digits of certainty are given up.
"""

import os
from typing import Any

import numpy as np

from onearm.kernels import kernel
from onearm.vectors import entry, size

FLOOR = 1e-12


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


def identity(d: int, k: int, scale: float) -> np.ndarray:
    """Return scale·I as a (d, k, d, k) matrix."""
    A = np.zeros((d, k, d, k))
    np.fill_diagonal(A.reshape(d * k, d * k), scale)
    return A


def check_room(learner: Any, n_numbers: int) -> None:
    """Refuse full matrices that would not fit into half of this machine's memory."""
    need, have = 8 * n_numbers, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if need > have // 2:
        raise ValueError(
            f"{type(learner).__name__} with diagonal=False and n_classes={learner.n_classes}, "
            f"n_features={learner.n_features} needs {need / 2**30:.1f} GiB, more than half of the "
            f"{have / 2**30:.1f} GiB here: use {type(learner).__name__}(..., diagonal=True)"
        )
