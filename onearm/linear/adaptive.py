"""A regression per class with adaptive steps: what InverseGap, EpsilonGreedy and Bag share.

Class r predicts a reward from the margin m_r = x·w_r: f = 1/(1+e⁻ᵐ) under the logistic loss, f = m
under the squared one. In both the gradient at x is g = (f - target)·x, and each weight takes the
step η·g/√(Σg²) over its own past gradients; G has the sums Σg².

J. Duchi, E. Hazan, Y. Singer. Adaptive subgradient methods for online learning and stochastic
optimization. JMLR 12, 2011.
"""

import math

import numpy as np

from onearm.core.kernels import kernel
from onearm.core.vectors import entry, size

STEPS = {"logistic": 2.0, "squared": 0.1}  # the step size η that suits a loss
ETA_DOC = "Step size η; 0 is 2 with the logistic loss, 0.1 with the squared, for rows of norm 1."
STEEPEST = 1e45  # of a slope: rows have values up to 1e100
TINY = 1e-300  # a weight without any gradient yet: 0/√TINY = 0


@kernel
def reward_of(m, logistic):
    """The predicted reward f of a margin."""
    return 1.0 / (1.0 + math.exp(-max(m, -700.0))) if logistic else m  # e⁷⁰⁰ is near the end


@kernel
def clipped(slope):
    """A slope whose gradients have finite squares, at any row."""
    return max(-STEEPEST, min(STEEPEST, slope))


@kernel
def descend(x, slope, first, W, G, eta):
    """Columns first … first+len(slope)-1 take a step against the gradients slope_r·x."""
    for r in range(len(slope)):
        slope[r] = clipped(slope[r])
    for i in range(size(x)):
        j, v = entry(x, i)
        if not isinstance(x, tuple) and v == 0.0:
            continue
        w, past = W[j], G[j]
        for r in range(len(slope)):
            g = slope[r] * v
            past[first + r] += g * g
            w[first + r] -= eta * g / math.sqrt(max(past[first + r], TINY))


@kernel
def descend_one(x, slope, r, W, G, eta):
    """Column r takes a step against the gradient slope·x."""
    slope = clipped(slope)
    for i in range(size(x)):
        j, v = entry(x, i)
        g = slope * v
        G[j, r] += g * g
        W[j, r] -= eta * g / math.sqrt(max(G[j, r], TINY))


@kernel
def teach(x, m, first, k, label, reward, truth, weight, W, G, logistic, eta):
    """The chosen label learns its reward; where it was right, all others learn 0."""
    if label != truth:
        slope = weight * (reward_of(m[first + label], logistic) - reward)
        descend_one(x, slope, first + label, W, G, eta)
        return
    slopes = np.empty(k)
    for r in range(k):
        target = reward if r == label else 0.0
        slopes[r] = weight * (reward_of(m[first + r], logistic) - target)
    descend(x, slopes, first, W, G, eta)
