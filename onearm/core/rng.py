"""A generator that is an array: seeded, copied and saved like any other state.

SplitMix64: the state moves by a fixed odd number, and its output is the state, mixed.

G. Steele, D. Lea, C. Flood. Fast splittable pseudorandom number generators. OOPSLA 2014.
"""

import hashlib
import math
from typing import Any

import numpy as np

from onearm.core.kernels import COMPILED, kernel

STEP = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
RIGHT_30, RIGHT_27, RIGHT_31, RIGHT_11 = (np.uint64(n) for n in (30, 27, 31, 11))


def seeded(seed: int, stream: int = 0) -> np.ndarray:
    """Return the generator number `stream` of those that belong to `seed`.

    >>> rng = seeded(7)
    >>> uniform(rng), below(10, rng)
    (0.609..., 4)
    """
    rng = np.array([seed % 2**64], np.uint64)
    rng[0] = bits(rng) ^ np.uint64(stream)
    rng[0] = bits(rng)
    return rng


def keyed(seed: int, key: Any) -> np.ndarray:
    """Return the generator of a text, bytes or integer under `seed`: its BLAKE2b, keyed by it.

    A text counts as its UTF-8 bytes and an integer as its decimal text: 17 and "17" are one key.

    >>> uniform(keyed(7, "event-17")) == uniform(keyed(7, b"event-17"))
    True
    """
    if isinstance(key, int | np.integer) and not isinstance(key, bool):
        key = str(int(key))
    if isinstance(key, str):
        key = key.encode(errors="surrogatepass")
    if not isinstance(key, bytes):
        raise ValueError(f"key must be a text, bytes or an integer, got {key!r}")
    digest = hashlib.blake2b(key, digest_size=8, key=seed.to_bytes(8, "little"))
    return np.array([int.from_bytes(digest.digest(), "little")], np.uint64)


def as_generator(rng: Any) -> np.ndarray:
    """Return `rng` if it is a generator of this kind, else refuse it."""
    ours = isinstance(rng, np.ndarray) and rng.dtype == np.uint64 and rng.shape == (1,)
    if ours and rng.flags.carray:
        return rng
    raise ValueError(f"rng must be a generator made by onearm.seeded(n), got {type(rng).__name__}")


@kernel
def bits(rng):
    """64 random bits."""
    rng[0] += STEP
    z = rng[0]
    z = (z ^ (z >> RIGHT_30)) * MIX_1
    z = (z ^ (z >> RIGHT_27)) * MIX_2
    return z ^ (z >> RIGHT_31)


if not COMPILED:
    bits = np.errstate(over="ignore")(bits)  # integers wrap around, as they are meant to


@kernel
def uniform(rng):
    """A number in [0, 1)."""
    return float(bits(rng) >> RIGHT_11) * 2.0**-53


@kernel
def below(n, rng):
    """An integer in 0 … n-1."""
    return int(uniform(rng) * n)


@kernel
def normal(rng):
    """A standard normal number (Box and Muller's)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(rng)))
    return radius * math.cos(2.0 * math.pi * uniform(rng))


@kernel
def fill_normal(z, rng):
    """Independent standard normal numbers."""
    for j in range(len(z)):
        z[j] = normal(rng)


@kernel
def poisson(mean, rng):
    """A Poisson number, by inversion: for small means."""
    u = uniform(rng)
    n = 0
    p = math.exp(-mean)
    while u >= p and n < 1000:
        u -= p
        n += 1
        p *= mean / n
    return n


@kernel
def draw(p, rng):
    """An index drawn with the probabilities `p`; the rounding error goes to the last p > 0."""
    u = uniform(rng)
    last = 0
    for i in range(len(p)):
        if p[i] > 0.0:
            last = i
            if u < p[i]:
                return i
            u -= p[i]
    return last


@kernel
def pick(m, items, rng):
    """Bring `m` items, drawn uniformly without replacement, to the front of `items`."""
    for i in range(m):
        j = i + below(len(items) - i, rng)
        items[i], items[j] = items[j], items[i]
