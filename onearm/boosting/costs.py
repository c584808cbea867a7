"""From the cost of predicting each label to one example with a weight, for a weak learner."""

import math

import numpy as np

from onearm.core.kernels import kernel
from onearm.core.rng import below

CHEAPEST, TRUTH, FULL = range(3)  # which label is taught; FULL: with full information
SLIGHT = 1e-10  # a weight below this teaches nothing


@kernel
def sigmoid(v):
    e = math.exp(-abs(v))
    return 1.0 / (1.0 + e) if v >= 0.0 else e / (1.0 + e)


@kernel
def cents(v):
    """v, rounded to two decimals; the halves go up, whatever the last bit is."""
    return math.floor(100.0 * v + 0.5 + 1e-9) / 100.0


@kernel
def importance(cost, clip):
    """w = Σ_j min(clip, c_j - min c), each rounded."""
    least = cost.min()
    w = 0.0
    for r in range(len(cost)):
        w += min(clip, cents(cost[r] - least))
    return w


@kernel
def cheapest(cost, truth, clip, rng):
    """The label of least cost, clipped and rounded; of several the true one or, hidden, any."""
    k = len(cost)
    rounded = np.empty(k)
    least = math.inf
    for r in range(k):
        rounded[r] = cents(min(max(cost[r], -clip), clip))
        least = min(least, rounded[r])
    if truth >= 0 and rounded[truth] == least:
        return truth
    several = 0
    for r in range(k):
        several += rounded[r] == least
    skip = below(several, rng) if several > 1 else 0
    for r in range(k):
        if rounded[r] == least:
            if skip == 0:
                return r
            skip -= 1
    return 0
