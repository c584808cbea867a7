"""Random Fourier features, whose products approximate a Gaussian kernel.

A feature is cos(ω·z + b) with a normal ω, here with a parabola for each half of the cosine. ω·z for
all features comes from random signs and Hadamard transforms, H S₃ H S₂ H S₁ z.

A. Rahimi, B. Recht. Random features for large-scale kernel machines. NIPS 2007.
F. X. Yu, A. T. Suresh, K. Choromanski, D. Holtmann-Rice, S. Kumar. Orthogonal random features.
NIPS 2016.
"""

import math

import numpy as np

from onearm.core.kernels import kernel, kernel_without_refcounts
from onearm.core.rng import seeded, uniform

LENGTH = 0.6  # length scale of the kernel, in units of the norm of a row
LEAST = 32  # size of a transform: fewer would not be normal enough
USUAL, TURNS = 1024, 4  # features by default, and at least so many transforms


@kernel_without_refcounts
def turn(Y):
    """Y ← H Y, the Hadamard transform of each column."""
    n, m = Y.shape
    flat, h = Y.reshape(-1), m  # rows lie one after the other, so that loops are long
    while h < n * m:
        for i in range(0, n * m, 2 * h):
            upper, lower = flat[i : i + h], flat[i + h : i + 2 * h]
            for j in range(h):
                a, b = upper[j], lower[j]
                upper[j], lower[j] = a + b, a - b
        h *= 2


@kernel
def waves(z, signs, scale, shift, phi):
    """Put the features of z at the front of `phi`."""
    n, m = signs.shape[1], signs.shape[2]
    Y = np.zeros((n, m))
    for i in range(len(z)):
        for c in range(m):
            Y[i, c] = z[i] * signs[0, i, c]
    turn(Y)
    for s in range(1, 3):
        for i in range(n):
            for c in range(m):
                Y[i, c] *= signs[s, i, c]
        turn(Y)
    much = math.sqrt(2.0 / (n * m))
    for i in range(n):
        for c in range(m):
            turns = Y[i, c] * scale + shift[i, c]
            half = 0.25 - abs(turns - math.floor(turns + 0.5))
            phi[i * m + c] = much * 8.0 * half * (1.0 - 2.0 * abs(half))


def random_signs(
    seed: int, d: int, norm: float, columns: int
) -> tuple[np.ndarray, float, np.ndarray]:
    """Return signs, scale and shifts of `columns` transforms for rows of `d` numbers and a norm."""
    n = turned(d)
    rng = seeded(seed, 2)
    signs = np.array([1.0 if uniform(rng) < 0.5 else -1.0 for _ in range(3 * n * columns)])
    shift = np.array([uniform(rng) for _ in range(n * columns)])
    scale = 1.0 / (2.0 * math.pi * n * LENGTH * norm)
    return signs.reshape(3, n, columns), scale, shift.reshape(n, columns)


def turned(d: int) -> int:
    """Return the size of a transform for d numbers: a power of two."""
    return max(LEAST, 1 << (d - 1).bit_length())
