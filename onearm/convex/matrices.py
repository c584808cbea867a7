"""Convex sets of matrices."""

from math import isqrt

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse.linalg import ArpackError, svds

from onearm.convex.arguments import MOST, integer, radius_of
from onearm.convex.convex_set import Set
from onearm.convex.sets import onto_simplex

SMALL = 64  # matrices up to this side are decomposed whole


class NuclearBall(Set):
    """m × n matrices whose singular values add up to at most radius."""

    def __init__(self, m: int, n: int, radius: float = 1.0) -> None:
        self.radius = radius = radius_of(radius)
        m = integer("m", m, 1)
        n = integer("n", n, 1, MOST // m)
        inner, width = radius / min(m, n) ** 0.5, 2 * radius * (m * n) ** 0.5
        super().__init__(np.zeros((m, n)), m * n, inner, 2 * radius, width)

    def _minimise(self, v: np.ndarray) -> np.ndarray:
        left, right = leading(v)
        return -self.radius * np.outer(left, right)

    def _project(self, x: np.ndarray) -> np.ndarray:
        U, s, Vt = np.linalg.svd(x, full_matrices=False)
        if s.sum() <= self.radius:
            return x.copy()
        return (U * onto_simplex(s, self.radius)) @ Vt

    def _contains(self, x: np.ndarray, slack: float) -> bool:
        return bool(np.linalg.svd(x, compute_uv=False).sum() <= self.radius + slack)


class Spectrahedron(Set):
    """Symmetric n × n matrices with eigenvalues ≥ 0 that add up to radius."""

    def __init__(self, n: int, radius: float = 1.0) -> None:
        self.radius = radius = radius_of(radius)
        n = integer("n", n, 2, isqrt(MOST))
        centre, inner = np.eye(n) * (radius / n), radius / (n * (n - 1)) ** 0.5
        super().__init__(centre, n * (n + 1) // 2 - 1, inner, 2**0.5 * radius, 2 * n * radius)

    def _minimise(self, v: np.ndarray) -> np.ndarray:
        q = np.linalg.eigh(symmetric(v))[1][:, 0]
        return self.radius * np.outer(q, q)

    def _project(self, x: np.ndarray) -> np.ndarray:
        values, Q = np.linalg.eigh(symmetric(x))
        return (Q * onto_simplex(values, self.radius)) @ Q.T

    def _contains(self, x: np.ndarray, slack: float) -> bool:
        values = np.linalg.eigvalsh(symmetric(x))
        same = np.abs(x - x.T).max() <= slack
        return bool(same and values[0] >= -slack and abs(values.sum() - self.radius) <= slack)

    def _tangent(self, z: np.ndarray) -> np.ndarray:
        z = symmetric(z)
        return z - np.eye(len(z)) * (np.trace(z) / len(z))


class Permutations(Set):
    """Doubly stochastic n × n matrices: mixtures of permutations."""

    def __init__(self, n: int) -> None:
        n = integer("n", n, 2, isqrt(MOST))
        super().__init__(np.full((n, n), 1 / n), (n - 1) ** 2, 1 / n, (2 * n) ** 0.5, 2.0 * n)

    def _minimise(self, v: np.ndarray) -> np.ndarray:
        x = np.zeros_like(v)
        x[linear_sum_assignment(v)] = 1.0
        return x

    def _contains(self, x: np.ndarray, slack: float) -> bool:
        sums = np.append(x.sum(axis=0), x.sum(axis=1))
        return bool((x >= -slack).all() and np.abs(sums - 1).max() <= slack)

    def _tangent(self, z: np.ndarray) -> np.ndarray:
        return z - z.mean(axis=0) - z.mean(axis=1)[:, None] + z.mean()


def symmetric(x: np.ndarray) -> np.ndarray:
    return (x + x.T) / 2


def leading(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The singular vectors of the largest singular value, left and right."""
    if min(v.shape) > SMALL:
        try:
            U, _, Vt = svds(v, k=1, v0=np.cos(np.arange(min(v.shape))))
            return U[:, 0], Vt[0]
        except ArpackError:  # v is 0, or it did not converge
            pass
    U, _, Vt = np.linalg.svd(v, full_matrices=False)
    return U[:, 0], Vt[0]
