"""Regressor: predict numbers, and learn from the answer or from a few noisy losses a round.

A regressor is an estimator with a few kernels (`rounds` states them). One that learns from losses
asks for them at some points around its prediction; a `full_information` one gets the answer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from onearm.core.estimator import Estimator, Progress
from onearm.core.inputs import as_array, count, row_of
from onearm.core.parameters import REQUIRED, real, whole
from onearm.core.rng import seeded, uniform
from onearm.core.state import Shapes, generator, state
from onearm.regression.losses import LOGISTIC, LOSSES
from onearm.regression.rounds import Kernels

CHOOSING, NOISE = range(2)  # generators of a seed
Loss = str | Callable[[np.ndarray, Any], float]
Played = tuple[np.ndarray, np.ndarray]  # predictions, and their losses


class Query(NamedTuple):
    """A prediction, and the points at which losses are asked for."""

    prediction: np.ndarray  # (m,)
    points: np.ndarray  # (N, m)
    directions: np.ndarray  # (N, …): unit vectors along which the points were moved


@dataclass(eq=False)
class Regressor(Estimator):
    """Rows of n_features numbers in, n_outputs numbers out."""

    n_features: int = whole(REQUIRED, 1, doc="Number of features d.")
    n_outputs: int = whole(1, 1, doc="Number of outputs m.")
    lr: float = real(0.01, "[1e-12, 1e12]", fixed=True, doc="Steps are lr·t^(-power).")
    power: float = real(0.5, "[0, 1]", fixed=True, doc="How fast steps shrink.")
    R: float = real(
        10.0, "[1e-12, 1e12]", fixed=True, doc="Bound on the norm of weights, or of a leaf's value."
    )
    low: float = real(-np.inf, "[-inf, inf)", doc="Least prediction.")
    high: float = real(np.inf, "(-inf, inf]", doc="Largest prediction.")
    seed: int = whole(0, 0, doc="Random seed.")
    rounds: np.ndarray = state(1, range="[0, 4e18]", dtype=np.int64)
    choosing: np.ndarray = generator()  # that directions are drawn from
    noise_generator: np.ndarray = generator()  # that `play` draws the noise of losses from

    full_information: ClassVar[bool] = False  # it gets the answer, and so every gradient
    kernels: ClassVar[Kernels]
    largest = 1e50  # no square of a product of two is infinite
    marks = "full_information", "dense_rows", "missing", "largest"
    way_out = "use fewer features, outputs or weak learners, or set onearm.max_bytes"

    def validate(self) -> None:
        if self.low >= self.high:
            raise ValueError(f"low must be below high, got {self.low} ≥ {self.high}")

    def directions_shape(self) -> tuple[int, ...]:
        """Return the shape of the directions of a query, (N, …), where losses are asked for."""
        return ()

    def scratch(self) -> Shapes:
        return {"directions": (self.directions_shape(), np.float64)}

    def start(self) -> None:
        self.choosing[...] = seeded(self.seed, CHOOSING)
        self.noise_generator[...] = seeded(self.seed, NOISE)

    def predict(self, X: Any) -> np.ndarray:
        """Return the predictions for many rows, (n, m), or (n,) for one output; or for one row."""
        out = self._by_row(X, self.kernels.predict, self.n_outputs)
        return out[..., 0] if self.n_outputs == 1 else out

    def choose(self, x: Any) -> Query:
        """Return the prediction for a row, and the points whose losses are queried."""
        x, query = self._asking_row(x, "choose"), Query(np.empty(self.n_outputs), *self._asking())
        self.lock.run(self.kernels.choose, x, *query, self.choosing, self.model())
        return query

    def update(self, x: Any, query: Query, losses: Any) -> None:
        """Learn from the losses at the points, which may be noisy."""
        x, shape = self._asking_row(x, "update"), self.directions_shape()
        losses = self._numbers("losses", losses, shape[:1])
        if not isinstance(query, tuple | list) or len(query) != 3:
            raise ValueError(f"query must be what `choose` returned, got {query!r}")
        seen = losses, self._numbers("query.directions", query[2], shape)
        room = np.empty(self.n_outputs)
        self.lock.run(self.kernels.update, x, room, *seen, self.rounds, self.model())

    def _asking_row(self, x: Any, method: str) -> Any:
        if self.full_information:
            name = type(self).__name__
            raise TypeError(f"{name} learns from answers, by play: it cannot {method}")
        x = self._row(x)
        self._check_row(x)
        return x

    def _asking(self) -> tuple[np.ndarray, np.ndarray]:
        shape = self.directions_shape()
        return np.empty((shape[0], self.n_outputs)), np.empty(shape)

    def play(
        self, X: Any, y: Any = None, loss: Loss = "squared", noise: float = 0.0, *,
        progress: Progress | None = None,
    ) -> Played:  # fmt: skip
        """Predict, get losses with noise uniform in ±noise or the target, and learn, row by row.

        X and y are arrays, sparse, data frames, or X is anything with `chunks()` of such pairs.
        Where losses are queried, `loss` may be a call that takes a point and the row's y, which
        may then be anything: slower. `progress` gets the rounds and the sum of their losses.
        Returns the predictions and their losses, without noise; the KeyboardInterrupt of a Ctrl-C
        has them as its `trace`.
        """
        noise, done = self._check_noise(noise), np.zeros(2)
        targets: Any = _anything
        if callable(loss) and not self.full_information:
            play = self._play_call(loss, noise, done)
        else:
            if not isinstance(loss, str) or loss not in LOSSES:
                raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}")
            kind = LOSSES.index(loss)
            play, targets = self._play_kernel(kind, noise, done), partial(self._targets, kind)

        def room(targets: np.ndarray) -> Played:
            n = len(targets)
            return np.empty((n, self.n_outputs)), np.empty(n)

        def result(logs: list[Played]) -> Any:
            joined = logs[0] if len(logs) == 1 else map(np.concatenate, zip(*logs, strict=True))
            return tuple(array[: int(done[0])] for array in joined)

        return self._run(X, y, targets, play, room, done, progress, result)

    def _play_kernel(self, kind: int, noise: float, done: np.ndarray) -> Any:
        more: tuple = ()
        if not self.full_information:
            points, directions = self._asking()
            generators = self.choosing, self.noise_generator
            more = noise, generators, (points, directions, np.empty(len(points)))

        def play(rows: Any, y: np.ndarray, log: Any) -> None:
            given = rows, y, kind, (*log, done), self.rounds, *more
            self.lock.run(self.kernels.play, *given, self.model())

        return play

    def _play_call(self, loss: Any, noise: float, done: np.ndarray) -> Any:
        def uniforms(n: int) -> list[float]:
            return [uniform(self.noise_generator) for _ in range(n)]

        def play(rows: Any, y: Any, log: Any) -> None:
            predictions, losses = log
            for n in range(count(rows)):
                x = row_of(rows, n)
                query = self.choose(x)
                predictions[n], losses[n] = query.prediction, loss(query.prediction, y[n])
                pairs = zip(query.points, self.lock.run(uniforms, len(query.points)), strict=True)
                noisy = [loss(point, y[n]) + noise * (2.0 * u - 1.0) for point, u in pairs]
                self.update(x, query, noisy)
                done[0] += 1.0
                done[1] += losses[n]

        return play

    def _check_noise(self, noise: Any) -> float:
        if not isinstance(noise, Real) or not 0.0 <= float(noise) < np.inf:
            raise ValueError(f"noise must be a number in [0, inf), got {noise!r}")
        if self.full_information and noise:
            name = type(self).__name__
            raise ValueError(f"noise must be 0 for {name}, which gets the answer, got {noise!r}")
        return float(noise)

    def _targets(self, kind: int, y: Any, n: int, first: int) -> np.ndarray:
        y = as_array(y, np.float64, "y")
        y = y[:, None] if y.ndim == self.n_outputs == 1 else y
        y = self._numbers("y", y, (n, self.n_outputs))
        if kind == LOGISTIC and (np.abs(y) != 1).any():
            wrong = y[np.abs(y) != 1][0]
            raise ValueError(f"y must be -1 or 1 for the logistic loss, got {wrong}")
        return y

    def _numbers(self, name: str, given: Any, shape: tuple[int, ...]) -> np.ndarray:
        """Return what was given as an array of this shape, or an error that names it."""
        array = as_array(given, np.float64, name)
        if array.shape != shape:
            raise ValueError(f"{name} must be of shape {shape}, got {array.shape}")
        wrong = ~(np.abs(array) <= self.largest)
        if wrong.any():
            got = array[wrong][0]
            raise ValueError(f"{name} must be numbers within ±{self.largest:g}, got {got}")
        return array


def _anything(y: Any, n: int, first: int) -> list[Any]:
    if len(y) != n:
        raise ValueError(f"y must have one entry for each of {n} rows, got {len(y)}")
    return list(y)
