"""Epsilon-greedy over linear regressors, learning by MTR, IPS or DR.

Bietti, Agarwal, Langford, A contextual bandit bake-off, JMLR 2021. Here in rewards, larger is
better; IPS estimates minus the cost, -[a = label] (1 - reward) / propensity.
"""

import numpy as np

from .adaptive import ETA, Adaptive
from .twin import Twin


class EpsilonGreedy(Twin):
    def __init__(self, k, d, estimator="mtr", epsilon=0.05, loss="logistic", eta=0.5):
        self.k = k
        self.estimator = estimator
        self.epsilon = epsilon
        self.policy = Adaptive(k, d, loss if estimator == "mtr" else "squared", eta)
        self.q = Adaptive(k, d, "squared", eta)  # reward model, used by DR

    @classmethod
    def resolved(cls, learner):
        loss = learner.loss if learner.estimator == "mtr" else "squared"
        return {"eta": learner.eta or ETA[loss]}

    def scores(self, x):
        return self.policy.margins(x)

    def chances(self, x):
        greedy = np.eye(self.k)[np.argmax(self.scores(x))]
        return (1 - self.epsilon) * greedy + self.epsilon / self.k

    def update(self, x, label, greedy, propensity, reward, truth):
        if self.estimator == "mtr":
            self.policy.learn(label, x, reward, 1 / (self.k * propensity))
            return
        if self.estimator == "ips":
            targets = np.zeros(self.k)
            targets[label] = -(1 - reward) / propensity
        else:
            targets = self.q.predictions(x)
            targets[label] += (reward - targets[label]) / propensity
            self.q.learn(label, x, reward, 1)
        for a in range(self.k):
            self.policy.learn(a, x, targets[a], 1)
