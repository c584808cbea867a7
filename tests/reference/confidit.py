"""Confidit: Crammer, Gentile, Multiclass classification with bandit feedback using adaptive
regularization, ICML 2011 (Machine Learning 2013), without clipping the margins."""

import numpy as np

from .twin import Twin


class Confidit(Twin):
    def __init__(self, k, d, alpha=1.0, eta=1.0, diagonal=False, floor=0.0):
        self.k = k
        self.alpha, self.eta = alpha, eta
        self.diagonal = diagonal
        self.floor = floor
        start = np.ones(d) if diagonal else np.eye(d)
        self.A = [(1 + alpha) ** 2 * start for _ in range(k)]
        self.b = np.zeros((k, d))

    def divide(self, i, v):
        """A_i^{-1} v."""
        return v / self.A[i] if self.diagonal else np.linalg.solve(self.A[i], v)

    def scores(self, x):
        return np.array([self.divide(i, self.b[i]) @ x for i in range(self.k)])

    def chances(self, x):
        widths = np.sqrt([self.eta * (x @ self.divide(i, x)) for i in range(self.k)])
        return self.floored(np.eye(self.k)[np.argmax(self.scores(x) + widths)])

    def update(self, x, label, greedy, propensity, reward, truth):
        self.A[label] = self.A[label] + (x * x if self.diagonal else np.outer(x, x))
        self.b[label] += x if label == truth else -self.alpha * x
