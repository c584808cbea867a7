"""Banditron: the multiclass perceptron under bandit feedback.

With a weight per feature and class in W, the greedy label is ŷ = argmax_r (xᵀW)_r. It is chosen
with probability 1-γ, otherwise a uniformly random label: P(r) = (1-γ)·1[r=ŷ] + γ/k. Having chosen
ỹ and been shown whether ỹ = y, it adds to each column of W

    U_r = x · ( 1[ỹ=y] 1[ỹ=r] / P(r)  -  1[ŷ=r] ),

whose mean over ỹ is the step of the fully informed perceptron, x · (1[y=r] - 1[ŷ=r]).

S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient bandit algorithms for online multiclass
prediction. ICML 2008, Algorithm 1.
"""

from dataclasses import dataclass

import numpy as np

from onearm.core.explore import GAMMA_DOC, best, uniform_chances, uniformly, usual_rate
from onearm.core.learner import Learner, kernel, real, state
from onearm.core.vectors import add, linear


@kernel
def chances(s, among, W, gamma):
    return uniform_chances(best(s, among), among, gamma, len(s))


@kernel
def choose(s, among, rng, W, gamma):
    return uniformly(best(s, among), among, gamma, rng)


@kernel
def update(x, s, label, greedy, propensity, reward, truth, rng, W, gamma):
    a = 1.0 / propensity if label == truth else 0.0
    if label == greedy:
        a -= 1.0
    else:
        add(-1.0, x, W, greedy)
    if a != 0.0:
        add(a, x, W, label)


@dataclass
class Banditron(Learner, look=linear, chances=chances, choose=choose, update=update):
    """Perceptron for bandit feedback that explores uniformly.

    Examples
    --------
    >>> X, y = np.eye(3)[[0, 1, 2] * 300], np.array([0, 1, 2] * 300)
    >>> learner = Banditron(n_classes=3, n_features=3, gamma=0.1)
    >>> trace = learner.play(X, y)
    >>> learner.predict(np.eye(3))
    array([0, 1, 2])
    """

    gamma: float = real(0.0, "[0, 1]", doc=GAMMA_DOC)
    weights: np.ndarray = state("n_features", "n_classes")  # the k of a feature lie side by side

    exploration = "gamma"
    off_policy = True

    def validate(self) -> None:
        vars(self)["gamma"] = self.gamma or usual_rate(self.n_classes)

    def model(self) -> tuple:
        return self.weights, self.gamma
