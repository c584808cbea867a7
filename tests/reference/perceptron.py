"""Multiclass perceptron (Kesler's construction), with full information."""

import numpy as np

from .twin import Twin


class Perceptron(Twin):
    def __init__(self, k, d):
        self.k = k
        self.W = np.zeros((k, d))

    def scores(self, x):
        return self.W @ x

    def chances(self, x):
        return np.eye(self.k)[np.argmax(self.scores(x))]

    def update(self, x, label, greedy, propensity, reward, truth):
        if greedy != truth:
            self.W[truth] += x
            self.W[greedy] -= x
