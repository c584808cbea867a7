"""Bag: several learners, each on its own bootstrap sample of the stream, vote on the label.

Each of B bags holds a regression per label and hears every answer Poisson(1) times, as one step of
that weight. A label's chance is its share of the bags' votes, mixed with ε of uniform exploration:
shares alone would give some labels no chance. Where the label said was right, every other label is
known to be wrong and learns that too.

D. Eckles, M. Kaptein. Thompson sampling with the online bootstrap. 2014. - A. Bietti, A. Agarwal,
J. Langford. A contextual bandit bake-off. JMLR 22, 2021.
"""

from dataclasses import dataclass

import numpy as np

from onearm.core.explore import best, mixed, sample_label
from onearm.core.kernels import kernel
from onearm.core.learner import Learner, state
from onearm.core.parameters import option, real, whole
from onearm.core.rng import poisson
from onearm.core.vectors import linear
from onearm.linear.adaptive import LOSSES, STEPS, hear


@kernel
def scores(m, W, G, k, logistic, epsilon, eta):
    """The mean margins of the bags."""
    s = np.zeros(k)
    for i in range(len(m)):
        s[i % k] += m[i]
    for r in range(k):
        s[r] /= len(m) // k
    return s


@kernel
def chances(m, among, W, G, k, logistic, epsilon, eta):
    p, n_bags = np.zeros(k), len(m) // k
    for b in range(n_bags):
        p[best(m[b * k : (b + 1) * k], among)] += 1.0 / n_bags
    return mixed(p, among, epsilon)


@kernel
def choose(m, among, rng, W, G, k, logistic, epsilon, eta):
    p = chances(m, among, W, G, k, logistic, epsilon, eta)
    return sample_label(p, best(scores(m, W, G, k, logistic, epsilon, eta), among), rng)


@kernel
def update(x, m, label, greedy, propensity, reward, truth, rng, W, G, k, logistic, epsilon, eta):
    for b in range(len(m) // k):
        weight = poisson(1.0, rng)
        if weight > 0:
            hear(x, m, b * k, k, label, reward, truth, weight, logistic, W, G, eta)


@dataclass
class Bag(
    Learner,
    look=linear,
    scores=scores,
    chances=chances,
    choose=choose,
    update=update,
):
    """Votes of online bootstrap samples over adaptive regressions.

    Examples
    --------
    >>> from onearm import SynSep
    >>> trace = Bag(n_classes=9, n_features=400).play(SynSep(10_000, unit=True))
    >>> int((~trace.correct).sum())
    1414
    """

    n_bags: int = whole(5, 1, doc="Number of bags B.")
    epsilon: float = real(
        0.05, "(0, 1]", doc="Rate ε in (0, 1] of the uniform exploration beside the votes."
    )
    loss: str = option("logistic", *LOSSES, doc='"logistic" or "squared".')
    eta: float = real(
        0.0,
        "[0, 1e12]",
        doc="Step size η of the regressions; 0 takes what did well on rows of norm 1: 2 for the "
        "logistic loss, 0.1 for the squared one.",
    )
    W: np.ndarray = state("n_features", "n_columns")  # the bags side by side
    G: np.ndarray = state("n_features", "n_columns", range="[0, inf)")  # Σ of squared gradients

    exploration = "epsilon"
    real_rewards = True
    off_policy = True

    @property
    def n_columns(self) -> int:
        """B·k."""
        return self.n_bags * self.n_classes

    def model(self) -> tuple:
        eta = self.eta or STEPS[self.loss]
        return self.W, self.G, self.n_classes, self.loss == "logistic", self.epsilon, eta
