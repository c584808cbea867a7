"""The Poisson bootstrap: in a replicate, every event counts N times, N being Poisson(1).

This is Efron's bootstrap with a random number of events, by which a mean is divided. Replicates
need neither indices nor memory, and read the events in order, so a million events are no problem.

N. Chamandy, O. Muralidharan, A. Najmi, S. Naidu. Estimating uncertainty for massive data streams.
Technical report, Google, 2012.
"""

import math

import numpy as np

from onearm.core.kernels import kernel
from onearm.core.rng import bits

CHUNK = 2048  # events, which stay in the fastest cache while all replicates resample them
SHIFTS = tuple(np.uint64(n) for n in (0, 16, 32, 48))
LAST_16 = np.uint64(2**16 - 1)


def resampled_sums(columns: np.ndarray, replicates: int, rng: np.ndarray) -> np.ndarray:
    """Return sums over resampled events, (replicates, k), of `columns`, (k, events)."""
    sums = np.zeros((replicates, len(columns)))
    _resample(columns, _poisson_table(), rng, sums)
    return sums


def _poisson_table() -> np.ndarray:
    """Return a Poisson(1) number for each value of 16 random bits."""
    chances = [math.exp(-1.0) / math.factorial(k) for k in range(10)]
    middles = (np.arange(2**16) + 0.5) / 2**16
    return np.searchsorted(np.cumsum(chances), middles).astype(np.uint8)


@kernel
def _resample(columns, table, rng, sums):
    """Add Σ_i N_i columns[c, i] to sums[b, c], where N_i is Poisson(1), anew for each b."""
    n, N = columns.shape[1], np.empty(CHUNK)
    states = np.empty((len(sums), 1), np.uint64)
    for b in range(len(sums)):
        states[b, 0] = bits(rng)
    for start in range(0, n, CHUNK):
        m = min(CHUNK, n - start)
        for b in range(len(sums)):
            _sample_counts(N, m, table, states[b])
            for c in range(len(columns)):
                sums[b, c] += _dot(N, columns[c, start : start + m])


@kernel
def _sample_counts(N, m, table, rng):
    for j in range(0, m, 4):
        z = bits(rng)
        for lane in range(4):
            N[j + lane] = table[(z >> SHIFTS[lane]) & LAST_16]


@kernel
def _dot(N, x):
    """Σ N_j x_j, in four sums that do not wait for each other."""
    s0 = s1 = s2 = s3 = 0.0
    whole = len(x) - len(x) % 4
    for j in range(0, whole, 4):
        s0, s1 = s0 + N[j] * x[j], s1 + N[j + 1] * x[j + 1]
        s2, s3 = s2 + N[j + 2] * x[j + 2], s3 + N[j + 3] * x[j + 3]
    for j in range(whole, len(x)):
        s0 += N[j] * x[j]
    return (s0 + s1) + (s2 + s3)
