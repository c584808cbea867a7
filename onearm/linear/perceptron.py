"""The multiclass perceptron: after an error it moves x from the chosen label to the true one.

A baseline with full information: what the bandit learners would do if every true label were shown.
Ties go to the lowest label.

K. Crammer, Y. Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3, 2003.
"""

from dataclasses import dataclass

import numpy as np

from onearm.core.explore import best, certain
from onearm.core.learner import Learner, kernel, state
from onearm.core.vectors import add, linear


@kernel
def chances(s, among, *model):
    return certain(best(s, among), len(s))


@kernel
def choose(s, among, rng, W):
    label = best(s, among)
    return label, label, 1.0


@kernel
def update(x, s, label, greedy, propensity, reward, truth, rng, W):
    if label != truth:
        add(-1.0, x, W, label)
        add(1.0, x, W, truth)


@dataclass
class Perceptron(Learner, look=linear, chances=chances, choose=choose, update=update):
    """Multiclass perceptron, with full information.

    Examples
    --------
    >>> from onearm import SynSep
    >>> trace = Perceptron(n_classes=9, n_features=400).play(SynSep(2000))
    >>> int((~trace.correct).sum())
    15
    """

    weights: np.ndarray = state("n_features", "n_classes")

    full_information = True

    def model(self) -> tuple:
        return (self.weights,)
