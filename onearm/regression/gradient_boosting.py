"""Online gradient boosting for regression: from noisy losses alone, or from gradients.

N weak learners predict a_1 … a_N, and with η_i = 2/(i+1)

    y^0 = 0,    y^i = (1 - η_i) y^{i-1} + (η_i/γ) a_i,    i = 1 … N;

the prediction is y^N, moved into the label set. Learner i gets the linear loss ⟨g_i, ·⟩, with g_i
a gradient at y^{i-1}. Where only losses are known, at y^{i-1} + δ v_i with a random unit vector
v_i, it is the estimate (m/δ)·ℓ(y^{i-1} + δ v_i)·v_i, m the number of outputs.

N. Brukhim, E. Hazan. Online boosting with bandit feedback. ALT 2021, Algorithm 2. A. Beygelzimer,
E. Hazan, S. Kale, H. Luo. Online gradient boosting. NeurIPS 2015, Algorithms 1 and 2.

Differs from the first paper: γ is in (0, 1], where it has γ ≥ 1. A weak learner is to reach γ times
what the best of its class gains, so above 1 it would have to beat the best; the proofs hold for any
γ > 0, and γ = 1 is in both ranges. Π_Y is clipping to `low` … `high`, by default the whole line.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from onearm.core.kernels import bind, compose
from onearm.core.parameters import option_or_call, real, whole
from onearm.core.state import state
from onearm.regression import stages
from onearm.regression.losses import LOGISTIC
from onearm.regression.regressor import Regressor
from onearm.regression.rounds import Kernels, assemble
from onearm.regression.weak_learners import LinearLearners, RiverLearners, WeakLearners
from onearm.regression.weak_trees import Trees


def _composed(template: Any, name: str, **kernels: Any) -> Any:
    return compose(template, **kernels)


@cache
def kernels_over(weak: tuple, name: str, predict: Any, learn: Any, ask: Any = None) -> Kernels:
    """Return the kernels of the booster called `name` over those of weak learners."""
    put = _composed if weak is RiverLearners.kernels else bind
    predict = put(predict, f"{name}.predict_one", weak_predict=weak[0])
    learn = put(learn, f"{name}.learn", weak_learn=weak[1])
    return assemble(name, predict, learn, ask and put(ask, f"{name}.ask"), put)


@dataclass(eq=False)
class Booster(Regressor):
    """What boosters have: weak learners, and scratch arrays for their predictions and gradients."""

    n_learners: int = whole(20, 1, doc="Number N of weak learners.")
    weak: Any = option_or_call(
        "linear", "linear", "stump", "tree",
        doc='"linear", "stump", "tree" (of `max_leaves` leaves), or a call that makes a regressor '
        "of River.",
    )  # fmt: skip
    max_leaves: int = whole(8, 2, doc="Leaves of a tree, at most.")

    templates: ClassVar[tuple]  # of `stages`: predict and learn, and ask where losses are asked for

    def plan(self) -> None:
        sizes = self.n_features, self.n_outputs, self.n_learners, (self.lr, self.power, self.R)
        self.learners: WeakLearners
        if callable(self.weak):
            self.learners = RiverLearners(*sizes, self.weak)
        elif self.weak == "linear":
            self.learners = LinearLearners(*sizes)
        else:
            self.learners = Trees(*sizes, 2 if self.weak == "stump" else self.max_leaves)
        self.parts = (self.learners,)

    def start(self) -> None:
        super().start()
        N, m = self.n_learners, self.n_outputs
        self._scratch: tuple = np.zeros(N * m), np.zeros(N * m), np.zeros((N, m))

    @property
    def dense_rows(self) -> bool:  # type: ignore[override] # it depends on the weak learners
        return self.weak != "linear"

    @property
    def kernels(self) -> Kernels:  # type: ignore[override] # so do they
        return kernels_over(self.learners.kernels, type(self).__name__, *self.templates)


@dataclass(eq=False)
class BanditGradientBooster(Booster):
    """Algorithm 2 of Brukhim and Hazan: boosting from the losses of N points each round.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> booster = BanditGradientBooster(3, n_learners=10, lr=0.05, R=3.0, seed=1)
    >>> predictions, losses = booster.play(X, y, "squared", noise=0.1)
    >>> bool(losses[-200:].mean() < 0.3 * y.var())
    True
    """

    gamma: float = real(1.0, "(0, 1]", doc="γ: the weak learners' advantage.")
    delta: float = real(0.5, "[1e-12, 1e12]", doc="Distance δ that points are moved.")

    templates = stages.predict, stages.learn_losses, stages.ask

    def directions_shape(self) -> tuple[int, ...]:
        return self.n_learners, self.n_outputs

    def model(self) -> tuple:
        settings = self.gamma, self.low, self.high, self.delta
        return self._scratch, settings, self.learners.model()


@dataclass(eq=False)
class GradientBooster(Booster):
    """Algorithm 2 of Beygelzimer and others: the same with full information, from gradients.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> predictions, losses = GradientBooster(3, n_learners=10, lr=0.05, R=3.0).play(X, y)
    >>> bool(losses[-200:].mean() < 0.05 * y.var())
    True
    """

    gamma: float = real(1.0, "(0, 1]", doc="γ: the weak learners' advantage.")

    full_information = True
    templates = stages.predict, stages.learn

    def model(self) -> tuple:
        return self._scratch, (self.gamma, self.low, self.high, 0.0), self.learners.model()


@dataclass(eq=False)
class SpanBooster(Booster):
    """Algorithm 1 of Beygelzimer and others: in the span of the weak learners, not their hull.

    With η = ln N/N, y^i = Π((1 - σ_i η) y^{i-1} + η a_i), Π into the ball of radius B, which must
    hold all answers; the shrinkage σ_i is learned too.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> predictions, losses = SpanBooster(3, n_learners=20, lr=0.5, R=3.0, B=8.0).play(X, y)
    >>> bool(losses[-200:].mean() < 0.05 * y.var())
    True
    """

    n_learners: int = whole(20, 3, doc="Number N of weak learners.")
    B: float = real(10.0, "[1e-12, 1e12]", doc="Radius of the ball of predictions.")
    shrinkage: np.ndarray = state("n_learners", range="[0, 1]")  # σ

    full_information = True
    templates = stages.predict_span, stages.learn_span

    def model(self) -> tuple:
        scratch, settings = (*self._scratch, self.shrinkage), (self.B, self.low, self.high, 0.0)
        return scratch, settings, self.learners.model()

    def _targets(self, kind: int, y: Any, n: int, first: int) -> np.ndarray:
        y = super()._targets(kind, y, n, first)
        longest = np.sqrt((y * y).sum(axis=1).max(initial=0.0))
        if kind != LOGISTIC and longest > self.B:
            raise ValueError(f"B must be at least the norm of every y, {longest:g}, got {self.B!r}")
        return y
