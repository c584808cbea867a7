"""Confidit: chooses the label whose upper confidence bound on P(y|x) is largest.

The model is P(y=r|x) = (α + u_r·x)/(1+α) for ‖x‖ = 1. Class r keeps a ridge regression, with
A_r = (1+α)²I at first; it learns when it was chosen: the target is 1 if right and -α if wrong.
The choice is argmax_r w_r·x + √(η·xᵀA_r⁻¹x).

K. Crammer, C. Gentile. Multiclass classification with bandit feedback using adaptive
regularization. Machine Learning 90, 2013.

Differs from the paper: η is constant and a parameter, and the w_r are not projected so that
w_r·x ∈ [-α, 1].
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.core.explore import FLOOR_DOC, at_least, best, certain, sample_label
from onearm.core.learner import flag, kernel, real
from onearm.linear.ridge import look, means, regress
from onearm.linear.second_order import SecondOrder


@kernel
def hopeful(seen, among, eta):
    """The allowed label with the largest upper confidence bound."""
    bound = np.empty(seen.shape[1])
    for r in range(len(bound)):
        bound[r] = seen[0, r] + math.sqrt(eta * seen[1, r])
    return best(bound, among)


@kernel
def chances(seen, among, W, A, rules, *alpha):
    eta, floor = rules
    return at_least(floor, certain(hopeful(seen, among, eta), seen.shape[1]), among)


@kernel
def choose(seen, among, rng, W, A, rules, *alpha):
    eta, floor = rules
    greedy = best(seen[0], among)
    if floor > 0.0:
        return sample_label(chances(seen, among, W, A, rules), greedy, rng)
    return hopeful(seen, among, eta), greedy, 1.0


@kernel
def update(x, seen, label, greedy, propensity, reward, truth, rng, W, A, rules, alpha):
    regress(x, seen, label, 1.0 if label == truth else -alpha, W, A)


@dataclass
class Confidit(SecondOrder, look=look, scores=means, chances=chances, choose=choose, update=update):
    """Confidence bounds over one ridge regression per class, full or diagonal.

    Examples
    --------
    >>> from onearm import Separable
    >>> trace = Confidit(n_classes=3, n_features=10).play(Separable(2000, 3, 10))
    >>> int((~trace.correct).sum())
    9
    """

    alpha: float = real(1.0, "(-1, 1]", fixed=True, doc="The target of a wrong label is -α.")
    eta: float = real(1.0, "[0, 1e12]", doc="Width η of the confidence bound.")
    diagonal: bool = flag(False, fixed=True, doc="Keep only the diagonals of the matrices A_r.")
    floor: float = real(0.0, "[0, 0.5]", doc=FLOOR_DOC)

    exploration = "eta"
    off_policy = True
    per_label = True

    def scale(self) -> tuple[float, float]:
        return (1.0 + self.alpha) ** 2, 1.0 / (1.0 + self.alpha) ** 2

    def model(self) -> tuple:
        return self.weights, self.second_order, (self.eta, self.floor), self.alpha
