"""Bag: several learners, each on its own bootstrap sample of the stream, vote on the label.

Each of B bags holds a regression per label and gets every answer Poisson(1) times, as one step of
that weight. A label's chance is its share of the bags' votes, mixed with ε of uniform exploration:
shares alone would give some labels no chance. Where the chosen label was right, every other label
is known to be wrong and learns that too.

D. Eckles, M. Kaptein. Thompson sampling with the online bootstrap. 2014. - A. Bietti, A. Agarwal,
J. Langford. A contextual bandit bake-off. JMLR 22, 2021.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from onearm.core.explore import best, mixed, sample_label
from onearm.core.learner import Learner, kernel, option, real, state, whole
from onearm.core.rng import poisson
from onearm.core.state import copy_into_corner
from onearm.core.vectors import linear
from onearm.linear.adaptive import ETA_DOC, STEPS, teach


@kernel
def scores(m, W, G, rules):
    """The mean margins of the bags."""
    k = rules[0]
    s = np.zeros(k)
    for i in range(len(m)):
        s[i % k] += m[i]
    for r in range(k):
        s[r] /= len(m) // k
    return s


@kernel
def chances(m, among, W, G, rules):
    k, epsilon, _, _ = rules
    p, n_bags = np.zeros(k), len(m) // k
    for b in range(n_bags):
        p[best(m[b * k : (b + 1) * k], among)] += 1.0 / n_bags
    return mixed(p, among, epsilon)


@kernel
def choose(m, among, rng, W, G, rules):
    greedy = best(scores(m, W, G, rules), among)
    return sample_label(chances(m, among, W, G, rules), greedy, rng)


@kernel
def update(x, m, label, greedy, propensity, reward, truth, rng, W, G, rules):
    k, _, logistic, eta = rules
    for b in range(len(m) // k):
        weight = poisson(1.0, rng)
        if weight > 0:
            teach(x, m, b * k, k, label, reward, truth, weight, W, G, logistic, eta)


def grow_bags(learner: Any, old: np.ndarray, new: np.ndarray) -> None:
    """Copy the labels of each bag to the front of the same bag."""
    n, B = old.shape[0], learner.n_bags
    copy_into_corner(learner, old.reshape(n, B, -1), new.reshape(n, B, -1))


@dataclass
class Bag(Learner, look=linear, scores=scores, chances=chances, choose=choose, update=update):
    """Votes of online bootstrap samples over adaptive regressions.

    Examples
    --------
    >>> from onearm import SynSep
    >>> trace = Bag(n_classes=9, n_features=400).play(SynSep(10_000, unit=True))
    >>> int((~trace.correct).sum())
    1414
    """

    n_bags: int = whole(5, 1, doc="Number of bags B.")
    epsilon: float = real(0.05, "(0, 1]", doc="Exploration rate ε, beside the votes.")
    loss: str = option("logistic", *STEPS, doc='"logistic" or "squared".')
    eta: float = real(0.0, "[0, 1e12]", doc=ETA_DOC)
    weights: np.ndarray = state("n_features", "n_columns", grow=grow_bags)  # the bags side by side
    squared_gradients: np.ndarray = state(
        "n_features", "n_columns", range="[0, inf)", grow=grow_bags
    )

    exploration = "epsilon"
    real_rewards = True
    off_policy = True

    @property
    def n_columns(self) -> int:
        """B·k."""
        return self.n_bags * self.n_classes

    def model(self) -> tuple:
        regression = self.loss == "logistic", self.eta or STEPS[self.loss]
        return self.weights, self.squared_gradients, (self.n_classes, self.epsilon, *regression)
