"""Newtron: online Newton steps on the logistic loss, from bandit feedback.

It samples ỹ from p' = (1-γ)·p + γ/k with p = softmax(α·s). After right or wrong feedback,

    right:  G = (1-p_ỹ)/p'_ỹ · (1/k - e_ỹ) ⊗ x,   κ = p'_ỹ
    wrong:  G =   p_ỹ  /p'_ỹ · (e_ỹ - 1/k) ⊗ x,   κ = 1

has mean (p - e_y) ⊗ x, the gradient of the loss -log(p_y)/α. Then A += κβ·G Gᵀ,
b += (1 - κβ⟨G,W⟩)·G, and W = -A⁻¹b, scaled down to norm D where it is longer.

Stored are V = -A⁻¹b, its squared norm, and A: W = V·min(1, D/‖V‖). The diagonal version keeps
only the diagonal of A (PNewtron).

E. Hazan, S. Kale. Newtron: an efficient bandit algorithm for online multiclass prediction.
NIPS 2011, Algorithm 1.

Differs from the paper: the exact minimum over the ball ‖W‖ ≤ D is replaced by scaling.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.core.explore import best, mixed, sample_label, softmax
from onearm.core.learner import flag, kernel, real, state
from onearm.core.vectors import entry, linear, size
from onearm.core.vectors import sqnorm as length
from onearm.linear.second_order import SecondOrder, fall, inner, lower, times


@kernel
def shrinkage(sqnorm, D):
    """What the projection multiplies V with."""
    return 1.0 if sqnorm[0] <= D * D else D / math.sqrt(sqnorm[0])


@kernel
def look(x, V, A, sqnorm, rules):
    s = linear(x, V)
    scale = shrinkage(sqnorm, rules[-1])
    for r in range(len(s)):
        s[r] *= scale
    return s


@kernel
def chances(s, among, V, A, sqnorm, rules):
    gamma, alpha, _, _ = rules
    return mixed(softmax(s, among, alpha), among, gamma)


@kernel
def choose(s, among, rng, V, A, sqnorm, rules):
    return sample_label(chances(s, among, V, A, sqnorm, rules), best(s, among), rng)


@kernel
def update(x, s, label, greedy, propensity, reward, truth, rng, V, A, sqnorm, rules):
    _, alpha, beta, D = rules
    k = len(s)
    p = softmax(s, np.arange(k), alpha)[label]
    right = label == truth
    size_of = -(1.0 - p) / propensity if right else p / propensity
    kappa = propensity if right else 1.0
    v = np.full(k, -size_of / k)  # G = v ⊗ x
    v[label] += size_of
    along = 0.0  # ⟨G, W⟩
    for r in range(k):
        along += v[r] * s[r]
    c = 1.0 - kappa * beta * along
    if A.ndim == 2:
        _learn(x, v, c, kappa * beta, V, A, sqnorm)
    else:
        u = times(A, v, x)
        gu, gV = inner(v, x, u), along / shrinkage(sqnorm, D)
        w, a = fall(kappa * beta, gu, A, u, length(x) * length(v))
        step = a * (c * gu - gV) - c
        if w < kappa * beta:
            step = -a * (c / (kappa * beta) + gV)
        _move(u, step, V, sqnorm)
        lower(A, u, a)


@kernel
def _learn(x, v, c, weight, V, A, sqnorm):
    """b += c·G, A += weight·G², V = -b/A, where b was -V·A."""
    change = 0.0
    for i in range(size(x)):
        j, value = entry(x, i)
        for r in range(len(v)):
            g, before = v[r] * value, V[j, r]
            minus_b = before * A[j, r] - c * g
            A[j, r] += weight * g * g
            V[j, r] = minus_b / A[j, r]
            change += V[j, r] * V[j, r] - before * before
    sqnorm[0] = max(0.0, sqnorm[0] + change)


@kernel
def _move(u, a, V, sqnorm):
    """V += a·u."""
    sqnorm[0] = 0.0
    for j in range(V.shape[0]):
        for r in range(V.shape[1]):
            V[j, r] += a * u[j, r]
            sqnorm[0] += V[j, r] * V[j, r]


@dataclass
class Newtron(SecondOrder, look=look, chances=chances, choose=choose, update=update):
    """Online Newton steps on the logistic loss, full or diagonal.

    Examples
    --------
    >>> from onearm import SynSep
    >>> trace = Newtron(n_classes=9, n_features=400).play(SynSep(10_000, unit=True))
    >>> int((~trace.correct).sum())
    137
    """

    gamma: float = real(2**-8, "(0, 1]", doc="Exploration rate γ, mixed into the softmax.")
    alpha: float = real(10.0, "[1e-12, 1e12]", doc="Steepness α of the softmax.")
    beta: float = real(0.01, "[1e-12, 1e12]", doc="Weight β of the second-order term.")
    D: float = real(6.5, "[1e-12, 1e12]", doc="Largest norm of V; 6.5 suits rows of norm 1.")
    diagonal: bool = flag(True, fixed=True, doc="Keep only the diagonal of the matrix A.")
    squared_norm: np.ndarray = state(1, range="[0, inf)")  # ‖V‖²

    exploration = "gamma"
    off_policy = True

    def scale(self) -> tuple[float, float]:
        return 1.0 / self.D, self.D

    def model(self) -> tuple:
        rules = self.gamma, self.alpha, self.beta, self.D
        return self.weights, self.second_order, self.squared_norm, rules
