"""Gaptron with bandit feedback: van der Hoeven, Exploiting the surrogate gap in online multiclass
classification, NeurIPS 2020; with the adaptive step D / sqrt(2 (1e-8 + sum ||G||^2))."""

import numpy as np

from .twin import Twin

KAPPA = 0.5


class Gaptron(Twin):
    def __init__(self, k, d, loss="logistic", gamma=0.02, D=10.0):
        self.k = k
        self.loss = loss
        self.gamma = gamma
        self.D = D
        self.W = np.zeros((k, d))
        self.S = 0.0  # sum of squared gradient norms

    def scores(self, x):
        return self.W @ x

    def gap(self, x):
        second, first = np.sort(self.scores(x))[-2:]
        m = first - second
        if self.loss == "logistic":
            q = self.softmax(x).max()
            return 1 - q if q >= 0.5 else 1.0
        if self.loss == "hinge":
            return 0.0 if m > KAPPA else 1 - m
        return (1 - min(1.0, m)) ** 2

    def chances(self, x):
        mix = max(self.gap(x), self.gamma)
        return (1 - mix) * np.eye(self.k)[np.argmax(self.scores(x))] + mix / self.k

    def gradient(self, x, y):
        e = np.eye(self.k)
        if self.loss == "logistic":
            return np.outer(self.softmax(x) - e[y], x) / np.log(2)
        s = self.scores(x)
        others = s.copy()
        others[y] = -np.inf
        j = np.argmax(others)
        m = s[y] - s[j]
        if self.loss == "hinge":
            slope = 0.0 if m > KAPPA else 1.0
        else:
            slope = 2.0 if m <= 0 else 2 * (1 - min(1.0, m))
        return slope * np.outer(e[j] - e[y], x)

    def update(self, x, label, greedy, propensity, reward, truth):
        if label == truth:
            G = self.gradient(x, truth) / propensity
            self.S += np.sum(G**2)
            self.W -= self.D / np.sqrt(2 * (1e-8 + self.S)) * G
