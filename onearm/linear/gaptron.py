"""Gaptron: explores as much as the gap between its scores is small.

With ŷ = argmax s it plays p = (1-μ)·e_ŷ + μ/k, μ = max(a, γ), where the gap map a ∈ [0, 1] is
chosen for the loss so that exploring costs no more than the loss itself. Only a right answer
teaches: G = ∇ℓ(W)/p_ỹ, and W -= η_t·G.

    loss          ℓ, with margin m_y = s_y - max_{j≠y} s_j       a, with m* the gap of the two best
    logistic      -log₂ q_y, q = softmax(s)                     1 - max q if max q ≥ ½, else 1
    hinge         1 - m_y if ŷ ≠ y or m_y ≤ ½, else 0             1 - m* if m* ≤ ½, else 0
    smooth_hinge  1 - 2m_y if m_y ≤ 0, (1-m_y)² if m_y < 1, else 0   (1 - min(1, m*))²

D. van der Hoeven. Exploiting the surrogate gap in online multiclass classification. NeurIPS 2020.

Differs from the paper: the step is η_t = D/√(2Σ‖G‖²), as in later papers; the paper's constant
step is far smaller than what works. W is not projected.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.core.explore import best, runner_up, softmax, uniform_chances, uniformly
from onearm.core.learner import Learner, kernel, option, real, state
from onearm.core.vectors import linear, spread, sqnorm

LOSSES = ("logistic", "hinge", "smooth_hinge")
KAPPA = 0.5


@kernel
def mixing(s, among, loss, gamma):
    """max(a, γ): how much is explored."""
    top = best(s, among)
    if loss == 0:
        q = softmax(s, among, 1.0)[top]
        return max(1.0 - q if q >= 0.5 else 1.0, gamma)
    gap = np.inf
    for r in among:
        if r != top:
            gap = min(gap, s[top] - s[r])
    if loss == 1:
        return max(0.0 if gap > KAPPA else 1.0 - gap, gamma)
    return max((1.0 - min(1.0, gap)) ** 2, gamma)


@kernel
def slope(s, y, loss):
    """The gradient of the loss with respect to the scores."""
    if loss == 0:
        g = softmax(s, np.arange(len(s)), 1.0)
        g[y] -= 1.0
        for r in range(len(g)):
            g[r] /= math.log(2.0)
        return g
    g = np.zeros(len(s))
    other = runner_up(s, y)
    margin = s[y] - s[other]
    if loss == 1:
        a = 1.0 if margin <= KAPPA else 0.0
    else:
        a = 2.0 * min(1.0, max(0.0, 1.0 - margin))
    g[other], g[y] = a, -a
    return g


@kernel
def chances(s, among, W, S, rules):
    loss, gamma, _ = rules
    return uniform_chances(best(s, among), among, mixing(s, among, loss, gamma), len(s))


@kernel
def choose(s, among, rng, W, S, rules):
    loss, gamma, _ = rules
    return uniformly(best(s, among), among, mixing(s, among, loss, gamma), rng)


@kernel
def update(x, s, label, greedy, propensity, reward, truth, rng, W, S, rules):
    loss, _, D = rules
    if label == truth:
        descend(x, slope(s, label, loss), propensity, W, S, D)


@kernel
def descend(x, g, p, W, S, D):
    """W -= η_t·G for G = x gᵀ/p, η_t = D/√(2(10⁻⁸ + S)) and S = Σ‖G‖²."""
    total = 0.0
    for r in range(len(g)):
        total += g[r] * g[r]
    S[0] += total * sqnorm(x) / (p * p)
    eta = D / math.sqrt(2.0 * (1e-8 + S[0]))
    for r in range(len(g)):
        g[r] *= -eta / p
    spread(g, x, W)


@dataclass
class Gaptron(Learner, look=linear, chances=chances, choose=choose, update=update):
    """Gradient steps on a surrogate loss, exploring by the gap of the scores.

    Examples
    --------
    >>> from onearm import SynSep
    >>> trace = Gaptron(n_classes=9, n_features=400).play(SynSep(10_000, unit=True))
    >>> int((~trace.correct).sum())
    701
    """

    loss: str = option("logistic", *LOSSES, doc='"logistic", "hinge" or "smooth_hinge".')
    gamma: float = real(0.02, "(0, 1]", doc="Least exploration rate γ.")
    D: float = real(10.0, "[1e-12, 1e12]", doc="Scale of the step size.")
    weights: np.ndarray = state("n_features", "n_classes")
    squared_gradients: np.ndarray = state(1, range="[0, inf)")  # Σ‖G‖²

    exploration = "gamma"
    off_policy = True

    def model(self) -> tuple:
        rules = LOSSES.index(self.loss), self.gamma, self.D
        return self.weights, self.squared_gradients, rules
