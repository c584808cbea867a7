"""N·m regressors of River as weak learners, in Python.

Each is taught the number a - η g, within ±R, where it said a: if it learns what it is taught, that
is a step against the gradient g. River keeps objects and not arrays, so they are not saved.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from onearm.core.memory import Shapes


class RiverWeak:
    """Regressors: anything with `predict_one` and `learn_one`."""

    def __init__(
        self, make: Callable[[], Any], m: int, N: int, lr: float, power: float, R: float
    ) -> None:
        self.regressors = [make() for _ in range(N * m)]
        if not all(hasattr(one, "predict_one") for one in self.regressors):
            raise ValueError(f"weak must make regressors with predict_one, got {make!r}")
        self.lr, self.power, self.R = lr, power, R

    def shapes(self) -> Shapes:
        return {}

    def allocate(self) -> None:
        pass

    def arrays(self) -> dict[str, np.ndarray]:
        """Refuse: there are none."""
        raise TypeError("a booster over River's regressors cannot be saved: they are not arrays")

    def model(self) -> "RiverWeak":
        return self


def say(x: np.ndarray, a: np.ndarray, weak: RiverWeak) -> None:
    """Fill in what the regressors say of x."""
    row = dict(enumerate(x.tolist()))
    a[:] = [one.predict_one(row) for one in weak.regressors]
    if np.isnan(a).any():
        raise ValueError(f"a weak regressor says nan: {weak.regressors[int(np.isnan(a).argmax())]}")
    np.clip(a, -weak.R, weak.R, out=a)


def learn(x: np.ndarray, t: int, g: np.ndarray, a: np.ndarray, weak: RiverWeak) -> None:
    """Teach them what they should have said."""
    row = dict(enumerate(x.tolist()))
    wanted = np.clip(a - weak.lr * float(t) ** -weak.power * g, -weak.R, weak.R)
    for one, value in zip(weak.regressors, wanted.tolist(), strict=True):
        one.learn_one(row, value)
