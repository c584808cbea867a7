"""SLB: a perceptron per class for strongly separable data, without any parameter.

If some class accepts x (s_r ≥ 0), the label is the one that accepts it most, and where that was
wrong its class moves away from x. If no class does, the label is uniformly random, and where that
was right its class moves towards x. When every class is separated from all others by a margin, the
number of mistakes is finite.

A. Beygelzimer, D. Pál, B. Szörényi, D. Thiruvenkatachari, C.-Y. Wei, C. Zhang. Bandit multiclass
linear classification: efficient algorithms for the separable case. ICML 2019, Algorithm 1.
"""

from dataclasses import dataclass

import numpy as np

from onearm.core.explore import best, uniform_chances, uniformly
from onearm.core.learner import Learner, kernel, state
from onearm.core.vectors import add, linear


@kernel
def rate(s, among):
    """Explore in full if no class accepts x, else not at all."""
    return 0.0 if s[best(s, among)] >= 0.0 else 1.0


@kernel
def chances(s, among, *model):
    return uniform_chances(best(s, among), among, rate(s, among), len(s))


@kernel
def choose(s, among, rng, W):
    return uniformly(best(s, among), among, rate(s, among), rng)


@kernel
def update(x, s, label, greedy, propensity, reward, truth, rng, W):
    if label == truth:
        if s[label] < 0.0:
            add(1.0, x, W, label)
    elif s[label] >= 0.0:
        add(-1.0, x, W, label)


@dataclass
class SLB(Learner, look=linear, chances=chances, choose=choose, update=update):
    """Perceptrons for strongly separable data, exploring when no class accepts x.

    Examples
    --------
    >>> from onearm import Separable
    >>> trace = SLB(n_classes=9, n_features=400).play(Separable(10_000))
    >>> int((~trace.correct).sum())
    1580
    """

    weights: np.ndarray = state("n_features", "n_classes")

    def model(self) -> tuple:
        return (self.weights,)
