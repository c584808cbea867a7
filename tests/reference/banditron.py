"""Banditron: Kakade, Shalev-Shwartz, Tewari, ICML 2008, Algorithm 1."""

import numpy as np

from .twin import Twin


class Banditron(Twin):
    def __init__(self, k, d, gamma=0.05):
        self.k = k
        self.gamma = gamma
        self.W = np.zeros((k, d))

    def scores(self, x):
        return self.W @ x

    def chances(self, x):
        greedy = np.eye(self.k)[np.argmax(self.scores(x))]
        return (1 - self.gamma) * greedy + self.gamma / self.k

    def update(self, x, label, greedy, propensity, reward, truth):
        U = np.zeros_like(self.W)
        if label == truth:
            U[label] += x / propensity
        U[greedy] -= x
        self.W += U
