"""LinTS: samples a reward for every label from its posterior and chooses the largest.

A ridge regression per label, updated only when the label was chosen. The reward of label r is
sampled from N(w_r·x, v²·xᵀA_r⁻¹x): one number a label, which is the same as drawing the weights.

The propensity of the winner a is ∫ φ(z) Π_{b≠a} Φ((μ_a + σ_a z - μ_b)/σ_b) dz, here by the
trapezoid rule with steps as fine as the narrowest Φ: an estimate, exact to some eight digits while
no σ is more than 300 times another.

S. Agrawal, N. Goyal. Thompson sampling for contextual bandits with linear payoffs. ICML 2013.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.core.explore import best
from onearm.core.learner import flag, kernel, real
from onearm.core.rng import normal
from onearm.linear.ridge import look, means, update
from onearm.linear.second_order import SecondOrder

REACH = 6.0  # the trapezoid rule goes over z from -REACH to REACH
COARSE, FINE = 48, 2400  # least and most steps to each side of 0
TINY = 1e-9  # of the widest, in place of a width of 0
LEAST = 1e-12  # no propensity below: a chosen label had some chance


@kernel
def chance_of(label, seen, among, v):
    """The probability that the reward sampled for `label` is the largest."""
    widest, narrow = 0.0, np.inf
    for r in among:
        widest = max(widest, v * math.sqrt(seen[1, r]))
        narrow = min(narrow, v * math.sqrt(seen[1, r]))
    if widest == 0.0:  # x = 0: nothing is random
        return 1.0 if best(seen[0], among) == label else 0.0
    sigma = max(v * math.sqrt(seen[1, label]), TINY * widest)
    steps = int(min(FINE, max(COARSE, REACH * sigma / max(narrow, TINY * widest))))
    total = weight = 0.0
    for i in range(-steps, steps + 1):
        z = REACH * i / steps
        wins = math.exp(-0.5 * z * z)
        weight += wins
        for r in among:
            if r != label:
                gap = seen[0, label] + sigma * z - seen[0, r]
                width = max(v * math.sqrt(seen[1, r]), TINY * widest)
                wins *= 0.5 * math.erfc(-gap / (width * math.sqrt(2.0)))
        total += wins
    return total / weight


@kernel
def chances(seen, among, W, A, v):
    p = np.zeros(seen.shape[1])
    for r in among:
        p[r] = chance_of(r, seen, among, v)
    return p


@kernel
def choose(seen, among, rng, W, A, v):
    sampled = np.empty(seen.shape[1])
    for r in among:
        sampled[r] = seen[0, r] + v * math.sqrt(seen[1, r]) * normal(rng)
    label = best(sampled, among)
    p = min(1.0, max(LEAST, chance_of(label, seen, among, v)))
    return label, best(seen[0], among), p


@dataclass
class LinTS(SecondOrder, look=look, scores=means, chances=chances, choose=choose, update=update):
    """Thompson sampling over one ridge regression per label, full or diagonal.

    Examples
    --------
    >>> from onearm import Separable
    >>> trace = LinTS(n_classes=3, n_features=10).play(Separable(2000, 3, 10))
    >>> int((~trace.correct).sum())
    16
    """

    v: float = real(0.3, "[1e-12, 1e12]", doc="Scale v of the posterior's standard deviation.")
    lam: float = real(1.0, "[1e-12, 1e12]", fixed=True, doc="Regulariser λ.")
    diagonal: bool = flag(False, fixed=True, doc="Keep only the diagonals of the matrices A_r.")

    exploration = "v"
    estimated_propensity = True
    real_rewards = True
    off_policy = True
    per_label = True

    def scale(self) -> tuple[float, float]:
        return self.lam, 1.0 / self.lam

    def model(self) -> tuple:
        return self.weights, self.second_order, self.v
