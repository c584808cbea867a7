"""N·m regressors of River as weak learners, in Python.

Each is taught the number a - η g, within ±R, where it predicted a: if it learns that, it is
a step against the gradient g. River keeps objects and not arrays, so they are not saved.
"""

from typing import Any

import numpy as np

from onearm.core.memory import Shapes
from onearm.regression.weak_learners import WeakLearners


class RiverWeak(WeakLearners):
    """Regressors: anything with `predict_one` and `learn_one`."""

    def __init__(self, booster: Any) -> None:
        super().__init__(booster)
        _, m, N = self.sizes
        self.regressors = [booster.weak() for _ in range(N * m)]
        if not all(hasattr(regressor, "predict_one") for regressor in self.regressors):
            raise ValueError(f"weak must make regressors with predict_one, got {booster.weak!r}")

    def shapes(self) -> Shapes:
        return {}

    def arrays(self) -> dict[str, np.ndarray]:
        """Refuse: there are none."""
        raise TypeError("a booster over River's regressors cannot be saved: they are not arrays")

    def model(self) -> "RiverWeak":
        return self


def predict(x: np.ndarray, a: np.ndarray, weak: RiverWeak) -> None:
    """Write what the regressors predict for x."""
    row, R = dict(enumerate(x.tolist())), weak.settings[2]
    a[:] = [regressor.predict_one(row) for regressor in weak.regressors]
    if np.isnan(a).any():
        wrong = weak.regressors[int(np.isnan(a).argmax())]
        raise ValueError(f"a weak regressor predicts nan: {wrong}")
    np.clip(a, -R, R, out=a)


def learn(x: np.ndarray, t: int, g: np.ndarray, a: np.ndarray, weak: RiverWeak) -> None:
    """Teach them what they should have predicted."""
    row, (lr, power, R) = dict(enumerate(x.tolist())), weak.settings
    targets = np.clip(a - lr * float(t) ** -power * g, -R, R)
    for regressor, target in zip(weak.regressors, targets.tolist(), strict=True):
        regressor.learn_one(row, target)
