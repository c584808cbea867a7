"""Convex sets to decide in: where a linear function is least, what is nearest, how large they are.

A point is an array of the set's `shape`. Every set has

    minimise(v)   a point where ⟨v, x⟩ is least
    project(x)    the nearest point, where that is cheap
    centre        a point inside; `inner` the radius of a ball around it within the affine hull
    n             the dimension of that hull
    diameter      the largest distance of two points; `width` the largest in the 1-norm (or a bound)
    direction(z)  of a normal z: a unit vector along the hull
    shrunk(xi)    the set drawn towards its centre by the factor 1-ξ
"""

from typing import Any

import numpy as np


class Set:
    """What all sets have."""

    centre: np.ndarray
    inner: float
    n: int
    diameter: float
    width: float

    @property
    def shape(self) -> tuple[int, ...]:
        return self.centre.shape

    def minimise(self, v: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def project(self, x: np.ndarray) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} has no cheap projection")

    def contains(self, x: np.ndarray, slack: float = 1e-9) -> bool:
        raise NotImplementedError

    def tangent(self, z: np.ndarray) -> np.ndarray:
        """The part of z that does not lead out of the affine hull."""
        return z

    def direction(self, z: np.ndarray) -> np.ndarray:
        along = self.tangent(z)
        return along / np.linalg.norm(along)

    def shrunk(self, xi: float) -> "Set":
        if not 0 <= xi < 1:
            raise ValueError(f"xi must be in [0, 1), got {xi!r}")
        return Shrunk(self, xi)


class Shrunk(Set):
    """c + (1-ξ)(K - c)."""

    def __init__(self, whole: Set, xi: float) -> None:
        self.whole, self.scale = whole, 1.0 - xi
        self.centre, self.n = whole.centre, whole.n
        self.inner, self.diameter = self.scale * whole.inner, self.scale * whole.diameter
        self.width = self.scale * whole.width

    def minimise(self, v: np.ndarray) -> np.ndarray:
        return self._draw_in(self.whole.minimise(v))

    def project(self, x: np.ndarray) -> np.ndarray:
        return self._draw_in(self.whole.project(self._draw_out(x)))

    def contains(self, x: np.ndarray, slack: float = 1e-9) -> bool:
        return self.whole.contains(self._draw_out(x), slack)

    def tangent(self, z: np.ndarray) -> np.ndarray:
        return self.whole.tangent(z)

    def _draw_in(self, x: np.ndarray) -> np.ndarray:
        return self.centre + self.scale * (x - self.centre)

    def _draw_out(self, x: np.ndarray) -> np.ndarray:
        return self.centre + (x - self.centre) / self.scale


class Ball(Set):
    """‖x‖₂ ≤ radius."""

    def __init__(self, d: int, radius: float = 1.0) -> None:
        self.radius = positive("radius", radius)
        self.centre, self.n = np.zeros(d), d
        self.inner, self.diameter, self.width = radius, 2 * radius, 2 * radius * d**0.5

    def minimise(self, v: np.ndarray) -> np.ndarray:
        norm = np.linalg.norm(v)
        return -self.radius / norm * v if norm > 0 else np.zeros_like(v)

    def project(self, x: np.ndarray) -> np.ndarray:
        norm = np.linalg.norm(x)
        return x * (self.radius / norm) if norm > self.radius else x.copy()

    def contains(self, x: np.ndarray, slack: float = 1e-9) -> bool:
        return bool(np.linalg.norm(x) <= self.radius + slack)


class Box(Set):
    """low ≤ x ≤ high, coordinate by coordinate."""

    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
        sides = self.high - self.low
        if not (sides > 0).all():
            raise ValueError(f"low must be below high everywhere, got {low!r} and {high!r}")
        self.centre, self.n = (self.low + self.high) / 2, sides.size
        self.inner, self.diameter = sides.min() / 2, float(np.linalg.norm(sides))
        self.width = sides.sum()

    def minimise(self, v: np.ndarray) -> np.ndarray:
        return np.where(v > 0, self.low, self.high)

    def project(self, x: np.ndarray) -> np.ndarray:
        return np.clip(x, self.low, self.high)

    def contains(self, x: np.ndarray, slack: float = 1e-9) -> bool:
        return bool((x >= self.low - slack).all() and (x <= self.high + slack).all())


class Simplex(Set):
    """x ≥ 0, Σ x = 1."""

    def __init__(self, d: int) -> None:
        if d < 2:
            raise ValueError(f"d must be at least 2, got {d!r}")
        self.centre, self.n = np.full(d, 1 / d), d - 1
        self.inner, self.diameter, self.width = (d * (d - 1)) ** -0.5, 2**0.5, 2.0

    def minimise(self, v: np.ndarray) -> np.ndarray:
        return one_at(v.argmin(), v.shape)

    def project(self, x: np.ndarray) -> np.ndarray:
        return onto_simplex(x, 1.0)

    def contains(self, x: np.ndarray, slack: float = 1e-9) -> bool:
        return bool((x >= -slack).all() and abs(x.sum() - 1) <= slack)

    def tangent(self, z: np.ndarray) -> np.ndarray:
        return z - z.mean()


class L1Ball(Set):
    """‖x‖₁ ≤ radius."""

    def __init__(self, d: int, radius: float = 1.0) -> None:
        self.radius = positive("radius", radius)
        self.centre, self.n = np.zeros(d), d
        self.inner, self.diameter, self.width = radius / d**0.5, 2 * radius, 2 * radius

    def minimise(self, v: np.ndarray) -> np.ndarray:
        j = np.abs(v).argmax()
        return -self.radius * np.sign(v[j]) * one_at(j, v.shape)

    def project(self, x: np.ndarray) -> np.ndarray:
        if np.abs(x).sum() <= self.radius:
            return x.copy()
        return np.sign(x) * onto_simplex(np.abs(x), self.radius)

    def contains(self, x: np.ndarray, slack: float = 1e-9) -> bool:
        return bool(np.abs(x).sum() <= self.radius + slack)


def onto_simplex(x: np.ndarray, total: float) -> np.ndarray:
    """The nearest point with coordinates ≥ 0 that add up to total."""
    u = np.sort(x)[::-1]
    excess = (np.cumsum(u) - total) / np.arange(1, len(u) + 1)
    return np.maximum(x - excess[np.flatnonzero(u > excess)[-1]], 0.0)


def one_at(j: Any, shape: tuple[int, ...]) -> np.ndarray:
    x = np.zeros(shape)
    x[j] = 1.0
    return x


def positive(name: str, value: float) -> float:
    if not value > 0:
        raise ValueError(f"{name} must be above 0, got {value!r}")
    return value
