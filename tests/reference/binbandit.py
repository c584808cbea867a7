"""BinBandit: Chen, Lin, Lu, Boosting with online binary learners for the multiclass bandit problem,
ICML 2014, explored as in Zhang, Jung, Tewari, AISTATS 2019.

For each class c, N binary weak learners have margins h in [-1, 1] in favour of c.
"""

import math

import numpy as np

from .boosted import Boosted
from .observers import total
from .weak import Linear, make_weak


class BinBandit(Boosted):
    def __init__(self, k, d, rho=0.001, n_learners=10, gamma=0.1, eta=0.0, others=False, **weak):
        self.k = k
        self.rho = rho
        self.N = n_learners
        self.gamma = gamma
        self.theta = gamma / (2 + gamma)
        self.eta = eta
        self.others = others
        self.weak, self.weight_scales = make_weak(k * self.N, 2, d, **weak)
        self.alpha = [[1 / self.N] * self.N for _ in range(k)]

    def state(self):
        return super().state() | {"vote_weights": self.alpha}

    def h(self, c, i, x):
        learner = self.weak[c * self.N + i]
        s = learner.scores(x)
        if isinstance(learner, Linear):
            return max(-1.0, min(1.0, (s[1] - s[0]) / 2))
        return 2 * s[1] - 1

    def f(self, c, x):
        return total(self.alpha[c][i] * self.h(c, i, x) for i in range(self.N))

    def scores(self, x):
        return np.array([self.f(c, x) for c in range(self.k)])

    def learn(self, c, x, b, p):
        """Learn that the label is c (b = +1) or is not (b = -1)."""
        h = [self.h(c, i, x) for i in range(self.N)]
        f = self.f(c, x)
        z = 0.0
        for i in range(self.N):
            w = min(1.0, (1 - self.gamma) ** (z / 2))
            number = c * self.N + i
            weight = self.weight_scales[number] * (w / p)
            self.weak[number].learn(x, 1 if b > 0 else 0, weight)
            z += b * h[i] - self.theta
        if self.eta > 0 and b * f < self.theta:
            moved = [self.alpha[c][i] * math.exp(self.eta * b * h[i] / p) for i in range(self.N)]
            self.alpha[c] = [a / total(moved) for a in moved]

    def update(self, x, label, greedy, propensity, reward, truth, rng):
        right = label == truth
        self.learn(label, x, +1 if right else -1, propensity)
        if right and self.others:
            for c in range(self.k):
                if c != label:
                    self.learn(c, x, -1, propensity)
