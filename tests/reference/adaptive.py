"""k linear regressors with per-coordinate steps: AdaGrad, Duchi, Hazan, Singer, JMLR 2011."""

import numpy as np
from scipy.special import expit

ETA = {"logistic": 2.0, "squared": 0.1}  # the default step size of a loss


class Adaptive:
    def __init__(self, k, d, loss, eta):
        self.loss = loss
        self.eta = eta
        self.W = np.zeros((k, d))
        self.G = np.zeros((k, d))  # sums of squared gradients

    def margins(self, x):
        return self.W @ x

    def predictions(self, x):
        m = self.margins(x)
        return expit(m) if self.loss == "logistic" else m

    def learn(self, a, x, target, weight):
        g = weight * (self.predictions(x)[a] - target) * x
        self.G[a] += g * g
        seen = self.G[a] > 0
        self.W[a, seen] -= self.eta * g[seen] / np.sqrt(self.G[a, seen])
