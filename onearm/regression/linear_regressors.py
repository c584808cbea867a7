"""Linear regressors that do not boost, to compare with: p = W x, with ‖W‖ ≤ R.

    OGD   told the answer: W ← Π(W - η ∇ℓ(W x) xᵀ)
    NFKM  told the losses of (W + δ U_i) x for N random directions U_i, unit vectors among all n
          weights, it takes g = mean_i (n/δ)·ℓ_i·U_i for the gradient; Π keeps ‖W‖ ≤ R - δ
    FKM   the same for N = 1: what it plays is what it asks for

η = lr·t^(-power).

M. Zinkevich. Online convex programming and generalized infinitesimal gradient ascent. ICML 2003.
A. Flaxman, A. Kalai, B. McMahan. Online convex optimization in the bandit setting. SODA 2005.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.core.kernels import kernel, kernel_without_refcounts
from onearm.core.parameters import whole
from onearm.core.rng import fill_normal
from onearm.core.state import state
from onearm.regression.losses import loss_of, slope_of
from onearm.regression.regressor import BanditRegressor, GradientRegressor, Query, Regressor
from onearm.regression.stages import hear_losses


@kernel_without_refcounts
def say(x, W, p, low, high):
    """p = W x, within the label set."""
    product(x, W, p)
    for k in range(len(p)):
        p[k] = min(max(p[k], low), high)


@kernel_without_refcounts
def product(x, W, p):
    for k in range(len(p)):
        p[k] = 0.0
    for j in range(len(x)):
        for k in range(len(p)):
            p[k] += x[j] * W[j, k]


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


@kernel
def predict_rows(X, out, W, low, high):
    """The predictions for many rows."""
    for n in range(len(X)):
        say(X[n], W, out[n], low, high)


@kernel
def play_ogd(X, y, kind, said, lost, t, p, W, settings):
    """Play the rows with gradients."""
    lr, power, R, low, high = settings
    for n in range(len(X)):
        product(X[n], W, p)
        for k in range(len(p)):
            said[n, k] = min(max(p[k], low), high)
        lost[n] = loss_of(said[n], y[n], kind)
        t[0] += 1
        eta = lr * t[0] ** (-power)
        for k in range(len(p)):
            step = eta * slope_of(p[k], y[n, k], kind)
            for j in range(len(W)):
                W[j, k] -= step * X[n, j]
        project(W, R)


@kernel
def ask(x, W, directions, points, delta, rng):
    """Draw directions, and say what the weights moved along them would."""
    d, m = W.shape
    for i in range(len(directions)):
        fill_normal(directions[i], rng)
        length = 0.0
        for q in range(d * m):
            length += directions[i, q] * directions[i, q]
        scale = 1.0 / math.sqrt(length)
        product(x, W, points[i])
        for j in range(d):
            for k in range(m):
                directions[i, j * m + k] *= scale
                points[i, k] += delta * x[j] * directions[i, j * m + k]


@kernel
def hear(losses, directions, delta, t, W, lr, power, R):
    """Step against the mean estimate."""
    d, m = W.shape
    t[0] += 1
    eta = lr * t[0] ** (-power)
    for i in range(len(losses)):
        step = eta * d * m / (delta * len(losses)) * losses[i]
        for j in range(d):
            for k in range(m):
                W[j, k] -= step * directions[i, j * m + k]
    project(W, R)


@kernel
def play_fkm(
    X, y, kind, noise, said, lost, t, losses, directions, points, rng, noise_rng, delta, W, plays,
    settings,
):  # fmt: skip
    """Play the rows with losses; `plays`: what is asked for is what is said."""
    lr, power, R, low, high = settings
    for n in range(len(X)):
        ask(X[n], W, directions, points, delta, rng)
        say(X[n], W, said[n], low, high)
        if plays:
            for k in range(said.shape[1]):
                said[n, k] = points[0, k]
        lost[n] = loss_of(said[n], y[n], kind)
        hear_losses(points, y[n], kind, noise, losses, noise_rng)
        hear(losses, directions, delta, t, W, lr, power, R - delta)


@dataclass(eq=False)
class Linear(Regressor):
    """What they have: the weights."""

    W: np.ndarray = state("n_features", "n_outputs")

    def _predict(self, X: np.ndarray, out: np.ndarray) -> None:
        predict_rows(X, out, self.W, self.low, self.high)

    def _settings(self) -> tuple[float, ...]:
        return self.lr, self.power, self.R, self.low, self.high


@dataclass(eq=False)
class OGD(Linear, GradientRegressor):
    """Online gradient descent.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> said, lost = OGD(3, lr=0.1).play(X, y)
    >>> bool(lost[-200:].mean() < 0.01 * y.var())
    True
    """

    def _play(self, X, y, kind, said, lost) -> None:
        p = np.empty(self.n_outputs)
        play_ogd(X, y, kind, said, lost, self.t, p, self.W, self._settings())


@dataclass(eq=False)
class NFKM(Linear, BanditRegressor):
    """Gradient descent by the losses of N points each round; it says W x, and asks elsewhere.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> said, lost = NFKM(3, lr=0.05, N=10, seed=1).play(X, y, noise=0.1)
    >>> bool(lost[-200:].mean() < 0.3 * y.var())
    True
    """

    def validate(self) -> None:
        super().validate()
        if self.R <= self.delta:
            raise ValueError(f"R must be above delta = {self.delta}, got {self.R!r}")

    def start(self) -> None:
        super().start()
        self._points = np.zeros((self.N, self.n_outputs))

    def _along(self) -> tuple[int, ...]:
        return self.n_features, self.n_outputs

    def _flat(self, directions: np.ndarray) -> np.ndarray:
        return directions.reshape(self.N, -1)

    def _plays(self) -> bool:
        """Whether it says what it asks for."""
        return False

    def _ask(self, x: np.ndarray) -> Query:
        ask(x, self.W, self._flat(self._asked), self._points, self.delta, self.rng)
        prediction = np.empty((1, self.n_outputs))
        self._predict(x[None], prediction)
        points = self._points.copy()
        said = points[0] if self._plays() else prediction[0]
        return Query(said, points, self._asked.copy())

    def _hear(self, x: np.ndarray, directions: np.ndarray, losses: np.ndarray) -> None:
        R = self.R - self.delta
        flat = self._flat(directions)
        hear(losses, flat, self.delta, self.t, self.W, self.lr, self.power, R)

    def _play(self, X, y, kind, noise, said, lost) -> None:
        play_fkm(
            X, y, kind, noise, said, lost, self.t, np.empty(self.N), self._flat(self._asked),
            self._points, self.rng, self.noise_rng, self.delta, self.W, self._plays(),
            self._settings(),
        )  # fmt: skip


@dataclass(eq=False)
class FKM(NFKM):
    """Gradient descent from the loss of what it said, and no other; that may be no answer.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(20_000, 2)); y = X @ [1.0, -0.5]
    >>> said, lost = FKM(2, lr=0.01, seed=1).play(X, y)
    >>> bool(lost[-2000:].mean() < 0.8 * y.var())
    True
    """

    N: int = whole(1, 1, 1)

    def _plays(self) -> bool:
        return True
