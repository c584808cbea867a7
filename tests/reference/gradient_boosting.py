"""Online gradient boosting over linear learners, written down plainly from the papers."""

import numpy as np


def loss(p, y, kind):
    off = p - y
    return {
        "squared": off**2,
        "absolute": np.abs(off),
        "logistic": np.logaddexp(0, -y * p),
        "huber": np.where(np.abs(off) <= 1, off**2 / 2, np.abs(off) - 0.5),
    }[kind].sum()


def gradient(p, y, kind):
    off = p - y
    return {
        "squared": 2 * off,
        "absolute": np.sign(off),
        "logistic": -y / (1 + np.exp(y * p)),
        "huber": np.clip(off, -1, 1),
    }[kind]


class Booster:
    def __init__(self, d, m, N, gamma, lr, power, R, low, high):
        self.W = [np.zeros((m, d)) for _ in range(N)]
        self.gamma, self.lr, self.power, self.R = gamma, lr, power, R
        self.low, self.high, self.t = low, high, 0

    def stages(self, x):
        y = [np.zeros(len(self.W[0]))]
        for i, W in enumerate(self.W, 1):
            eta = 2 / (i + 1)
            y.append((1 - eta) * y[-1] + eta / self.gamma * (W @ x))
        return y[:-1], np.clip(y[-1], self.low, self.high)

    def learn(self, x, gradients):
        self.t += 1
        for i, g in enumerate(gradients):
            W = self.W[i] - self.lr * self.t**-self.power * np.outer(g, x)
            norm = np.linalg.norm(W)
            self.W[i] = W * min(1.0, self.R / norm) if norm > 0 else W
