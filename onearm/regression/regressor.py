"""Regressor: predict numbers, and learn from the answer or from a few noisy losses a round.

A regressor is an estimator with a few kernels (`rounds` states them). One that learns from losses
asks for them at some points around its prediction; a `full_information` one gets the answer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from onearm.core.estimator import Estimator, Progress
from onearm.core.inputs import as_array, count, row_of
from onearm.core.memory import Shapes
from onearm.core.parameters import REQUIRED, real, whole
from onearm.core.rng import seeded, uniform
from onearm.core.state import generator, state
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
    seed: int = whole(0, 0, doc="Random seed of all that is drawn.")
    rounds: np.ndarray = state(1, range="[0, 4e18]", dtype=np.int64)
    choosing: np.ndarray = generator()  # that directions are drawn from
    noise_generator: np.ndarray = generator()  # that `play` draws the noise of losses from

    full_information: ClassVar[bool] = False  # it gets the answer, and so every gradient
    largest = 1e50  # no square of a product of two is infinite
    marks = "full_information", "dense_rows", "missing", "largest"
    way_out = "use fewer features, outputs or weak learners, or set onearm.max_bytes"

    def validate(self) -> None:
        if self.low >= self.high:
            raise ValueError(f"low must be below high, got {self.low} ≥ {self.high}")

    @property
    def kernels(self) -> Kernels:
        """What it runs."""
        raise NotImplementedError

    def directions_shape(self) -> tuple[int, ...]:
        """Return the shape of the directions of a query, (N, …), where losses are asked for."""
        return ()

    def scratch(self) -> Shapes:
        return {"directions": (self.directions_shape(), np.float64)}

    def start(self) -> None:
        self.choosing[...] = seeded(self.seed, CHOOSING)
        self.noise_generator[...] = seeded(self.seed, NOISE)
        if not self.full_information:
            n_points = self.directions_shape()[0]
            self._points, self._losses = np.zeros((n_points, self.n_outputs)), np.zeros(n_points)
            self._directions = np.zeros(self.directions_shape())

    def predict(self, X: Any) -> np.ndarray:
        """Return the predictions for many rows, (n, m), or (n,) for one output; or for one row."""
        out = self._each(X, self.kernels.predict, self.n_outputs)
        return out[..., 0] if self.n_outputs == 1 else out

    def choose(self, x: Any) -> Query:
        """Return the prediction for a row, and the points whose losses are asked for."""
        self._require_losses("choose")
        x = self._checked_row(x)
        return self.lock.run(self._choose, x)

    def _choose(self, x: Any) -> Query:
        prediction, points, directions = np.empty(self.n_outputs), self._points, self._directions
        room = prediction, points, directions
        self.kernels.choose(x, *room, self.choosing, self.model())
        return Query(prediction, points.copy(), directions.copy())

    def update(self, x: Any, query: Query, losses: Any) -> None:
        """Learn from the losses at the points, which may be noisy."""
        self._require_losses("update")
        x, losses = self._checked_row(x), self._numbers("losses", losses, self._losses.shape)
        if not isinstance(query, tuple | list) or len(query) != 3:
            raise ValueError(f"query must be what `choose` returned, got {query!r}")
        directions = self._numbers("query.directions", query[2], self._directions.shape)
        self.lock.run(self._update, x, losses, directions)

    def _update(self, x: Any, losses: np.ndarray, directions: np.ndarray) -> None:
        room = np.empty(self.n_outputs)
        self.kernels.update(x, room, losses, directions, self.rounds, self.model())

    def _require_losses(self, method: str) -> None:
        if self.full_information:
            name = type(self).__name__
            raise TypeError(f"{name} learns from answers, by play: it cannot {method}")

    def _checked_row(self, x: Any) -> Any:
        x = self._row(x)
        self._check_row(x)
        return x

    def play(
        self, X: Any, y: Any = None, loss: Loss = "squared", noise: float = 0.0, *,
        progress: Progress | None = None,
    ) -> Played:  # fmt: skip
        """Predict, get losses with noise uniform in ±noise or the answer, and learn, row by row.

        X and y are arrays, sparse, data frames, or X is anything with `chunks()` of such pairs.
        Where losses are asked for, `loss` may be a call that takes a point and the row's y, which
        may then be anything: slower. `progress` gets the rounds and the sum of their losses.
        Returns the predictions and their losses, without noise; the KeyboardInterrupt of a Ctrl-C
        has them as its `trace`.
        """
        self._check_noise(noise)
        done = np.zeros(2)
        if callable(loss) and not self.full_information:
            play, targets = self._play_call(loss, float(noise), done), _anything
        else:
            kind = kind_of(loss)
            play, targets = self._play_kernel(kind, float(noise), done), self._targets(kind)

        def room(n: int) -> Played:
            return np.empty((n, self.n_outputs)), np.empty(n)

        def result(logs: list[Played]) -> Any:
            joined = logs[0] if len(logs) == 1 else map(np.concatenate, zip(*logs, strict=True))
            return tuple(array[: int(done[0])] for array in joined)

        return self._run(X, y, targets, play, room, done, progress, result)

    def _play_kernel(self, kind: int, noise: float, done: np.ndarray) -> Any:
        def play(rows: Any, y: np.ndarray, log: Any) -> None:
            given: tuple = rows, y, kind, (*log, done), self.rounds
            if not self.full_information:
                generators = self.choosing, self.noise_generator
                given += noise, generators, (self._points, self._directions, self._losses)
            self.lock.run(self.kernels.play, *given, self.model())

        return play

    def _play_call(self, loss: Any, noise: float, done: np.ndarray) -> Any:
        def play(rows: Any, y: Any, log: Any) -> None:
            predictions, losses = log
            for n in range(count(rows)):
                x = row_of(rows, n)
                query = self.choose(x)
                predictions[n], losses[n] = query.prediction, loss(query.prediction, y[n])
                off = self.lock.run(self._noise, noise)
                answered = zip(query.points, off, strict=True)
                self.update(x, query, [loss(point, y[n]) + e for point, e in answered])
                done[0] += 1.0
                done[1] += losses[n]

        return play

    def _noise(self, noise: float) -> list[float]:
        return [noise * (2.0 * uniform(self.noise_generator) - 1.0) for _ in self._losses]

    def _check_noise(self, noise: Any) -> None:
        if not isinstance(noise, Real) or not 0.0 <= float(noise) < np.inf:
            raise ValueError(f"noise must be a number in [0, inf), got {noise!r}")
        if self.full_information and noise:
            name = type(self).__name__
            raise ValueError(f"noise must be 0 for {name}, which gets the answer, got {noise!r}")

    def _targets(self, kind: int) -> Any:
        def targets(y: Any, n: int, first: int) -> np.ndarray:
            y = as_array(y, np.float64, "y")
            y = y[:, None] if y.ndim == self.n_outputs == 1 else y
            y = self._numbers("y", y, (n, self.n_outputs))
            if kind == LOGISTIC and (np.abs(y) != 1).any():
                wrong = y[np.abs(y) != 1][0]
                raise ValueError(f"y must be -1 or 1 for the logistic loss, got {wrong}")
            self.check_targets(y, kind)
            return y

        return targets

    def check_targets(self, y: np.ndarray, kind: int) -> None:
        """Refuse answers that cannot be learnt from."""

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


def kind_of(loss: Any) -> int:
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}")
    return LOSSES.index(loss)


def _anything(y: Any, n: int, first: int) -> list[Any]:
    if len(y) != n:
        raise ValueError(f"y must have one entry for each of {n} rows, got {len(y)}")
    return list(y)
