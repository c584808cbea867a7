"""What all regressors share: sizes and steps, rows and answers checked, saved without pickle."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from onearm import saving
from onearm.convex.losses import LOSSES
from onearm.parameters import REQUIRED, parameters, real, settle, whole
from onearm.rng import seeded, uniform

CHOOSING, NOISE = range(2)  # generators
Loss = str | Callable[[np.ndarray, Any], float]


class Query(NamedTuple):
    """A prediction, and the points at which losses are asked for."""

    prediction: np.ndarray  # (m,)
    points: np.ndarray  # (N, m)
    directions: np.ndarray  # (N, …): unit vectors along which the points were moved


@dataclass
class Regressor:
    """Rows of n_features numbers in, n_outputs numbers out.

    Parameters
    ----------
    n_features, n_outputs
        The sizes.
    lr, power
        Steps are lr·t^(-power).
    R
        The bound of what is learned: the norm of linear weights, or of what a leaf says.
    low, high
        The label set of each output.
    seed
        Of what is drawn.
    """

    n_features: int = whole(REQUIRED, 1)
    n_outputs: int = whole(1, 1)
    lr: float = real(0.01, "(0, inf)")
    power: float = real(0.5, "[0, 1]")
    R: float = real(10.0, "(0, inf)")
    low: float = real(-np.inf, "[-inf, inf)")
    high: float = real(np.inf, "(-inf, inf]")
    seed: int = whole(0, 0)

    def __post_init__(self) -> None:
        settle(self)
        if self.low >= self.high:
            raise ValueError(f"low must be below high, got {self.low} ≥ {self.high}")
        self.t = np.zeros(1, np.int64)
        self.rng, self.noise_rng = seeded(self.seed, CHOOSING), seeded(self.seed, NOISE)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the state."""
        return {"t": self.t, "rng": self.rng, "noise_rng": self.noise_rng}

    def predict(self, X: Any) -> np.ndarray:
        """Return the predictions, (n, m), or (n,) for one output."""
        X = self._rows(X)
        out = np.empty((len(X), self.n_outputs))
        self._predict(X, out)
        return out[:, 0] if self.n_outputs == 1 else out

    def _predict(self, X: np.ndarray, out: np.ndarray) -> None:
        raise NotImplementedError

    def save(self, path: str | Path) -> None:
        """Write all of it to a file for `onearm.load`."""
        values = {one.name: getattr(self, one.name) for one in parameters(self)}
        saving.save(self, path, values, self.arrays())

    @classmethod
    def loaded(cls, parameters: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Regressor":
        """Return a regressor from what was saved of it."""
        made = cls(**parameters)
        for name, mine in made.arrays().items():
            if name not in arrays or arrays[name].shape != mine.shape:
                raise ValueError(f"saved array {name} does not fit {cls.__name__}")
            mine[...] = arrays[name]
        return made

    def _rows(self, X: Any) -> np.ndarray:
        X = np.ascontiguousarray(X, float)
        if X.ndim != 2 or X.shape[1] != self.n_features or not np.isfinite(X).all():
            raise ValueError(f"X must be finite and of shape (n, {self.n_features}), got {X.shape}")
        return X

    def _row(self, x: Any) -> np.ndarray:
        return self._rows(np.asarray(x, float).reshape(1, -1))[0]

    def _answers(self, y: Any, n: int) -> np.ndarray:
        y, m = np.asarray(y, float), self.n_outputs
        y = np.ascontiguousarray(y.reshape(n, -1) if y.size == n * m else y)
        if y.shape != (n, m) or not np.isfinite(y).all():
            raise ValueError(f"y must be finite and of shape ({n}, {m}), got {y.shape}")
        return y


@dataclass
class BanditRegressor(Regressor):
    """A regressor that asks for losses at some points around its prediction."""

    N: int = whole(20, 1)
    delta: float = real(0.5, "(0, inf)")
    _directions: np.ndarray = field(init=False, repr=False)  # those drawn last

    def choose(self, x: Any) -> Query:
        """Return the prediction for a row, and the points whose losses are to be told."""
        return self._ask(self._row(x))

    def update(self, x: Any, query: Query, losses: Any) -> None:
        """Learn from the losses at the points, which may be noisy."""
        x, losses = self._row(x), np.ascontiguousarray(losses, float)
        if losses.shape != (self.N,) or not np.isfinite(losses).all():
            raise ValueError(f"losses must be {self.N} finite numbers, got {losses!r}")
        directions, size = np.ascontiguousarray(query.directions, float), self._directions.shape
        if directions.size != self._directions.size or not np.isfinite(directions).all():
            raise ValueError(f"query must be one of this learner's, got {query!r}")
        self._hear(x, directions.reshape(size), losses)

    def play(
        self, X: Any, y: Any, loss: Loss = "squared", noise: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Predict, hear losses with noise uniform in ±noise and learn, row by row.

        `loss` is a name, or takes a point and the row's y, which may then be anything: slower.
        Return the predictions and their losses, without noise.
        """
        X = self._rows(X)
        said, lost = np.empty((len(X), self.n_outputs)), np.empty(len(X))
        if not 0.0 <= noise < np.inf:
            raise ValueError(f"noise must be a number in [0, inf), got {noise!r}")
        if len(y) != len(X):
            raise ValueError(f"y must be finite and of length {len(X)}, got {len(y)}")
        if not callable(loss):
            self._play(X, self._answers(y, len(X)), kind_of(loss), float(noise), said, lost)
            return said, lost
        for n, x in enumerate(X):
            query = self._ask(x)
            said[n], lost[n] = query.prediction, loss(query.prediction, y[n])
            losses = [
                loss(p, y[n]) + noise * (2 * uniform(self.noise_rng) - 1) for p in query.points
            ]
            self.update(x, query, losses)
        return said, lost

    def _ask(self, x: np.ndarray) -> Query:
        raise NotImplementedError

    def _hear(self, x: np.ndarray, directions: np.ndarray, losses: np.ndarray) -> None:
        raise NotImplementedError

    def _play(self, X, y, kind, noise, said, lost) -> None:
        raise NotImplementedError


@dataclass
class GradientRegressor(Regressor):
    """A regressor that is told the answer, and so every gradient."""

    def play(self, X: Any, y: Any, loss: str = "squared") -> tuple[np.ndarray, np.ndarray]:
        """Predict, hear the answer and learn, row by row: predictions and their losses."""
        X = self._rows(X)
        y = self._answers(y, len(X))
        said, lost = np.empty(y.shape), np.empty(len(X))
        self._play(X, y, kind_of(loss), said, lost)
        return said, lost

    def _play(self, X, y, kind, said, lost) -> None:
        raise NotImplementedError


def kind_of(loss: str) -> int:
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}")
    return LOSSES.index(loss)
