"""Linear regressors that do not boost, to compare with: p = W x, with ‖W‖ ≤ R.

    OGD   from the answer: W ← Π(W - η ∇ℓ(W x) xᵀ)
    NFKM  from the losses of (W + δ U_i) x for N random directions U_i, unit vectors among all n
          weights, it takes g = mean_i (n/δ)·ℓ_i·U_i for the gradient; Π keeps ‖W‖ ≤ R - δ
    FKM   the same for N = 1: what it plays is what it asks for

With `perturb="prediction"` they move not weights but predictions: v_i is a unit vector among the m
outputs, losses are those of W x + δ v_i, the estimate is g = mean_i (m/δ)·ℓ_i·v_i xᵀ, and ‖W‖ ≤ R.

η = lr·t^(-power).

M. Zinkevich. Online convex programming and generalized infinitesimal gradient ascent. ICML 2003.
A. Flaxman, A. Kalai, B. McMahan. Online convex optimization in the bandit setting. SODA 2005.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from onearm.core.kernels import kernel_without_refcounts
from onearm.core.parameters import option, real, whole
from onearm.core.rng import normal
from onearm.core.state import state
from onearm.core.vectors import entry, size
from onearm.regression.losses import slope_of
from onearm.regression.regressor import Regressor
from onearm.regression.rounds import Kernels, assemble
from onearm.regression.stages import move


@kernel_without_refcounts
def predict(x, prediction, model):
    """W x, within the label set; the scratch array keeps it as it was."""
    W, p, (lr, power, R, delta, low, high) = model
    product(x, W, p)
    for k in range(len(p)):
        prediction[k] = min(max(p[k], low), high)


@kernel_without_refcounts
def product(x, W, p):
    for k in range(len(p)):
        p[k] = 0.0
    for i in range(size(x)):
        j, v = entry(x, i)
        for k in range(len(p)):
            p[k] += v * W[j, k]


@kernel_without_refcounts
def project(W, R):
    """Into the ball of radius R."""
    length = 0.0
    for j in range(W.shape[0]):
        for k in range(W.shape[1]):
            length += W[j, k] * W[j, k]
    if length > R * R:
        for j in range(W.shape[0]):
            for k in range(W.shape[1]):
                W[j, k] *= R / math.sqrt(length)


@kernel_without_refcounts
def learn(x, y, kind, t, model):
    """Step against the gradient at p = W x."""
    W, p, (lr, power, R, delta, low, high) = model
    eta = lr * t ** (-power)
    for k in range(len(p)):
        step = eta * slope_of(p[k], y[k], kind)
        for i in range(size(x)):
            j, v = entry(x, i)
            W[j, k] -= step * v
    project(W, R)


@kernel_without_refcounts
def ask(x, prediction, points, directions, rng, model):
    """Draw directions; the points are predictions of the weights moved along them."""
    W, p, (lr, power, R, delta, low, high) = model
    d, m = W.shape
    for i in range(len(directions)):
        length = 0.0
        for j in range(d):
            for k in range(m):
                directions[i, j, k] = normal(rng)
                length += directions[i, j, k] * directions[i, j, k]
        scale = 1.0 / math.sqrt(length)
        for j in range(d):
            for k in range(m):
                directions[i, j, k] *= scale
        product(x, W, points[i])
        for e in range(size(x)):
            j, v = entry(x, e)
            for k in range(m):
                points[i, k] += delta * v * directions[i, j, k]


@kernel_without_refcounts
def ask_for_prediction(x, prediction, points, directions, rng, model):
    """The same; the first point is played."""
    ask(x, prediction, points, directions, rng, model)
    for k in range(len(prediction)):
        prediction[k] = points[0, k]


@kernel_without_refcounts
def learn_losses(x, losses, directions, t, model):
    """Step against the mean estimate."""
    W, p, (lr, power, R, delta, low, high) = model
    d, m = W.shape
    eta = lr * t ** (-power)
    for i in range(len(losses)):
        step = eta * d * m / (delta * len(losses)) * losses[i]
        for j in range(d):
            for k in range(m):
                W[j, k] -= step * directions[i, j, k]
    project(W, R - delta)


@kernel_without_refcounts
def ask_around(x, prediction, points, directions, rng, model):
    """Draw directions; the points are the prediction W x moved along them."""
    _, p, (lr, power, R, delta, low, high) = model
    for i in range(len(points)):
        for k in range(len(p)):
            points[i, k] = p[k]
    move(points, points, directions, delta, rng)


@kernel_without_refcounts
def ask_around_for_prediction(x, prediction, points, directions, rng, model):
    """The same; the first point is played."""
    ask_around(x, prediction, points, directions, rng, model)
    for k in range(len(prediction)):
        prediction[k] = points[0, k]


@kernel_without_refcounts
def learn_losses_around(x, losses, directions, t, model):
    """Step against the mean estimate of the gradient by the prediction."""
    W, p, (lr, power, R, delta, low, high) = model
    N, m = directions.shape
    eta = lr * t ** (-power)
    for k in range(m):
        g = 0.0
        for i in range(N):
            g += losses[i] * directions[i, k]
        step = eta * m / (delta * N) * g
        for i in range(size(x)):
            j, v = entry(x, i)
            W[j, k] -= step * v
    project(W, R)


def linear_model(r: Any, delta: float = 0.0) -> tuple:
    """Return weights, a scratch array and settings of a regressor."""
    return r.weights, np.empty(r.n_outputs), (r.lr, r.power, r.R, delta, r.low, r.high)


@dataclass(eq=False)
class OGD(Regressor):
    """Online gradient descent.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> predictions, losses = OGD(3, lr=0.1).play(X, y)
    >>> bool(losses[-200:].mean() < 0.01 * y.var())
    True
    """

    weights: np.ndarray = state("n_features", "n_outputs")

    full_information = True
    kernels = assemble("OGD", predict, learn)

    def model(self) -> tuple:
        return linear_model(self)


@dataclass(eq=False)
class NFKM(Regressor):
    """Gradient descent by the losses at N points each round, around the prediction W x.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> predictions, losses = NFKM(3, lr=0.05, n_points=10, seed=1).play(X, y, noise=0.1)
    >>> bool(losses[-200:].mean() < 0.3 * y.var())
    True
    """

    n_points: int = whole(20, 1, doc="Number N of points whose losses are queried.")
    delta: float = real(
        0.5, "[1e-12, 1e12]", doc="Distance δ that weights or predictions are moved."
    )
    perturb: str = option(
        "weights", "weights", "prediction", doc="What is moved: the 'weights' or the 'prediction'."
    )
    weights: np.ndarray = state("n_features", "n_outputs")

    kernels_by_perturb: ClassVar[dict[str, Kernels]] = {
        "weights": assemble("NFKM", predict, learn_losses, ask),
        "prediction": assemble("NFKM.around", predict, learn_losses_around, ask_around),
    }

    @property
    def kernels(self) -> Kernels:  # type: ignore[override] # by what is moved
        return self.kernels_by_perturb[self.perturb]

    def model(self) -> tuple:
        return linear_model(self, self.delta)

    def validate(self) -> None:
        super().validate()
        if self.perturb == "weights" and self.R <= self.delta:
            raise ValueError(f"R must be above delta = {self.delta}, got {self.R!r}")

    def directions_shape(self) -> tuple[int, ...]:
        if self.perturb == "prediction":
            return self.n_points, self.n_outputs
        return self.n_points, self.n_features, self.n_outputs


@dataclass(eq=False)
class FKM(NFKM):
    """Gradient descent from the loss of the point that is played alone, off the prediction W x.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(20_000, 2)); y = X @ [1.0, -0.5]
    >>> predictions, losses = FKM(2, lr=0.01, seed=1).play(X, y)
    >>> bool(losses[-2000:].mean() < 0.8 * y.var())
    True
    """

    n_points: int = whole(1, 1, 1, doc="Always 1.")

    kernels_by_perturb: ClassVar[dict[str, Kernels]] = {
        "weights": assemble("FKM", predict, learn_losses, ask_for_prediction),
        "prediction": assemble(
            "FKM.around", predict, learn_losses_around, ask_around_for_prediction
        ),
    }
