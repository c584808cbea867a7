"""A convex set to decide in: where a linear function is least, what is nearest, how large it is.

A point is an array of the set's `shape`. Every set has

    minimise(v)   a point where ⟨v, x⟩ is least
    project(x)    the nearest point, where that is cheap
    centre        a point inside; `inner` the radius of a ball around it within the affine hull
    n             the dimension of that hull
    diameter      the largest distance of two points; `width` the largest in the 1-norm (or a bound)
    direction(z)  of a normal z: a unit vector along the hull
    shrunk(xi)    the set shrunk towards its centre by the factor 1-ξ
    contains(x)   whether x is in it, or no further off than some slack

These check what they are given and call _minimise, _project, _contains and _tangent.
"""

from typing import Any

import numpy as np

from onearm.convex.arguments import LARGEST, finite, inside, moderate, numbers


class Set:
    """What all sets have."""

    def __init__(
        self, centre: np.ndarray, n: int, inner: float, diameter: float, width: float
    ) -> None:
        self.centre, self.shape, self.n = centre, centre.shape, n
        self.inner, self.diameter, self.width = inner, diameter, width

    def minimise(self, v: Any) -> np.ndarray:
        """Return a point where ⟨v, x⟩ is least."""
        return self._minimise(moderate(finite("v", v, self.shape)))

    def project(self, x: Any) -> np.ndarray:
        """Return the nearest point."""
        return self._project(finite("x", x, self.shape))

    def contains(self, x: Any, slack: float = 1e-9) -> bool:
        """Return whether x is in the set, or off by rounding only."""
        x = numbers("x", x, self.shape)
        slack = inside("slack", slack, 0.0, np.inf, "[0, inf)")
        return bool((np.abs(x) <= LARGEST).all()) and self._contains(x, slack)

    def tangent(self, z: Any) -> np.ndarray:
        """Return the part of z that does not lead out of the affine hull."""
        return self._tangent(finite("z", z, self.shape))

    def direction(self, z: Any) -> np.ndarray:
        """Return the unit vector along the hull that is nearest to z in angle."""
        z = moderate(finite("z", z, self.shape))
        along = self._tangent(z)
        length = np.linalg.norm(along)
        if not length > 1e-12 * np.linalg.norm(z):
            raise ValueError(f"z must lead along the set, got {z!r}")
        return along / length

    def shrunk(self, xi: float) -> "Set":
        """Return the set shrunk towards its centre by the factor 1-ξ."""
        return Shrunk(self, inside("xi", xi, 0.0, 1.0, "[0, 1)"))

    def _minimise(self, v: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _project(self, x: np.ndarray) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} has no cheap projection")

    def _contains(self, x: np.ndarray, slack: float) -> bool:
        raise NotImplementedError

    def _tangent(self, z: np.ndarray) -> np.ndarray:
        return z.copy()


class Shrunk(Set):
    """c + (1-ξ)(K - c)."""

    def __init__(self, whole: Set, xi: float) -> None:
        self.whole, self.scale = whole, 1.0 - xi
        lengths = (self.scale * length for length in (whole.inner, whole.diameter, whole.width))
        super().__init__(whole.centre, whole.n, *lengths)

    def _minimise(self, v: np.ndarray) -> np.ndarray:
        return self._shrink(self.whole._minimise(v))

    def _project(self, x: np.ndarray) -> np.ndarray:
        far = finite("x / (1 - xi)", self._expand(x), self.shape, 1e307)
        return self._shrink(self.whole._project(far))

    def _contains(self, x: np.ndarray, slack: float) -> bool:
        return self.whole.contains(self._expand(x), slack)

    def _tangent(self, z: np.ndarray) -> np.ndarray:
        return self.whole._tangent(z)

    def _shrink(self, x: np.ndarray) -> np.ndarray:
        return self.centre + self.scale * (x - self.centre)

    def _expand(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return self.centre + (x - self.centre) / self.scale


def as_set(K: Any) -> Set:
    """Return K, if it is a set."""
    if not isinstance(K, Set):
        raise ValueError(f"K must be a set of onearm.convex, as Simplex(3), got {K!r}")
    return K
