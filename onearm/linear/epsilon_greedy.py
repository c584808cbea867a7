"""ε-greedy over regressions, in the three ways of contextual bandits to learn from one answer.

With p the propensity of the label a that was said and r its reward, the regressions of the labels
learn towards

    mtr   for a alone: r, with weight 1/(k·p)
    ips   for every label b: -1[b=a]·(1-r)/p            an unbiased estimate of minus its cost
    dr    for every label b: q_b + 1[b=a]·(r-q_a)/p     where q, a second set, learns r of a

A. Bietti, A. Agarwal, J. Langford. A contextual bandit bake-off. JMLR 22, 2021.
"""

from dataclasses import dataclass

import numpy as np

from onearm.core.estimate import doubly_robust, inverse_propensity
from onearm.core.explore import best, uniform_chances, uniformly
from onearm.core.kernels import kernel
from onearm.core.learner import Learner, state
from onearm.core.parameters import option, real
from onearm.core.vectors import linear
from onearm.linear.adaptive import LOSSES, STEPS, descend, descend_one, reward_of

ESTIMATORS = ("mtr", "ips", "dr")


@kernel
def chances(m, among, W, G, V, H, estimator, logistic, epsilon, eta):
    return uniform_chances(best(m, among), among, epsilon, len(m))


@kernel
def choose(m, among, rng, W, G, V, H, estimator, logistic, epsilon, eta):
    return uniformly(best(m, among), among, epsilon, rng)


@kernel
def update(
    x,
    m,
    label,
    greedy,
    propensity,
    reward,
    truth,
    rng,
    W,
    G,
    V,
    H,
    estimator,
    logistic,
    epsilon,
    eta,
):
    k = len(m)
    if estimator == 0:
        slope = (reward_of(m[label], logistic) - reward) / (k * propensity)
        descend_one(x, slope, label, W, G, eta)
        return
    if estimator == 1:
        target = inverse_propensity(label, propensity, reward, k)
    else:
        q = linear(x, V)
        target = doubly_robust(q, label, propensity, reward)
        descend_one(x, q[label] - reward, label, V, H, eta)
    for b in range(k):
        target[b] = m[b] - target[b]
    descend(x, target, 0, W, G, eta)


@dataclass
class EpsilonGreedy(Learner, look=linear, chances=chances, choose=choose, update=update):
    """ε-greedy over one adaptive regression per label.

    Examples
    --------
    >>> from onearm import SynSep
    >>> trace = EpsilonGreedy(n_classes=9, n_features=400).play(SynSep(10_000, unit=True))
    >>> int((~trace.correct).sum())
    741
    """

    estimator: str = option(
        "mtr",
        *ESTIMATORS,
        fixed=True,
        doc='"mtr" (multi-task regression), "ips" (inverse propensities) or "dr" (doubly robust).',
    )
    epsilon: float = real(0.05, "(0, 1]", doc="Exploration rate ε in (0, 1].")
    loss: str = option(
        "logistic",
        *LOSSES,
        doc='"logistic" or "squared", for "mtr"; the targets of the others are no probabilities, '
        "their loss is the squared one.",
    )
    eta: float = real(
        0.0,
        "[0, 1e12]",
        doc="Step size η of the regressions; 0 takes what did well on rows of norm 1: 2 for the "
        "logistic loss, 0.1 for the squared one.",
    )
    W: np.ndarray = state("n_features", "n_classes")
    G: np.ndarray = state("n_features", "n_classes", range="[0, inf)")  # Σ of squared gradients
    V: np.ndarray = state("n_modelled", "n_classes")  # the weights of q
    H: np.ndarray = state("n_modelled", "n_classes", range="[0, inf)")  # as G, of V

    exploration = "epsilon"
    real_rewards = True
    off_policy = True

    @property
    def n_modelled(self) -> int:
        """How many features q has: none if it is not used."""
        return self.n_features if self.estimator == "dr" else 0

    def model(self) -> tuple:
        loss = self.loss if self.estimator == "mtr" else "squared"
        eta, estimator = self.eta or STEPS[loss], ESTIMATORS.index(self.estimator)
        return self.W, self.G, self.V, self.H, estimator, loss == "logistic", self.epsilon, eta
