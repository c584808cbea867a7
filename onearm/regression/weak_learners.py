"""N weak learners of linear losses in a few arrays: a part of a booster.

A kind of weak learners brings two kernels: `predict(x, a, weak)` writes what they predict into a,
each with m outputs, and `learn(x, t, g, a, weak)` steps against the gradients g of round t.
"""

from typing import Any

import numpy as np

from onearm.core.memory import Shapes
from onearm.core.state import FINITE, Interval, require_inside


class WeakLearners:
    """Arrays by name, all zero at first."""

    def __init__(self, booster: Any) -> None:
        self.sizes = booster.n_features, booster.n_outputs, booster.n_learners
        self.settings = booster.lr, booster.power, booster.R

    def shapes(self) -> Shapes:
        """Return shape and type of the state."""
        raise NotImplementedError

    def content_shapes(self, saved: dict[str, np.ndarray]) -> Shapes:
        """Return what a file must have."""
        return self.shapes()

    def allocate(self) -> None:
        """Make the state as it is before anything is learnt."""
        for name, (shape, kind) in self.shapes().items():
            setattr(self, name, np.zeros(shape, kind))

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the state."""
        return {name: getattr(self, name) for name in self.shapes()}

    def content(self) -> dict[str, np.ndarray]:
        """Return what is saved."""
        return self.arrays()

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        """Refuse saved state with numbers that are out of range."""
        for name, (_, kind) in self.shapes().items():
            if kind == np.float64:
                require_inside(name, saved[name], Interval(FINITE), "weak learners")

    def make_room(self, saved: dict[str, np.ndarray]) -> None:
        """There is room for all that may be saved."""

    def model(self) -> Any:
        """Return what the kernels take."""
        raise NotImplementedError
