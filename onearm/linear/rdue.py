"""RDUE: randomized decoding with uniform exploration.

With q = softmax(s) and its largest q* at ŷ, decoding samples from q with probability
z = min(1, 2(1-q*)) and takes ŷ otherwise; with probability q₀ it takes any label instead:
p = (1-q₀)·(z·q + (1-z)·e_ŷ) + q₀/k. Only a right answer teaches: G = (q - e_y) xᵀ/(ln 2·p_y) and
W -= η_t·G with η_t = B/√(2Σ‖G‖²).

M. Shibukawa, S. Sakaue, T. Tsuchiya, K. Yamanishi. Bandit and delayed feedback in online
structured prediction. 2025.

Differs from the paper: q₀ is a parameter; the theory's min(1, B·√(k/T)) explores too much at
T = 30,000.
"""

from dataclasses import dataclass

import numpy as np

from onearm.core.explore import best, mixed, sample_label, softmax
from onearm.core.learner import Learner, kernel, real, state
from onearm.core.vectors import linear
from onearm.linear.gaptron import descend, slope


@kernel
def chances(s, among, W, S, B, q0):
    p, top = softmax(s, among, 1.0), best(s, among)
    z = min(1.0, 2.0 * (1.0 - p[top]))
    for r in among:
        p[r] *= z
    p[top] += 1.0 - z
    return mixed(p, among, q0)


@kernel
def choose(s, among, rng, W, S, B, q0):
    return sample_label(chances(s, among, W, S, B, q0), best(s, among), rng)


@kernel
def update(x, s, label, greedy, propensity, reward, truth, rng, W, S, B, q0):
    if label == truth:
        descend(x, slope(s, label, 0), propensity, W, S, B)


@dataclass
class RDUE(Learner, look=linear, chances=chances, choose=choose, update=update):
    """Logistic regression with randomized decoding and uniform exploration.

    Examples
    --------
    >>> from onearm import SynSep
    >>> trace = RDUE(n_classes=9, n_features=400).play(SynSep(10_000, unit=True))
    >>> int((~trace.correct).sum())
    580
    """

    B: float = real(10.0, "[1e-12, 1e12]", doc="Scale of the step size; 10 in the paper.")
    q0: float = real(0.02, "(0, 1]", doc="Exploration rate q₀.")
    weights: np.ndarray = state("n_features", "n_classes")
    squared_gradients: np.ndarray = state(1, range="[0, inf)")  # Σ‖G‖²

    exploration = "q0"
    off_policy = True

    def model(self) -> tuple:
        return self.weights, self.squared_gradients, self.B, self.q0
