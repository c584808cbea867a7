"""Newtron: Hazan, Kale, NIPS 2011; PNewtron when only the diagonal of A is kept.

W', b and G are vectors of length kd (row-major k×d). W' = -A^{-1} b, scaled down to Frobenius
norm D when it is longer (in place of the constrained argmin).
"""

import numpy as np

from .twin import Twin


class Newtron(Twin):
    def __init__(self, k, d, gamma=2**-8, alpha=10.0, beta=0.01, D=6.5, diagonal=True):
        self.k, self.d = k, d
        self.gamma, self.alpha, self.beta, self.D = gamma, alpha, beta, D
        self.diagonal = diagonal
        self.A = np.full(k * d, 1 / D) if diagonal else np.eye(k * d) / D
        self.b = np.zeros(k * d)

    def weights(self):
        w = -self.b / self.A if self.diagonal else -np.linalg.solve(self.A, self.b)
        norm = np.linalg.norm(w)
        return w * (self.D / norm) if norm > self.D else w

    def scores(self, x):
        return self.weights().reshape(self.k, self.d) @ x

    def softmax(self, x):
        s = self.alpha * self.scores(x)
        e = np.exp(s - s.max())
        return e / e.sum()

    def chances(self, x):
        return (1 - self.gamma) * self.softmax(x) + self.gamma / self.k

    def update(self, x, label, greedy, propensity, reward, truth):
        p = self.softmax(x)[label]
        away = np.eye(self.k)[label] - 1 / self.k  # e_label - 1/k
        if label == truth:
            G = np.kron(-(1 - p) / propensity * away, x)
            kappa = propensity
        else:
            G = np.kron(p / propensity * away, x)
            kappa = 1.0
        self.b += (1 - kappa * self.beta * (G @ self.weights())) * G
        self.A += kappa * self.beta * (G * G if self.diagonal else np.outer(G, G))
