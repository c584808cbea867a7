"""Linear weak learners of linear losses: prediction W x, then W ← Π(W - η g xᵀ).

Π keeps ‖W‖ (of all outputs of a learner together) within R: a linear loss ⟨g, W x⟩ does not grow
when W does, so that without a bound W would drift away. The step is η = lr·t^(-power).

    weights        W, (d, N·m)  those of one column lie side by side, learner by learner
    squared_norms  (N,)         ‖W‖² of each learner
"""

import math

import numpy as np

from onearm.core.kernels import kernel_without_refcounts
from onearm.core.memory import Shapes
from onearm.core.vectors import entry, size, sqnorm
from onearm.regression.weak_learners import WeakLearners

RENEWED = 1000  # rounds after which ‖W‖² is added up anew


class LinearWeak(WeakLearners):
    """The learners."""

    weights: np.ndarray
    squared_norms: np.ndarray

    def shapes(self) -> Shapes:
        d, m, N = self.sizes
        return {"weights": ((d, N * m), np.float64), "squared_norms": ((N,), np.float64)}

    def model(self) -> tuple:
        return self.weights, self.squared_norms, np.empty(self.weights.shape[1]), self.settings


@kernel_without_refcounts
def predict(x, a, weak):
    """a_i = W_i x."""
    W = weak[0]
    for q in range(len(a)):
        a[q] = 0.0
    for i in range(size(x)):
        j, v = entry(x, i)
        if v != 0.0:
            for q in range(len(a)):
                a[q] += v * W[j, q]


@kernel_without_refcounts
def learn(x, t, g, a, weak):
    """Take the step of round t = 1, 2, … against the gradients g; a are the predictions."""
    W, squared, scale, (lr, power, R) = weak
    N = len(squared)
    m = len(a) // N
    eta, length = lr * t ** (-power), sqnorm(x)
    shrinks = False
    for i in range(N):
        for q in range(i * m, (i + 1) * m):
            g[q] *= eta
            squared[i] += g[q] * (g[q] * length - 2.0 * a[q])
        factor = 1.0
        if squared[i] > R * R:
            factor = R / math.sqrt(squared[i])
            squared[i], shrinks = R * R, True
        for q in range(i * m, (i + 1) * m):
            scale[q] = factor
    for i in range(size(x)):
        j, v = entry(x, i)
        if v != 0.0:
            for q in range(len(a)):
                W[j, q] -= v * g[q]
    if shrinks:
        for j in range(len(W)):
            for q in range(len(a)):
                W[j, q] *= scale[q]
    if t % RENEWED == 0:
        _add_up(W, squared)


@kernel_without_refcounts
def _add_up(W, squared):
    N = len(squared)
    m = W.shape[1] // N
    for i in range(N):
        squared[i] = 0.0
        for j in range(len(W)):
            for q in range(i * m, (i + 1) * m):
                squared[i] += W[j, q] * W[j, q]
