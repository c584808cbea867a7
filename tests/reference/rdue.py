"""RDUE, randomized decoding with uniform exploration: Shibukawa, Sakaue, Tsuchiya, Yamanishi 2025.

The exploration rate q0 is given (the theory's is min(1, B sqrt(k/T))).
"""

import numpy as np

from .twin import Twin


class RDUE(Twin):
    def __init__(self, k, d, B=10.0, q0=0.02):
        self.k = k
        self.B = B
        self.q0 = q0
        self.W = np.zeros((k, d))
        self.S = 0.0  # sum of squared gradient norms

    def scores(self, x):
        return self.W @ x

    def chances(self, x):
        q = self.softmax(x)
        best = np.argmax(self.scores(x))
        pz = min(1.0, 2 * (1 - q[best]))
        decoded = pz * q + (1 - pz) * np.eye(self.k)[best]
        return (1 - self.q0) * decoded + self.q0 / self.k

    def update(self, x, label, greedy, propensity, reward, truth):
        if label == truth:
            error = self.softmax(x) - np.eye(self.k)[truth]
            G = np.outer(error, x) / (np.log(2) * propensity)
            self.S += np.sum(G**2)
            self.W -= self.B / np.sqrt(2 * (1e-8 + self.S)) * G
