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

from onearm.core.explore import best, certain
from onearm.core.kernels import kernel
from onearm.core.learner import Learner, state
from onearm.core.parameters import real
from onearm.linear.full import WAY_OUT
from onearm.linear.ridge import (
    diagonal_field,
    look,
    matrices,
    means,
    regress,
    regularise,
    require_ridge,
)


@kernel
def hopeful(seen, among, eta):
    """The allowed label with the largest upper confidence bound."""
    bound = np.empty(seen.shape[1])
    for r in range(len(bound)):
        bound[r] = seen[0, r] + math.sqrt(eta * seen[1, r])
    return best(bound, among)


@kernel
def chances(seen, among, W, A, alpha, eta):
    return certain(hopeful(seen, among, eta), seen.shape[1])


@kernel
def choose(seen, among, rng, W, A, alpha, eta):
    return hopeful(seen, among, eta), best(seen[0], among), 1.0


@kernel
def update(x, seen, label, greedy, propensity, reward, truth, rng, W, A, alpha, eta):
    regress(x, seen, label, 1.0 if label == truth else -alpha, W, A)


@dataclass
class Confidit(Learner, look=look, scores=means, chances=chances, choose=choose, update=update):
    """Confidence bounds over one ridge regression per class, full or diagonal.

    Examples
    --------
    >>> from onearm import Separable
    >>> trace = Confidit(n_classes=3, n_features=10).play(Separable(2000, 3, 10))
    >>> int((~trace.correct).sum())
    9
    """

    alpha: float = real(
        1.0, "(-1, 1]", fixed=True, doc="α of the model: the target of a wrong label is -α."
    )
    eta: float = real(1.0, "[0, 1e12]", doc="Width η of the confidence bound.")
    diagonal: bool = diagonal_field()
    weights: np.ndarray = state("n_features", "n_classes")
    second_order: np.ndarray = matrices()

    exploration = "eta"
    off_policy = True
    way_out = WAY_OUT

    def start(self) -> None:
        super().start()
        regularise(self.second_order, (1.0 + self.alpha) ** 2)

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        require_ridge(self, saved, (1.0 + self.alpha) ** 2)

    def model(self) -> tuple:
        return self.weights, self.second_order, self.alpha, self.eta
