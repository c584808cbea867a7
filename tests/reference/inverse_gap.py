"""Inverse gap weighting: SquareCB (Foster, Rakhlin, ICML 2020), FastCB (Foster, Krishnamurthy,
NeurIPS 2021). The regressors predict rewards; the rules are written in costs, 1 - reward."""

import numpy as np

from .adaptive import ETA, Adaptive
from .twin import Twin


class InverseGap(Twin):
    def __init__(
        self,
        k,
        d,
        rule="square",
        loss="logistic",
        scale=10.0,
        exponent=0.5,
        eta=0.5,
    ):
        self.k = k
        self.rule = rule
        self.scale, self.exponent = scale, exponent
        self.regressors = Adaptive(k, d, loss, eta)
        self.updates = 0

    @classmethod
    def resolved(cls, learner):
        return {"eta": learner.eta or ETA[learner.loss]}

    def scores(self, x):
        return self.regressors.margins(x)

    def chances(self, x):
        t = self.updates + 1
        gamma = self.scale * t**self.exponent
        cost = 1 - np.clip(self.regressors.predictions(x), 0, 1)
        b = np.argmax(self.scores(x))
        if self.rule == "square":
            p = 1 / (self.k + gamma * (cost - cost[b]))
        else:
            cost = np.clip(cost, 1e-6, 1 - 1e-6)
            p = cost[b] / (self.k * cost[b] + gamma * (cost - cost[b]))
        p[b] = 0
        p[b] = 1 - p.sum()
        return p

    def update(self, x, label, greedy, propensity, reward, truth):
        self.updates += 1
        self.regressors.learn(label, x, reward, 1)
        if truth == label:
            for a in range(self.k):
                if a != label:
                    self.regressors.learn(a, x, 0, 1)
