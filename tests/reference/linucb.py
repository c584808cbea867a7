"""LinUCB with disjoint arms: Li, Chu, Langford, Schapire, WWW 2010, Algorithm 1."""

import numpy as np

from .twin import Twin


class LinUCB(Twin):
    def __init__(self, k, d, alpha=1.0, lam=1.0, diagonal=False, floor=0.0):
        self.k = k
        self.alpha = alpha
        self.diagonal = diagonal
        self.floor = floor
        self.A = [lam * (np.ones(d) if diagonal else np.eye(d)) for _ in range(k)]
        self.b = np.zeros((k, d))

    def divide(self, a, v):
        """A_a^{-1} v."""
        return v / self.A[a] if self.diagonal else np.linalg.solve(self.A[a], v)

    def scores(self, x):
        return np.array([self.divide(a, self.b[a]) @ x for a in range(self.k)])

    def widths(self, x):
        return np.sqrt([x @ self.divide(a, x) for a in range(self.k)])

    def chances(self, x):
        best = np.argmax(self.scores(x) + self.alpha * self.widths(x))
        return self.floored(np.eye(self.k)[best])

    def update(self, x, label, greedy, propensity, reward, truth):
        self.A[label] = self.A[label] + (x * x if self.diagonal else np.outer(x, x))
        self.b[label] += reward * x
