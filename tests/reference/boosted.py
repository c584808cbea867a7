"""What the boosters have in common: how they choose, and explore by equation (2) of Z19.

Zhang, Jung, Tewari, Online multiclass boosting with bandit feedback, AISTATS 2019.
"""

import math

import numpy as np

from onearm.core.rng import below, uniform

from .hoeffding_tree import HoeffdingTree
from .twin import Twin


def maxima(s, among):
    """The allowed labels with the largest score, ascending."""
    top = max(s[r] for r in among)
    return [r for r in among if s[r] == top]


def elsewhere(greedy, among, rho, rng):
    """Equation (2): choose greedy, but with probability rho one of the other allowed labels."""
    u = uniform(rng)
    others = [r for r in among if r != greedy]
    if not others:
        return greedy, greedy, 1.0
    if u >= rho:
        return greedy, greedy, 1.0 - rho
    number = min(int(u / rho * len(others)), len(others) - 1)
    return others[number], greedy, rho / len(others)


def explored(p, among, rho):
    """The chances of `elsewhere` when the greedy label itself has the chances p."""
    q = np.zeros(len(p))
    for greedy in among:
        for r in among:
            if len(among) == 1:
                q[r] += p[greedy]
            elif r == greedy:
                q[r] += p[greedy] * (1 - rho)
            else:
                q[r] += p[greedy] * rho / (len(among) - 1)
    return q


def one_of(labels, rng):
    """One of the labels, in ascending order, uniformly; only several need a draw."""
    return labels[below(len(labels), rng)] if len(labels) > 1 else labels[0]


class Boosted(Twin):
    """What the twins of boosters share: weak learners with parameters of their own, and choosing.

    The greedy label is one with the largest score, unless a booster says otherwise.
    """

    left_out = ("max_bytes",)
    rho = None  # with full information nothing is explored

    @classmethod
    def resolved(cls, learner):
        unit = learner.weight_scale == "unit"  # test_boosting shows that it is right
        return {"weight_scale": learner.scale[0]} if unit else {}

    def draws(self, learner):
        return (learner.updating.copy(),)

    def state(self):
        if not isinstance(self.weak[0], HoeffdingTree):
            return {}
        return {"used": [[tree.n_nodes(), math.nan] for tree in self.weak]}

    def greedy_chances(self, x, among):
        p = np.zeros(self.k)
        best = maxima(self.scores(x), among)
        for r in best:
            p[r] = 1 / len(best)
        return p

    def choose_greedy(self, x, among, rng):
        return one_of(maxima(self.scores(x), among), rng)

    def chances(self, x, among=None):
        among = range(self.k) if among is None else among
        p = self.greedy_chances(x, among)
        return p if self.rho is None else explored(p, among, self.rho)

    def choose(self, x, among, rng):
        among = range(self.k) if among is None else among
        greedy = self.choose_greedy(x, among, rng)
        return (
            (greedy, greedy, 1.0) if self.rho is None else elsewhere(greedy, among, self.rho, rng)
        )
