"""Convex sets of vectors: balls, boxes, the simplex."""

from typing import Any

import numpy as np

from onearm.convex.arguments import STEEPEST, finite, integer, moderate, norm, radius_of, real_array
from onearm.convex.convex_set import Set

FAR = 2.0**20  # coordinates of a point that is projected, over the sum that they are to have


class Ball(Set):
    """‖x‖₂ ≤ radius."""

    def __init__(self, d: int, radius: float = 1.0) -> None:
        self.radius = radius = radius_of(radius)
        d = integer("d", d, 1)
        super().__init__(np.zeros(d), d, radius, 2 * radius, 2 * radius * d**0.5)

    def _minimise(self, v: np.ndarray) -> np.ndarray:
        length = np.linalg.norm(v)
        return -self.radius / length * v if length > 0 else np.zeros_like(v)

    def _project(self, x: np.ndarray) -> np.ndarray:
        if norm(x) <= self.radius:
            return x.copy()
        x = moderate(x)
        return x * (self.radius / np.linalg.norm(x))

    def _contains(self, x: np.ndarray, slack: float) -> bool:
        return norm(x) <= self.radius + slack


class Box(Set):
    """low ≤ x ≤ high, coordinate by coordinate."""

    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = _bounds(low, high)
        centre, sides = (self.low + self.high) / 2, self.high - self.low
        diameter = float(np.linalg.norm(sides))
        super().__init__(centre, sides.size, sides.min() / 2, diameter, sides.sum())

    def _minimise(self, v: np.ndarray) -> np.ndarray:
        return np.where(v > 0, self.low, self.high)

    def _project(self, x: np.ndarray) -> np.ndarray:
        return np.clip(x, self.low, self.high)

    def _contains(self, x: np.ndarray, slack: float) -> bool:
        return bool((x >= self.low - slack).all() and (x <= self.high + slack).all())


class Simplex(Set):
    """x ≥ 0, Σ x = 1."""

    def __init__(self, d: int) -> None:
        d = integer("d", d, 2)
        super().__init__(np.full(d, 1 / d), d - 1, (d * (d - 1)) ** -0.5, 2**0.5, 2.0)

    def _minimise(self, v: np.ndarray) -> np.ndarray:
        return one_at(v.argmin(), v.shape)

    def _project(self, x: np.ndarray) -> np.ndarray:
        return onto_simplex(x, 1.0)

    def _contains(self, x: np.ndarray, slack: float) -> bool:
        return bool((x >= -slack).all() and abs(x.sum() - 1) <= slack)

    def _tangent(self, z: np.ndarray) -> np.ndarray:
        return z - z.mean()


class L1Ball(Set):
    """‖x‖₁ ≤ radius."""

    def __init__(self, d: int, radius: float = 1.0) -> None:
        self.radius = radius = radius_of(radius)
        d = integer("d", d, 1)
        super().__init__(np.zeros(d), d, radius / d**0.5, 2 * radius, 2 * radius)

    def _minimise(self, v: np.ndarray) -> np.ndarray:
        j = np.abs(v).argmax()
        return -self.radius * np.sign(v[j]) * one_at(j, v.shape)

    def _project(self, x: np.ndarray) -> np.ndarray:
        if np.abs(x).sum() <= self.radius:
            return x.copy()
        return np.sign(x) * onto_simplex(np.abs(x), self.radius)

    def _contains(self, x: np.ndarray, slack: float) -> bool:
        return bool(np.abs(x).sum() <= self.radius + slack)


def onto_simplex(x: np.ndarray, total: float) -> np.ndarray:
    """The nearest point with coordinates ≥ 0 that add up to total."""
    if np.abs(x).max() > FAR * total:  # it would swallow the total: only differences count
        x = np.maximum(x - x.max(), -total)
    u = np.sort(x)[::-1]
    excess = (np.cumsum(u) - total) / np.arange(1, len(u) + 1)
    return np.maximum(x - excess[np.flatnonzero(u > excess)[-1]], 0.0)


def one_at(j: Any, shape: tuple[int, ...]) -> np.ndarray:
    x = np.zeros(shape)
    x[j] = 1.0
    return x


def _bounds(low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
    """The bounds of a box, in one shape."""
    low, high = real_array("low", low), real_array("high", high)
    try:
        ends = np.broadcast_arrays(low, high)
    except ValueError:
        got = f"got {low.shape} and {high.shape}"
        raise ValueError(f"low and high must have shapes that fit, {got}") from None
    integer("the number of coordinates of low and high", ends[0].size, 1)
    low = finite("low", ends[0], ends[0].shape, STEEPEST).copy()
    high = finite("high", ends[1], low.shape, STEEPEST).copy()
    if not (low < high).all():
        at = tuple(np.argwhere(~(low < high))[0])
        raise ValueError(f"low must be below high everywhere, got {low[at]} and {high[at]}")
    return low, high
