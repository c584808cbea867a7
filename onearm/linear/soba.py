"""SOBA: the second order Banditron, with Õ(√T) regret.

It explores like Banditron. Where the label ỹ, chosen with probability P, was right, let ȳ be the
best of the other labels, D = s_ȳ - s_ỹ, and

    g = (e_ȳ - e_ỹ) ⊗ x / P,    z = √P·g,    q = zᵀA⁻¹z,    m = (D² + 2D) / (P·(1+q)).

It learns unless that would make the running sum of the m negative: A += z zᵀ, θ -= g, W = A⁻¹θ,
that is w -= A⁻¹z · (z·w + 1/√P) / (1+q) with the old A. An exploration hit always teaches (D ≥ 0).

The diagonal version keeps only the diagonal of A. `adaptive` = c > 0 explores with
γ_t = min(1, c·√(k(1+S)/t)) where S sums q/(1+q) over the rounds that taught and t counts answers.

A. Beygelzimer, F. Orabona, C. Zhang. Efficient online bandit multiclass learning with Õ(√T)
regret. ICML 2017, Algorithm 1.

Differs from the paper: c is 1 there, and γ_t then stays near 1 for about k²d rounds.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.core.explore import GAMMA_DOC, best, runner_up, uniform_chances, uniformly, usual_rate
from onearm.core.learner import flag, kernel, real, state
from onearm.core.vectors import entry, linear, size, sqnorm
from onearm.linear.second_order import SecondOrder, fall, inner, lower, times


@kernel
def rate(k, sums, rules):
    """The exploration rate of this round."""
    gamma, adaptive = rules
    if adaptive == 0.0:
        return gamma
    return min(1.0, adaptive * math.sqrt(k * (1.0 + sums[1]) / (sums[2] + 1.0)))


@kernel
def chances(s, among, W, A, sums, rules):
    return uniform_chances(best(s, among), among, rate(len(s), sums, rules), len(s))


@kernel
def choose(s, among, rng, W, A, sums, rules):
    return uniformly(best(s, among), among, rate(len(s), sums, rules), rng)


@kernel
def update(x, s, label, greedy, propensity, reward, truth, rng, W, A, sums, rules):
    sums[2] += 1.0
    if label != truth:
        return
    P, bar = propensity, runner_up(s, label)
    D = s[bar] - s[label]
    if A.ndim == 2:
        q = _width(x, bar, label, A) / P
        u = W  # not used
    else:
        v = np.zeros(len(s))
        v[bar], v[label] = 1.0 / math.sqrt(P), -1.0 / math.sqrt(P)  # z = v ⊗ x
        u = times(A, v, x)
        q = inner(v, x, u)
    m = (D * D + 2.0 * D) / (P * (1.0 + q))
    if sums[0] + m < 0.0:
        return
    sums[0] += m
    sums[1] += q / (1.0 + q)
    if A.ndim == 2:
        _learn(x, bar, -1.0, P, W, A)
        _learn(x, label, 1.0, P, W, A)
    else:
        w, c = fall(1.0, q, A, u, 2.0 * sqnorm(x) / P)
        if c == 0.0:
            return
        move = (1.0 - c * q + c * D) / math.sqrt(P)  # (z·w + 1/√P)/(1+q), with the usual c
        if w < 1.0:
            move = c * (1.0 + D) / math.sqrt(P)
        for j in range(W.shape[0]):
            for r in range(W.shape[1]):
                W[j, r] -= u[j, r] * move
        lower(A, u, c)


@kernel
def _width(x, bar, label, A):
    """Σ x_j² (1/A_jȳ + 1/A_jỹ)."""
    total = 0.0
    for i in range(size(x)):
        j, v = entry(x, i)
        total += v * v * (1.0 / A[j, bar] + 1.0 / A[j, label])
    return total


@kernel
def _learn(x, r, sign, P, W, A):
    """θ_r += sign·x/P, A_r += x²/P and W_r = θ_r/A_r, where θ_r was W_r·A_r."""
    for i in range(size(x)):
        j, v = entry(x, i)
        theta = W[j, r] * A[j, r] + sign * v / P
        A[j, r] += v * v / P
        W[j, r] = theta / A[j, r]


@dataclass
class SOBA(SecondOrder, look=linear, chances=chances, choose=choose, update=update):
    """Second order Banditron, full or diagonal.

    Examples
    --------
    >>> from onearm import SynSep
    >>> trace = SOBA(n_classes=9, n_features=400, gamma=2**-5).play(SynSep(30_000))
    >>> int((~trace.correct[-3000:]).sum())
    72
    """

    gamma: float = real(0.0, "[0, 1]", doc=GAMMA_DOC)
    a: float = real(1.0, "[1e-12, 1e12]", fixed=True, doc="Regulariser: A starts as a·I.")
    diagonal: bool = flag(True, fixed=True, doc="Keep only the diagonal of the matrix A.")
    adaptive: float = real(
        0.0, "[0, 1e12]", doc="Scale c of the adaptive exploration rate, 0 for a constant γ."
    )
    sums: np.ndarray = state(3, range="(-1, inf)")  # Σ m, Σ q/(1+q), updates

    exploration = "gamma"
    off_policy = True

    def validate(self) -> None:
        vars(self)["gamma"] = self.gamma or usual_rate(self.n_classes)

    def scale(self) -> tuple[float, float]:
        return self.a, 1.0 / self.a

    def model(self) -> tuple:
        return self.weights, self.second_order, self.sums, (self.gamma, self.adaptive)
