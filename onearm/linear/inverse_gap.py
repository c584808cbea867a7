"""InverseGap: explores each label less, the more it seems worse than the best.

A regression per label predicts the chance f_r that it is right; its cost is c_r = 1 - f_r, the best
label b. Over k labels, in round t with g = scale·t^exponent,

    square (SquareCB)   P(r) = 1 / (k + g·(c_r - c_b))
    fast (FastCB)       P(r) = c_b / (k·c_b + g·(c_r - c_b))        for r ≠ b, the rest on b.

The label said learns its reward; where it was right, every other label is known to be wrong and
learns that too.

D. Foster, A. Rakhlin. Beyond UCB: optimal and efficient contextual bandits with regression oracles.
ICML 2020. - D. Foster, A. Krishnamurthy. Efficient first-order contextual bandits. NeurIPS 2021.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.core.explore import best, inverse_gap, sample_label
from onearm.core.kernels import kernel
from onearm.core.learner import Learner, state
from onearm.core.parameters import option, real
from onearm.core.vectors import linear
from onearm.linear.adaptive import LOSSES, STEPS, hear, reward_of

RULES = ("square", "fast")
EDGE = 1e-6  # FastCB's costs stay this far from 0 and 1


@kernel
def chances(m, among, W, G, t, fast, logistic, scale, exponent, eta):
    cost = np.empty(len(m))
    for r in range(len(m)):
        cost[r] = 1.0 - min(1.0, max(0.0, reward_of(m[r], logistic)))
        if fast:
            cost[r] = min(1.0 - EDGE, max(EDGE, cost[r]))
    g = scale * math.pow(t[0] + 1.0, exponent)
    return inverse_gap(cost, best(m, among), among, g, fast)


@kernel
def choose(m, among, rng, W, G, t, fast, logistic, scale, exponent, eta):
    p = chances(m, among, W, G, t, fast, logistic, scale, exponent, eta)
    return sample_label(p, best(m, among), rng)


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
    t,
    fast,
    logistic,
    scale,
    exponent,
    eta,
):
    t[0] += 1.0
    hear(x, m, 0, len(m), label, reward, truth, 1.0, logistic, W, G, eta)


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

    rule: str = option(
        "square", *RULES, doc='"square" (SquareCB), or "fast" (FastCB, for the logistic loss only).'
    )
    loss: str = option("logistic", *LOSSES, doc='"logistic" or "squared".')
    scale: float = real(
        10.0, "[1e-12, 1e12]", doc="The exploration falls with g = scale·t^exponent."
    )
    exponent: float = real(0.5, "[0, 1]", doc="The exploration falls with g = scale·t^exponent.")
    eta: float = real(
        0.0,
        "[0, 1e12]",
        doc="Step size η of the regressions; 0 takes what did well on rows of norm 1: 2 for the "
        "logistic loss, 0.1 for the squared one.",
    )
    W: np.ndarray = state("n_features", "n_classes")
    G: np.ndarray = state("n_features", "n_classes", range="[0, inf)")  # Σ of squared gradients
    t: np.ndarray = state(1, range="[0, inf)")  # answers heard

    exploration = "scale"
    real_rewards = True
    off_policy = True

    def validate(self) -> None:
        if self.rule == "fast" and self.loss != "logistic":
            raise ValueError(f"loss must be 'logistic' for rule='fast', got {self.loss!r}")

    def model(self) -> tuple:
        fast, logistic = self.rule == "fast", self.loss == "logistic"
        eta = self.eta or STEPS[self.loss]
        return self.W, self.G, self.t, fast, logistic, self.scale, self.exponent, eta
