"""Online gradient boosting for regression: from noisy losses alone, or from gradients.

N weak learners say a_1 … a_N, and with η_i = 2/(i+1)

    y^0 = 0,    y^i = (1 - η_i) y^{i-1} + (η_i/γ) a_i,    i = 1 … N;

the prediction is y^N, moved into the label set. Learner i hears the linear loss ⟨g_i, ·⟩, with g_i
a gradient at y^{i-1}. Where only losses are heard, at y^{i-1} + δ v_i with a random unit vector
v_i, it is the estimate (m/δ)·ℓ(y^{i-1} + δ v_i)·v_i, m the number of outputs.

N. Brukhim, E. Hazan. Online boosting with bandit feedback. ALT 2021, Algorithm 2. A. Beygelzimer,
E. Hazan, S. Kale, H. Luo. Online gradient boosting. NeurIPS 2015, Algorithms 1 and 2.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from onearm.core.kernels import bind, compose
from onearm.core.parameters import option_or_call, real, whole
from onearm.core.state import state
from onearm.regression import stages, weak_linear, weak_river, weak_trees
from onearm.regression.losses import LOGISTIC, SQUARED
from onearm.regression.regressor import BanditRegressor, GradientRegressor, Query, Regressor

KINDS = {"linear": weak_linear, "tree": weak_trees}


@cache
def bound(template: Any, kind: str) -> Any:
    """Return a template of `stages` over weak learners of this kind."""
    if kind == "river":
        return compose(template, say=weak_river.say, learn=weak_river.learn)
    both = {name: getattr(KINDS[kind], name) for name in ("say", "learn")}
    return bind(template, f"{template.__name__}.{kind}", **both)


@dataclass(eq=False)
class Boosted(Regressor):
    """What boosters have: weak learners and room for what they say."""

    N: int = whole(20, 1, doc="How many weak learners.")
    weak: Any = option_or_call(
        "linear",
        "linear",
        "stump",
        "tree",
        doc='"linear", "stump", "tree" (of `leaves` leaves) or a call that makes a regressor of '
        "River.",
    )
    leaves: int = whole(8, 2)

    def plan(self) -> None:
        d, m, N, steps = self.n_features, self.n_outputs, self.N, (self.lr, self.power, self.R)
        self.learners: Any
        if callable(self.weak):
            self._kind, self.learners = "river", weak_river.RiverWeak(self.weak, m, N, *steps)
        elif self.weak == "linear":
            self._kind, self.learners = "linear", weak_linear.LinearWeak(d, m, N, *steps)
        else:
            leaves = 2 if self.weak == "stump" else self.leaves
            self._kind, self.learners = "tree", weak_trees.TreeWeak(d, m, N, *steps, leaves)
        self.parts = (self.learners,)

    def start(self) -> None:
        super().start()
        m, N = self.n_outputs, self.N
        self._a, self._g, self._points = np.zeros(N * m), np.zeros(N * m), np.zeros((N, m))

    def _weak(self) -> tuple:
        """What templates take last."""
        return self._a, self._g, self._points, self._settings(), self.learners.model()

    def _settings(self) -> tuple[float, float, float]:
        raise NotImplementedError

    def _predict(self, X: np.ndarray, out: np.ndarray) -> None:
        a, _, *rest = self._weak()
        bound(stages.predict, self._kind)(X, out, a, *rest)


@dataclass(eq=False)
class BanditGradientBooster(Boosted, BanditRegressor):
    """Algorithm 2 of Brukhim and Hazan: boosting from the losses of N points each round.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> booster = BanditGradientBooster(3, N=10, lr=0.05, R=3.0, seed=1)
    >>> said, lost = booster.play(X, y, "squared", noise=0.1)
    >>> bool(lost[-200:].mean() < 0.3 * y.var())
    True
    """

    gamma: float = real(
        1.0,
        "(0, 1]",
        doc="γ: how much better than they are the sum of the weak learners is hoped to be, in (0, "
        "1].",
    )

    def _along(self) -> tuple[int, ...]:
        return (self.n_outputs,)

    def _settings(self) -> tuple[float, float, float]:
        return self.gamma, self.low, self.high

    def _ask(self, x: np.ndarray) -> Query:
        prediction, points = np.empty((1, self.n_outputs)), self._points
        self._predict(x[None], prediction)
        stages.move(points, self._asked, self.delta, self.rng)
        return Query(prediction[0], points.copy(), self._asked.copy())

    def _hear(self, x: np.ndarray, directions: np.ndarray, losses: np.ndarray) -> None:
        stages.estimate(losses, directions, self.delta, self._g)
        bound(stages.step, self._kind)(x, self.t, *self._weak())

    def _play(self, X, y, kind, noise, said, lost) -> None:
        bound(stages.play_bandit, self._kind)(
            X, y, kind, noise, said, lost, np.empty(self.N), self._asked, self.rng,
            self.noise_rng, self.delta, self.t, *self._weak(),
        )  # fmt: skip


@dataclass(eq=False)
class GradientBooster(Boosted, GradientRegressor):
    """Algorithm 2 of Beygelzimer and others: the same, told the gradients.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> said, lost = GradientBooster(3, N=10, lr=0.05, R=3.0).play(X, y)
    >>> bool(lost[-200:].mean() < 0.05 * y.var())
    True
    """

    gamma: float = real(1.0, "(0, 1]")

    def _settings(self) -> tuple[float, float, float]:
        return self.gamma, self.low, self.high

    def _play(self, X, y, kind, said, lost) -> None:
        play = bound(stages.play_gradients, self._kind)
        play(X, y, kind, said, lost, self.t, *self._weak())


@dataclass(eq=False)
class SpanBooster(Boosted, GradientRegressor):
    """Algorithm 1 of Beygelzimer and others: in the span of the weak learners, not their hull.

    With η = ln N/N, y^i = Π((1 - σ_i η) y^{i-1} + η a_i), Π into the ball of radius B, which must
    hold all answers; the shrinkage σ_i is learned too.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> said, lost = SpanBooster(3, N=20, lr=0.5, R=3.0, B=8.0).play(X, y)
    >>> bool(lost[-200:].mean() < 0.05 * y.var())
    True
    """

    N: int = whole(20, 3)
    B: float = real(10.0, "[1e-12, 1e12]")
    sigma: np.ndarray = state("N", range="[0, 1]")  # the shrinkages

    def _settings(self) -> tuple[float, float, float]:
        return self.B, self.low, self.high

    def _predict(self, X: np.ndarray, out: np.ndarray) -> None:
        a, _, *rest = self._weak()
        bound(stages.predict_span, self._kind)(X, out, self.sigma, a, *rest)

    def _require_answers(self, y: np.ndarray, kind: int) -> None:
        longest = np.sqrt((y * y).sum(axis=1).max(initial=0.0))
        if kind != LOGISTIC and longest > self.B:
            raise ValueError(f"B must be at least the norm of every y, {longest:g}, got {self.B!r}")

    def _play(self, X, y, kind, said, lost) -> None:
        L = 4.0 * self.B if kind == SQUARED else np.sqrt(self.n_outputs)  # of the loss in the ball
        play = bound(stages.play_span, self._kind)
        play(X, y, kind, said, lost, self.sigma, L, self.t, *self._weak())
