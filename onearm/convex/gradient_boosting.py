"""Online gradient boosting for regression: from noisy losses alone, or from gradients.

N weak learners say a_1 … a_N, and with η_i = 2/(i+1)

    y^0 = 0,    y^i = (1 - η_i) y^{i-1} + (η_i/γ) a_i,    i = 1 … N;

the prediction is y^N, moved into the label set. Learner i hears the linear loss ⟨g_i, ·⟩, with g_i
a gradient at y^{i-1}. Where only losses are heard, at y^{i-1} + δ v_i with a random unit vector
v_i, it is the estimate (m/δ)·ℓ(y^{i-1} + δ v_i)·v_i, m the number of outputs.

N. Brukhim, E. Hazan. Online boosting with bandit feedback. ALT 2021, Algorithm 2. A. Beygelzimer,
E. Hazan, S. Kale, H. Luo. Online gradient boosting. NeurIPS 2015, Algorithm 2.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from onearm import saving
from onearm.convex.losses import LOSSES
from onearm.convex.stages import hear, play_bandit, play_gradients, predict_all, query
from onearm.rng import seeded

CHOOSING, NOISE = range(2)  # generators


class Query(NamedTuple):
    """A prediction, and the points at which losses are asked for."""

    prediction: np.ndarray  # (m,)
    points: np.ndarray  # (N, m)
    directions: np.ndarray  # (N, m)


class Boosted:
    """What both boosters have: weak learners and their sum.

    Parameters
    ----------
    n_features, n_outputs
        The sizes.
    N
        How many weak learners.
    gamma
        γ: how much better than they are the sum of the weak learners is hoped to be, in (0, 1].
    lr, power, R
        Weak learners step by lr·t^(-power), within norm R.
    low, high
        The label set of each output.
    seed
        Of what is drawn.
    """

    def __init__(
        self, n_features: int, n_outputs: int = 1, *, N: int = 20, gamma: float = 1.0,
        lr: float = 0.01, power: float = 0.5, R: float = 10.0, low: float = -np.inf,
        high: float = np.inf, seed: int = 0, **more: float,
    ) -> None:  # fmt: skip
        self.parameters = {
            "n_features": n_features, "n_outputs": n_outputs, "N": N, "gamma": gamma, "lr": lr,
            "power": power, "R": R, "low": low, "high": high, "seed": seed, **more,
        }  # fmt: skip
        _check(self.parameters)
        d, m = n_features, n_outputs
        self.m, self.W, self.squared = m, np.zeros((d, N * m)), np.zeros(N)
        self.t = np.zeros(1, np.int64)
        self.rng, self.noise_rng = seeded(seed, CHOOSING), seeded(seed, NOISE)
        self._points, self._directions = np.zeros((N, m)), np.zeros((N, m))
        self._flat = np.zeros(N * m), np.zeros(N * m), np.zeros(N * m)  # what is said, g, scale

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the state."""
        return {
            "W": self.W, "squared": self.squared, "t": self.t, "rng": self.rng,
            "noise_rng": self.noise_rng,
        }  # fmt: skip

    def predict(self, X: Any) -> np.ndarray:
        """Return the predictions, (n, m), or (n,) for one output."""
        X = self._rows(X)
        out = np.empty((len(X), self.m))
        predict_all(X, out, self._model())
        return out[:, 0] if out.shape[1] == 1 else out

    def save(self, path: str | Path) -> None:
        """Write the booster to a file for `onearm.load`."""
        saving.save(self, path, self.parameters, self.arrays())

    @classmethod
    def loaded(cls, parameters: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Boosted":
        """Return a booster from what was saved of it."""
        booster = cls(**parameters)
        for name, mine in booster.arrays().items():
            if name not in arrays or arrays[name].shape != mine.shape:
                raise ValueError(f"saved array {name} does not fit {cls.__name__}")
            mine[...] = arrays[name]
        return booster

    def _model(self) -> tuple:
        p = self.parameters
        settings = tuple(float(p[k]) for k in ("gamma", "lr", "power", "R", "low", "high"))
        return self.W, self.squared, self.t, self._points, self._flat, settings

    def _rows(self, X: Any) -> np.ndarray:
        X = np.ascontiguousarray(X, float)
        if X.ndim != 2 or X.shape[1] != len(self.W) or not np.isfinite(X).all():
            raise ValueError(f"X must be finite and of shape (n, {len(self.W)}), got {X.shape}")
        return X

    def _row(self, x: Any) -> np.ndarray:
        return self._rows(np.asarray(x, float).reshape(1, -1))[0]

    def _answers(self, y: Any, n: int) -> np.ndarray:
        y, m = np.asarray(y, float), self.m
        y = np.ascontiguousarray(y.reshape(n, -1) if y.size == n * m else y)
        if y.shape != (n, m) or not np.isfinite(y).all():
            raise ValueError(f"y must be finite and of shape ({n}, {m}), got {y.shape}")
        return y


class BanditGradientBooster(Boosted):
    """Algorithm 2 of Brukhim and Hazan: boosting from the losses of N points each round.

    Parameters are those of `Boosted`, and `delta`: how far points are moved.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> booster = BanditGradientBooster(3, N=10, lr=0.05, R=3.0, seed=1)
    >>> said, lost = booster.play(X, y, "squared", noise=0.1)
    >>> bool(lost[-200:].mean() < 0.3 * y.var())
    True
    """

    def __init__(
        self, n_features: int, n_outputs: int = 1, *, delta: float = 0.5, **more: Any
    ) -> None:
        super().__init__(n_features, n_outputs, delta=delta, **more)

    def choose(self, x: Any) -> Query:
        """Return the prediction for a row, and the points whose losses are to be told."""
        prediction = np.empty(self.m)
        query(self._row(x), self._directions, prediction, self.rng, self._delta(), self._model())
        return Query(prediction, self._points.copy(), self._directions.copy())

    def update(self, x: Any, query: Query, losses: Any) -> None:
        """Learn from the losses at the points, which may be noisy."""
        x, losses = self._row(x), np.ascontiguousarray(losses, float)
        N = len(self.squared)
        if losses.shape != (N,) or not np.isfinite(losses).all():
            raise ValueError(f"losses must be {N} finite numbers, got {losses!r}")
        hear(x, losses, query.directions, self._delta(), self._model())

    def _delta(self) -> float:
        return float(self.parameters["delta"])

    def play(
        self, X: Any, y: Any, loss: str = "squared", noise: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Predict, hear losses with noise uniform in ±noise and learn, row by row.

        Return the predictions and their losses, without noise.
        """
        X = self._rows(X)
        y = self._answers(y, len(X))
        said, lost = np.empty(y.shape), np.empty(len(X))
        losses = np.empty(len(self.squared))
        play_bandit(
            X, y, kind_of(loss), float(noise), said, lost, losses, self._directions, self.rng,
            self.noise_rng, self._delta(), self._model(),
        )  # fmt: skip
        return said, lost


class GradientBooster(Boosted):
    """Algorithm 2 of Beygelzimer and others: the same, told the gradients.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)); y = X @ [1.0, -2.0, 0.5]
    >>> said, lost = GradientBooster(3, N=10, lr=0.05, R=3.0).play(X, y)
    >>> bool(lost[-200:].mean() < 0.05 * y.var())
    True
    """

    def play(self, X: Any, y: Any, loss: str = "squared") -> tuple[np.ndarray, np.ndarray]:
        """Predict, hear the answer and learn, row by row: predictions and their losses."""
        X = self._rows(X)
        y = self._answers(y, len(X))
        said, lost = np.empty(y.shape), np.empty(len(X))
        play_gradients(X, y, kind_of(loss), said, lost, self._model())
        return said, lost


def kind_of(loss: str) -> int:
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}")
    return LOSSES.index(loss)


def _check(parameters: dict[str, Any]) -> None:
    least = {"n_features": 1, "n_outputs": 1, "N": 1}
    for name, low in least.items():
        if parameters[name] < low:
            raise ValueError(f"{name} must be at least {low}, got {parameters[name]!r}")
    for name in ("gamma", "lr", "R", "delta"):
        if not parameters.get(name, 1.0) > 0:
            raise ValueError(f"{name} must be above 0, got {parameters[name]!r}")
    if not parameters["low"] < parameters["high"]:
        raise ValueError(f"low must be below high, got {parameters['low']} ≥ {parameters['high']}")
