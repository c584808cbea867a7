"""Gradient descent from answers or from losses, and boosting in the span, written down plainly."""

import numpy as np

from tests.reference.gradient_boosting import gradient


def within(W, R):
    norm = np.linalg.norm(W)
    return W if norm <= R else W * (R / norm)


class OGD:
    def __init__(self, d, m, lr, power, R):
        self.W, self.lr, self.power, self.R, self.t = np.zeros((m, d)), lr, power, R, 0

    def step(self, g):
        self.t += 1
        self.W = within(self.W - self.lr * self.t**-self.power * g, self.R)

    def learn(self, x, y, kind):
        self.step(np.outer(gradient(self.W @ x, y, kind), x))


class NFKM(OGD):
    def __init__(self, d, m, lr, power, R, delta):
        super().__init__(d, m, lr, power, R - delta)
        self.delta = delta

    def points(self, x, directions):
        return [(self.W + self.delta * U.T) @ x for U in directions]

    def learn(self, losses, directions):
        n = self.W.size
        pairs = zip(losses, directions, strict=True)
        self.step(np.mean([n / self.delta * loss * U.T for loss, U in pairs], axis=0))


class AroundPredictions(OGD):
    """N-FKM that moves predictions, not weights."""

    def __init__(self, d, m, lr, power, R, delta):
        super().__init__(d, m, lr, power, R)
        self.delta = delta

    def points(self, x, directions):
        return [self.W @ x + self.delta * v for v in directions]

    def learn(self, x, losses, directions):
        m = len(self.W)
        pairs = zip(losses, directions, strict=True)
        self.step(np.mean([m / self.delta * loss * np.outer(v, x) for loss, v in pairs], axis=0))


class Span:
    def __init__(self, d, m, N, lr, power, R, B):
        self.weak = [OGD(d, m, lr, power, R) for _ in range(N)]
        self.sigma, self.B = np.zeros(N), B

    def stages(self, x):
        N, y = len(self.weak), [np.zeros(len(self.weak[0].W))]
        eta = np.log(N) / N
        for sigma, weak in zip(self.sigma, self.weak, strict=True):
            y.append(within((1 - sigma * eta) * y[-1] + eta * weak.W @ x, self.B))
        return y

    def learn(self, x, answer, kind, t):
        L = 4 * self.B if kind == "squared" else np.sqrt(len(answer))
        for i, y in enumerate(self.stages(x)[:-1]):
            g = gradient(y, answer, kind)
            self.weak[i].step(np.outer(g / L, x))
            moved = self.sigma[i] + g @ y / (L * self.B * np.sqrt(t))
            self.sigma[i] = np.clip(moved, 0, 1)
