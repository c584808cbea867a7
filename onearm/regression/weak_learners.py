"""N weak learners of linear losses, each with m outputs: a part of a booster.

A kind of weak learners has two kernels: `predict(x, a, weak)` writes what they predict into a,
(N·m,), and `learn(x, t, g, a, weak)` steps against the gradients g of round t. Trees are in
`weak_trees`; here are linear learners and regressors of River.

A linear learner predicts W x, then W ← Π(W - η g xᵀ), with η = lr·t^(-power). Π keeps ‖W‖ (of all
outputs of a learner together) within R: a linear loss ⟨g, W x⟩ does not grow when W does, so that
without a bound W would drift away.

A regressor of River learns the number a - η g, within ±R, where it predicted a: if it learns that,
it is a step against the gradient g. River has objects and not arrays, so they are not saved.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from onearm.core.kernels import kernel_without_refcounts
from onearm.core.state import Part, state
from onearm.core.vectors import entry, size, sqnorm

RENEWED = 1000  # rounds after which ‖W‖² is added up anew


@dataclass(eq=False)
class WeakLearners(Part):
    """Weak learners of a kind."""

    n_features: int
    n_outputs: int
    n_learners: int
    settings: tuple[float, float, float]  # lr, power, R
    kernels: ClassVar[tuple[Callable, Callable]]  # predict and learn


@kernel_without_refcounts
def linear_predict(x, a, weak):
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
def linear_learn(x, t, g, a, weak):
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


@dataclass(eq=False)
class LinearLearners(WeakLearners):
    """Linear learners; their weights of one feature lie side by side, learner by learner."""

    weights: np.ndarray = state(lambda w: (w.n_features, w.n_learners * w.n_outputs))  # W
    squared_norms: np.ndarray = state("n_learners")  # ‖W‖² of each learner

    kernels = linear_predict, linear_learn

    def model(self) -> tuple:
        return self.weights, self.squared_norms, np.empty(self.weights.shape[1]), self.settings


def river_predict(x, a, weak):
    """Write what the regressors predict for x."""
    regressors, (_, _, R) = weak
    row = dict(enumerate(x.tolist()))
    a[:] = [regressor.predict_one(row) for regressor in regressors]
    if np.isnan(a).any():
        raise ValueError(f"a weak regressor predicts nan: {regressors[np.isnan(a).argmax()]}")
    np.clip(a, -R, R, out=a)


def river_learn(x, t, g, a, weak):
    """Teach them what they should have predicted."""
    regressors, (lr, power, R) = weak
    row = dict(enumerate(x.tolist()))
    targets = np.clip(a - lr * float(t) ** -power * g, -R, R)
    for regressor, target in zip(regressors, targets.tolist(), strict=True):
        regressor.learn_one(row, target)


@dataclass(eq=False)
class RiverLearners(WeakLearners):
    """Regressors that `make` returned: anything with `predict_one` and `learn_one`."""

    make: Callable[[], Any]

    kernels = river_predict, river_learn

    def __post_init__(self) -> None:
        self.regressors = [self.make() for _ in range(self.n_learners * self.n_outputs)]
        if not all(hasattr(regressor, "predict_one") for regressor in self.regressors):
            raise ValueError(f"weak must make regressors with predict_one, got {self.make!r}")

    def arrays(self) -> dict[str, np.ndarray]:
        """Refuse: there are none."""
        raise TypeError("a booster over River's regressors cannot be saved: they are not arrays")

    def model(self) -> tuple:
        return self.regressors, self.settings
