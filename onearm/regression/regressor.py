"""What all regressors share: sizes and steps, rows and answers checked."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from onearm.convex.arguments import real_array
from onearm.core.estimator import Estimator
from onearm.core.memory import Shapes
from onearm.core.parameters import REQUIRED, real, whole
from onearm.core.rng import seeded, uniform
from onearm.core.state import generator, state
from onearm.regression.losses import LOSSES

CHOOSING, NOISE = range(2)  # generators
LARGEST = 1e50  # number that is taken: no square of a product of two is infinite
Loss = str | Callable[[np.ndarray, Any], float]


class Query(NamedTuple):
    """A prediction, and the points at which losses are asked for."""

    prediction: np.ndarray  # (m,)
    points: np.ndarray  # (N, m)
    directions: np.ndarray  # (N, …): unit vectors along which the points were moved


@dataclass(eq=False)
class Regressor(Estimator):
    """Rows of n_features numbers in, n_outputs numbers out. Any thread may call anything."""

    n_features: int = whole(REQUIRED, 1, doc="The sizes.")
    n_outputs: int = whole(1, 1, doc="The sizes.")
    lr: float = real(0.01, "[1e-12, 1e12]", fixed=True, doc="Steps are lr·t^(-power).")
    power: float = real(0.5, "[0, 1]", fixed=True, doc="Steps are lr·t^(-power).")
    R: float = real(
        10.0,
        "[1e-12, 1e12]",
        fixed=True,
        doc="The bound of what is learned: the norm of linear weights, or of what a leaf says.",
    )
    low: float = real(-np.inf, "[-inf, inf)", doc="The label set of each output.")
    high: float = real(np.inf, "(-inf, inf]", doc="The label set of each output.")
    seed: int = whole(0, 0, doc="Of what is drawn.")
    t: np.ndarray = state(1, range="[0, 4e18]", dtype=np.int64)  # rounds
    rng: np.ndarray = generator()
    noise_rng: np.ndarray = generator()

    way_out = "use fewer features, outputs or weak learners, or set onearm.max_bytes"

    def validate(self) -> None:
        if self.low >= self.high:
            raise ValueError(f"low must be below high, got {self.low} ≥ {self.high}")

    def start(self) -> None:
        self.rng[...], self.noise_rng[...] = seeded(self.seed, CHOOSING), seeded(self.seed, NOISE)

    def predict(self, X: Any) -> np.ndarray:
        """Return the predictions, (n, m), or (n,) for one output."""
        X = self._rows(X)
        out = np.empty((len(X), self.n_outputs))
        for part in self.lock.parts(len(X)):
            self.lock.run(self._predict, X[part], out[part])
        return out[:, 0] if self.n_outputs == 1 else out

    def _predict(self, X: np.ndarray, out: np.ndarray) -> None:
        raise NotImplementedError

    def _rows(self, X: Any) -> np.ndarray:
        return _numbers("X", X, (None, self.n_features))

    def _row(self, x: Any) -> np.ndarray:
        return _numbers("x", x, (self.n_features,))

    def _answers(self, y: Any, n: int, loss: str) -> np.ndarray:
        y = real_array("y", y)
        y = _numbers("y", y[:, None] if y.ndim == self.n_outputs == 1 else y, (n, self.n_outputs))
        if loss == "logistic" and (np.abs(y) != 1).any():
            raise ValueError(f"y must be -1 or 1 for the logistic loss, got {_odd(y, abs(y) != 1)}")
        return y


@dataclass(eq=False)
class BanditRegressor(Regressor):
    """A regressor that asks for losses at some points around its prediction."""

    N: int = whole(20, 1, doc="How many weak learners.")
    delta: float = real(0.5, "[1e-12, 1e12]", doc="How far points are moved.")

    def scratch(self) -> Shapes:
        return {"directions": ((self.N, *self._along()), np.float64)}

    def start(self) -> None:
        super().start()
        self._asked = np.zeros((self.N, *self._along()))  # the directions drawn last

    def _along(self) -> tuple[int, ...]:
        """The shape of a direction."""
        raise NotImplementedError

    def choose(self, x: Any) -> Query:
        """Return the prediction for a row, and the points whose losses are to be told."""
        return self.lock.run(self._ask, self._row(x))

    def update(self, x: Any, query: Query, losses: Any) -> None:
        """Learn from the losses at the points, which may be noisy."""
        x, losses = self._row(x), _numbers("losses", losses, (self.N,))
        if not isinstance(query, tuple | list) or len(query) != 3:
            raise ValueError(f"query must be what `choose` returned, got {query!r}")
        query = Query(*query)
        directions = _numbers("query.directions", query.directions, self._asked.shape)
        self.lock.run(self._hear, x, directions, losses)

    def play(
        self, X: Any, y: Any, loss: Loss = "squared", noise: Any = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Predict, hear losses with noise uniform in ±noise and learn, row by row.

        `loss` is a name, or takes a point and the row's y, which may then be anything: slower.
        Return the predictions and their losses, without noise.
        """
        X = self._rows(X)
        said, lost = np.empty((len(X), self.n_outputs)), np.empty(len(X))
        if not isinstance(noise, Real) or not 0.0 <= float(noise) < np.inf:
            raise ValueError(f"noise must be a number in [0, inf), got {noise!r}")
        if not callable(loss):
            kind = kind_of(loss)
            y = self._answers(y, len(X), loss)
            for part in self.lock.parts(len(X)):
                given = X[part], y[part], kind, float(noise), said[part], lost[part]
                self.lock.run(self._play, *given)
            return said, lost
        if np.ndim(y) == 0 or len(y) != len(X):
            raise ValueError(f"y must be of length {len(X)}, got {y!r}")
        for n, (x, answer) in enumerate(zip(X, y, strict=True)):
            query = self.choose(x)
            said[n], lost[n] = query.prediction, loss(query.prediction, answer)
            off = self.lock.run(self._noise, float(noise))
            losses = [loss(p, answer) + e for p, e in zip(query.points, off, strict=True)]
            self.update(x, query, losses)
        return said, lost

    def _noise(self, noise: float) -> list[float]:
        return [noise * (2.0 * uniform(self.noise_rng) - 1.0) for _ in range(self.N)]

    def _ask(self, x: np.ndarray) -> Query:
        raise NotImplementedError

    def _hear(self, x: np.ndarray, directions: np.ndarray, losses: np.ndarray) -> None:
        raise NotImplementedError

    def _play(self, X, y, kind, noise, said, lost) -> None:
        raise NotImplementedError


@dataclass(eq=False)
class GradientRegressor(Regressor):
    """A regressor that is told the answer, and so every gradient."""

    def play(self, X: Any, y: Any, loss: str = "squared") -> tuple[np.ndarray, np.ndarray]:
        """Predict, hear the answer and learn, row by row: predictions and their losses."""
        X, kind = self._rows(X), kind_of(loss)
        y = self._answers(y, len(X), loss)
        self._require_answers(y, kind)
        said, lost = np.empty(y.shape), np.empty(len(X))
        for part in self.lock.parts(len(X)):
            self.lock.run(self._play, X[part], y[part], kind, said[part], lost[part])
        return said, lost

    def _require_answers(self, y: np.ndarray, kind: int) -> None:
        """Refuse answers that cannot be learnt from."""

    def _play(self, X, y, kind, said, lost) -> None:
        raise NotImplementedError


def kind_of(loss: str) -> int:
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}")
    return LOSSES.index(loss)


def _numbers(name: str, given: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """What was given as an array of this shape, or an error that says what is wrong with it."""
    array = np.ascontiguousarray(real_array(name, given), float)
    fits = array.ndim == len(shape) and all(
        want in (None, size) for want, size in zip(shape, array.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("n" if size is None else f"{size}" for size in shape)
        raise ValueError(f"{name} must be of shape ({wanted}), got {array.shape}")
    wrong = ~(np.abs(array) <= LARGEST)
    if wrong.any():
        raise ValueError(f"{name} must be numbers within ±{LARGEST:g}, got {_odd(array, wrong)}")
    return array


def _odd(array: np.ndarray, wrong: np.ndarray) -> float:
    """The first number that is wrong."""
    return float(array[wrong][0])
