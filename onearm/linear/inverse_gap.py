"""InverseGap: explores each label less, the more it seems worse than the best.

A regression per label predicts the chance f_r that it is right; its cost is c_r = 1 - f_r, the best
label b. Over k labels, in round t with g = scale·t^exponent,

    square (SquareCB)   P(r) = 1 / (k + g·(c_r - c_b))
    fast (FastCB)       P(r) = c_b / (k·c_b + g·(c_r - c_b))        for r ≠ b, the rest on b.

The chosen label learns its reward; where it was right, every other label is known to be wrong and
learns that too.

D. Foster, A. Rakhlin. Beyond UCB: optimal and efficient contextual bandits with regression oracles.
ICML 2020. - D. Foster, A. Krishnamurthy. Efficient first-order contextual bandits. NeurIPS 2021.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.core.explore import best, inverse_gap, sample_label
from onearm.core.learner import Learner, kernel, option, real, state
from onearm.core.vectors import linear
from onearm.linear.adaptive import ETA_DOC, STEPS, reward_of, teach

RULES = ("square", "fast")
EDGE = 1e-6  # FastCB's costs stay this far from 0 and 1


@kernel
def chances(m, among, W, G, t, rules):
    fast, scale, exponent, logistic, _ = rules
    cost = np.empty(len(m))
    for r in range(len(m)):
        cost[r] = 1.0 - min(1.0, max(0.0, reward_of(m[r], logistic)))
        if fast:
            cost[r] = min(1.0 - EDGE, max(EDGE, cost[r]))
    g = scale * math.pow(t[0] + 1.0, exponent)
    return inverse_gap(cost, best(m, among), among, g, fast)


@kernel
def choose(m, among, rng, W, G, t, rules):
    return sample_label(chances(m, among, W, G, t, rules), best(m, among), rng)


@kernel
def update(x, m, label, greedy, propensity, reward, truth, rng, W, G, t, rules):
    _, _, _, logistic, eta = rules
    t[0] += 1.0
    teach(x, m, 0, len(m), label, reward, truth, 1.0, W, G, logistic, eta)


@dataclass
class InverseGap(Learner, look=linear, chances=chances, choose=choose, update=update):
    """SquareCB and FastCB over one adaptive regression per label.

    Examples
    --------
    >>> from onearm import SynSep
    >>> trace = InverseGap(n_classes=9, n_features=400).play(SynSep(10_000, unit=True))
    >>> int((~trace.correct).sum())
    275
    """

    rule: str = option("square", *RULES, doc='"square" is SquareCB, "fast" FastCB (logistic loss).')
    loss: str = option("logistic", *STEPS, doc='"logistic" or "squared".')
    scale: float = real(10.0, "[1e-12, 1e12]", doc="Factor of g; a larger g explores less.")
    exponent: float = real(0.5, "[0, 1]", doc="Exponent of t in g = scale·t^exponent.")
    eta: float = real(0.0, "[0, 1e12]", doc=ETA_DOC)
    weights: np.ndarray = state("n_features", "n_classes")
    squared_gradients: np.ndarray = state("n_features", "n_classes", range="[0, inf)")
    n_updates: np.ndarray = state(1, range="[0, inf)")

    exploration = "scale"
    real_rewards = True
    off_policy = True

    def validate(self) -> None:
        if self.rule == "fast" and self.loss != "logistic":
            raise ValueError(f"loss must be 'logistic' for rule='fast', got {self.loss!r}")

    def model(self) -> tuple:
        regression = self.loss == "logistic", self.eta or STEPS[self.loss]
        rules = self.rule == "fast", self.scale, self.exponent, *regression
        return self.weights, self.squared_gradients, self.n_updates, rules
