"""Linear Thompson sampling with disjoint arms: Agrawal, Goyal, ICML 2013, one model per arm.

Arm a's sampled score is N(mean_a, v^2 x'A_a^{-1}x), independent of the others, so the chance that
it is the largest is E[ prod_{b != a} Phi((z - mean_b) / width_b) ] over z = its own sample.
"""

from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.special import ndtr

from .twin import Twin

TAIL = 9.0  # beyond nine standard deviations there is less than 1e-18


class LinTS(Twin):
    def __init__(self, k, d, v=0.3, lam=1.0, diagonal=False):
        self.k = k
        self.v = v
        self.diagonal = diagonal
        self.A = [lam * (np.ones(d) if diagonal else np.eye(d)) for _ in range(k)]
        self.b = np.zeros((k, d))

    def divide(self, a, v):
        """A_a^{-1} v."""
        return v / self.A[a] if self.diagonal else np.linalg.solve(self.A[a], v)

    def scores(self, x):
        return np.array([self.divide(a, self.b[a]) @ x for a in range(self.k)])

    def widths(self, x):
        return self.v * np.sqrt([x @ self.divide(a, x) for a in range(self.k)])

    def chances(self, x):
        mean, width = self.scores(x), self.widths(x)
        if np.all(width == 0):
            return np.eye(self.k)[np.argmax(mean)]
        return np.array([chance_of_largest(a, mean, width) for a in range(self.k)])

    def update(self, x, label, greedy, propensity, reward, truth):
        self.A[label] = self.A[label] + (x * x if self.diagonal else np.outer(x, x))
        self.b[label] += reward * x


def chance_of_largest(a, mean, width):
    others = np.arange(len(mean)) != a

    def density(u):  # of arm a's sample lying u of its widths above its mean, and being largest
        z = mean[a] + width[a] * u
        below = ndtr((z - mean[others]) / width[others])
        return np.exp(-u * u / 2) / np.sqrt(2 * np.pi) * np.prod(below)

    # the integrand bends where the distribution function of another arm rises
    bends = np.concatenate([mean + c * width for c in (-8, -4, 0, 4, 8)])
    edges = np.unique(np.clip((bends - mean[a]) / width[a], -TAIL, TAIL))
    edges = [-TAIL, *edges, TAIL]
    return sum(quad(density, low, high, epsabs=1e-13, epsrel=0)[0] for low, high in pairwise(edges))
