"""Synthetic dense streams: strongly separable rows, and the two tasks on which B10 tests its arms.

A. Beygelzimer, D. Pál, B. Szörényi, D. Thiruvenkatachari, C.-Y. Wei, C. Zhang. Bandit multiclass
linear classification. ICML 2019. - R. Busa-Fekete, B. Kégl. Fast boosting using adversarial
bandits. ICML 2010, section 4.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from onearm.core.kernels import kernel
from onearm.core.rng import below, pick, seeded, uniform
from onearm.streams.chunks import GENERATED, REORDERED, Chunks, chunk_sizes
from onearm.streams.stream import Stream, require


@kernel
def _normalise(x):
    total = 0.0
    for j in range(len(x)):
        total += x[j] * x[j]
    for j in range(len(x)):
        x[j] /= math.sqrt(total)


@kernel
def _separable(rng, X, y, corner, margin):
    for t in range(len(y)):
        x, y[t] = X[t], below(len(corner), rng)
        for j in range(len(x)):
            x[j] = 2.0 * uniform(rng) - 1.0
        for _ in range(2):  # normalising shrinks the corner: once more brings it near the margin
            _normalise(x)
            for c in range(len(corner)):
                far = max(abs(x[corner[c]]), margin)
                x[corner[c]] = far if c == y[t] else -far
        _normalise(x)


@kernel
def _diagonal(rng, X, y, n_used, noise):
    for t in range(len(y)):
        total = 0.0
        for j in range(X.shape[1]):
            X[t, j] = uniform(rng)
            if j < n_used:
                total += X[t, j]
        above = total > n_used / 2
        y[t] = above if uniform(rng) >= noise else not above


@kernel
def _chess(rng, X, y, n_used, n_squares):
    for t in range(len(y)):
        total = 0
        for j in range(X.shape[1]):
            X[t, j] = uniform(rng)
            if j < n_used:
                total += int(n_squares * X[t, j])
        y[t] = total % 2 == 0


def _stream(name: str, n: int, k: int, d: int, seed: int, fill: Callable[..., Any]) -> Stream:
    require(n_rows=(n >= 1, "at least 1", n))

    def source() -> Chunks:
        rng = seeded(seed, GENERATED)
        for rows in chunk_sizes(n):
            X, y = np.empty((rows, d)), np.empty(rows, np.int64)
            fill(rng, X, y)
            yield X, y

    return Stream(name, k, d, source, n)


def Separable(
    n_rows: int = 10_000, n_classes: int = 9, n_features: int = 400, *, margin: float = 0.1,
    seed: int = 0,
) -> Stream:  # fmt: skip
    """Return strongly separable rows of norm 1, in which one coordinate shows each class.

    It is at least about `margin` for the true class and at most minus that for every other.

    >>> X, y = Separable(5, n_classes=3, n_features=4).arrays()
    >>> y
    array([2, 1, 1, 1, 2])
    """
    fits = 2 <= n_classes <= n_features
    require(n_classes=(fits, f"in [2, n_features={n_features}]", n_classes))
    corner = np.arange(n_features)
    pick(n_classes, corner, seeded(seed, REORDERED))
    corner = corner[:n_classes]
    fill = lambda *rows: _separable(*rows, corner, margin)  # noqa: E731 two lines are not clearer
    return _stream("Separable", n_rows, n_classes, n_features, seed, fill)


def Diagonal(
    n_rows: int = 1000, n_features: int = 10, n_used: int = 4, *, noise: float = 0.1, seed: int = 0
) -> Stream:
    """Return DIAGONAL(d, J, q): label 1 where the first J features sum to more than J/2.

    Features are uniform in [0, 1]; a share q = `noise` of the labels is flipped.
    """
    require(
        n_used=(1 <= n_used <= n_features, f"in [1, n_features={n_features}]", n_used),
        noise=(0 <= noise <= 1, "in [0, 1]", noise),
    )
    fill = lambda *rows: _diagonal(*rows, n_used, noise)  # noqa: E731 as above
    return _stream("Diagonal", n_rows, 2, n_features, seed, fill)


def Chess(
    n_rows: int = 1000, n_features: int = 10, n_used: int = 3, n_squares: int = 3, *, seed: int = 0
) -> Stream:
    """Return CHESS(d, J, L): label 1 where the first J features fall on an even square.

    Features are uniform in [0, 1] and each is cut into L = `n_squares`.
    """
    require(
        n_used=(1 <= n_used <= n_features, f"in [1, n_features={n_features}]", n_used),
        n_squares=(n_squares >= 1, "at least 1", n_squares),
    )
    fill = lambda *rows: _chess(*rows, n_used, n_squares)  # noqa: E731 as above
    return _stream("Chess", n_rows, 2, n_features, seed, fill)
