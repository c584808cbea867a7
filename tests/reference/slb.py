"""SLB, the bandit perceptron for strongly separable data: Beygelzimer, Pal, Szorenyi,
Thiruvenkatachari, Wei, Zhang, Bandit multiclass linear classification, ICML 2019.

eager=True also corrects the scores of wrong sign after a right answer, as the authors' code does.
"""

import numpy as np

from .twin import Twin


class SLB(Twin):
    def __init__(self, k, d, eager=False):
        self.k = k
        self.eager = eager
        self.W = np.zeros((k, d))

    def scores(self, x):
        return self.W @ x

    def chances(self, x):
        s = self.scores(x)
        if np.all(s < 0):
            return np.full(self.k, 1 / self.k)
        return np.eye(self.k)[np.argmax(s)]  # the argmax is among those with s >= 0

    def update(self, x, label, greedy, propensity, reward, truth):
        s = self.scores(x)
        unsure = np.all(s < 0)
        if label != truth:
            if not unsure:
                self.W[label] -= x
        elif self.eager:
            for j in range(self.k):
                if j != truth and s[j] >= 0:
                    self.W[j] -= x
            if s[truth] <= 0:
                self.W[truth] += x
        elif unsure:
            self.W[truth] += x
