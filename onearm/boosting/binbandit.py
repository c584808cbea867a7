"""BinBandit: for each class a boosted vote of binary learners, for bandit feedback.

Learner i of class c predicts h_c^i(x) in [-1, 1]; f_c = Σ_i α_c^i h_c^i and ŷ = argmax f, a random
one of several. The choice is ŷ with probability 1-ρ and otherwise one of the others. Only the class
c that was chosen learns, whether it was right (b = 1) or not (b = -1): with z = 0,

    learner i gets (x, b) with weight min(1, (1-γ)^{z/2}) / P(c), then z += b·h_c^i - θ,

where θ = γ/(2+γ). If b·f_c < θ, then α_c^i is multiplied by exp(η b h_c^i / P(c)) and normalised.

S.-T. Chen, H.-T. Lin, C.-J. Lu. Boosting with online binary learners for the multiclass bandit
problem. ICML 2014, where it is called BanditBoost; D. Zhang, Y. H. Jung, A. Tewari (AISTATS 2019)
compare with it as BinBandit.

Differs from the papers: η is 0 by default (a uniform vote), which theirs amounts to. With `others`,
an answer "right" also teaches all other classes that they were wrong.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.boosting.booster import EDGE, Booster, rho_field
from onearm.boosting.presets import FULL_INFORMATION
from onearm.boosting.trees.nodes import NOTES
from onearm.core.explore import add_best_chances, elsewhere, elsewhere_chances, one_of_best
from onearm.core.kernels import kernel
from onearm.core.learner import state
from onearm.core.parameters import flag, real, whole


def look(x, alpha, rules, weak):
    """Return what every learner notes about x, its margin, and the score of every class."""
    k, N = alpha.shape
    notes, out = np.empty((k * N, NOTES), np.int64), np.empty(2)
    h, f = np.empty((k, N)), np.zeros(k)
    for c in range(k):
        for i in range(N):
            weak_look(x, c * N + i, notes[c * N + i], out, *weak)  # noqa: F821 bound
            h[c, i] = weak_margin(notes[c * N + i], out)  # noqa: F821 bound
            f[c] += alpha[c, i] * h[c, i]
    return notes, h, f


@kernel
def scores(seen, alpha, rules, weak):
    return seen[2]


@kernel
def chances(seen, among, alpha, rules, weak):
    q = np.zeros(len(alpha))
    add_best_chances(seen[2], among, 1.0, q)
    return elsewhere_chances(q, among, rules[0])


@kernel
def choose(seen, among, rng, alpha, rules, weak):
    return elsewhere(one_of_best(seen[2], among, rng)[0], among, rules[0], rng)


def update(x, seen, label, greedy, propensity, reward, truth, rng, alpha, rules, weak):
    rho, gamma, eta, others, scale = rules
    notes, h, f = seen
    k, N = alpha.shape
    theta = gamma / (2.0 + gamma)
    for c in range(k):
        if c != label and not (others and label == truth):
            continue
        b = 1.0 if c == truth else -1.0
        z = 0.0
        for i in range(N):
            at = c * N + i
            w = scale[at] * min(1.0, (1.0 - gamma) ** (0.5 * z)) / propensity
            weak_learn(x, at, notes[at], 1 if b > 0.0 else 0, w, *weak)  # noqa: F821 bound
            z += b * h[c, i] - theta
        if eta > 0.0 and b * f[c] < theta:
            _reweigh(alpha[c], h[c], eta * b / propensity)


@kernel
def _reweigh(alpha, h, step):
    """α_i ∝ α_i·exp(step·h_i)."""
    total, most = 0.0, -math.inf
    for i in range(len(alpha)):
        if alpha[i] > 0.0:  # one that is left: else the sum could be 0
            most = max(most, step * h[i])
    for i in range(len(alpha)):
        alpha[i] *= math.exp(min(step * h[i] - most, 0.0))
        total += alpha[i]
    for i in range(len(alpha)):
        alpha[i] /= total


@dataclass
class BinBandit(
    Booster, look=look, scores=scores, chances=chances, choose=choose,
    update=update,
):  # fmt: skip
    """One boosted vote of binary learners per class, for bandit feedback.

    Examples
    --------
    >>> from onearm import Diagonal
    >>> stream = Diagonal(10_000, n_features=10, n_used=2)  # a tenth of the labels is noise
    >>> learner = BinBandit(n_classes=2, n_features=10)
    >>> trace = learner.play(stream)
    >>> int((~trace.correct[-1000:]).sum())
    100
    """

    n_learners: int = whole(10, 1, doc="Number N of weak learners of each class.")
    rho: float = rho_field()
    gamma: float = real(0.1, "(0, 0.5)", doc=EDGE)
    eta: float = real(
        0.0, "[0, 1e12]", doc="Step size η of the vote weights, 0 for a uniform vote."
    )
    others: bool = flag(True, doc="Teach all other classes that they were wrong after a right one.")
    # α: the weight of each learner in the vote for its class
    vote_weights: np.ndarray = state(
        "n_classes", "n_learners", start=lambda self: 1.0 / self.n_learners, range="[0, 1]"
    )

    exploration = "rho"
    preset = FULL_INFORMATION | {"n_learners": (10,) * 6, "others": False}

    def sizes(self) -> tuple[int, int]:
        return self.n_classes * self.n_learners, 2

    def model(self) -> tuple:
        rules = self.rho, self.gamma, self.eta, self.others, self.scale
        return self.vote_weights, rules, self.learners.model()
