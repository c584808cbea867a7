"""SOBA, second order Banditron: Beygelzimer, Orabona, Zhang, ICML 2017, Algorithm 1.

W and theta are vectors of length kd here (row-major k×d), A is the kd×kd matrix, or its diagonal
kept as a vector. With adaptive = c > 0: gamma_t = min(1, c sqrt(k (1 + S_{t-1}) / t)).
"""

import numpy as np

from .twin import Twin


class SOBA(Twin):
    def __init__(self, k, d, gamma=2**-5, a=1.0, diagonal=True, adaptive=0.0):
        self.k, self.d = k, d
        self.gamma = gamma
        self.diagonal = diagonal
        self.adaptive = adaptive
        self.A = np.full(k * d, a) if diagonal else a * np.eye(k * d)
        self.theta = np.zeros(k * d)
        self.M = 0.0  # sum of n m, never negative
        self.S = 0.0  # sum of n q / (1 + q)
        self.updates = 0

    def divide(self, v):
        """A^{-1} v."""
        return v / self.A if self.diagonal else np.linalg.solve(self.A, v)

    def scores(self, x):
        return self.divide(self.theta).reshape(self.k, self.d) @ x

    def exploration(self):
        if self.adaptive == 0:
            return self.gamma
        t = self.updates + 1
        return min(1.0, self.adaptive * np.sqrt(self.k * (1 + self.S) / t))

    def chances(self, x):
        gamma = self.exploration()
        greedy = np.eye(self.k)[np.argmax(self.scores(x))]
        return (1 - gamma) * greedy + gamma / self.k

    def update(self, x, label, greedy, propensity, reward, truth):
        self.updates += 1
        if label != truth:
            return
        s = self.scores(x)
        others = s.copy()
        others[label] = -np.inf
        ybar = np.argmax(others)
        e = np.eye(self.k)
        g = np.kron(e[ybar] - e[label], x) / propensity
        z = np.sqrt(propensity) * g
        q = z @ self.divide(z)
        D = s[ybar] - s[label]  # <W,g> = D/P and <W,z>^2 = D^2/P
        m = (D**2 + 2 * D) / (propensity * (1 + q))
        if self.M + m >= 0:
            self.M += m
            self.S += q / (1 + q)
            self.A += z * z if self.diagonal else np.outer(z, z)
            self.theta -= g
