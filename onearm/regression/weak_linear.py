"""N linear learners of linear losses, in a few arrays: prediction W x, then W ← Π(W - η g xᵀ).

Π keeps ‖W‖ (of all outputs of a learner together) within R: a linear loss ⟨g, W x⟩ does not grow
when W does, so that without a bound W would drift away. The step is η = lr·t^(-power).

    W       (d, N·m)  the weights; those of one column lie side by side, learner by learner
    squared (N,)      ‖W‖² of each learner
    a       (N·m,)    what they say, each with m outputs
"""

import math

import numpy as np

from onearm.core.interval import Interval, require_inside
from onearm.core.kernels import kernel_without_refcounts
from onearm.core.memory import Shapes
from onearm.core.state import FINITE

AFRESH = 1000  # rounds after which ‖W‖² is added up anew


class LinearWeak:
    """The learners, and room to work in."""

    def __init__(self, d: int, m: int, N: int, lr: float, power: float, R: float) -> None:
        self.d, self.m, self.N, self.settings = d, m, N, (lr, power, R)

    def shapes(self) -> Shapes:
        return {"W": ((self.d, self.N * self.m), np.float64), "squared": ((self.N,), np.float64)}

    def content_shapes(self, saved: dict[str, np.ndarray]) -> Shapes:
        return self.shapes()

    def allocate(self) -> None:
        self.W, self.squared = np.zeros((self.d, self.N * self.m)), np.zeros(self.N)
        self.scale = np.zeros(self.N * self.m)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the state."""
        return {"W": self.W, "squared": self.squared}

    content = arrays

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        for name in self.shapes():
            require_inside(name, saved[name], Interval(FINITE), "linear weak learners")

    def make_room(self, saved: dict[str, np.ndarray]) -> None:
        pass

    def model(self) -> tuple:
        return self.W, self.squared, self.scale, self.settings


@kernel_without_refcounts
def say(x, a, weak):
    """a_i = W_i x."""
    W = weak[0]
    for q in range(len(a)):
        a[q] = 0.0
    for j in range(len(x)):
        if x[j] != 0.0:
            for q in range(len(a)):
                a[q] += x[j] * W[j, q]


@kernel_without_refcounts
def learn(x, t, g, a, weak):
    """Take a step of round t = 1, 2, … against the gradients g; a is what was said."""
    W, squared, scale, (lr, power, R) = weak
    N = len(squared)
    m = len(a) // N
    eta, length = lr * t ** (-power), 0.0
    for j in range(len(x)):
        length += x[j] * x[j]
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
    for j in range(len(x)):
        if x[j] != 0.0:
            for q in range(len(a)):
                W[j, q] -= x[j] * g[q]
        if shrinks:
            for q in range(len(a)):
                W[j, q] *= scale[q]
    if t % AFRESH == 0:
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
