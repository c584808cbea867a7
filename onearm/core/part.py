"""Part: an object in which an estimator has arrays that learning changes, such as its trees.

It is a dataclass of sizes and of fields made by `state`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from onearm.core.state import Shapes, allocate, require_ranges, shapes, state_fields


@dataclass(eq=False)
class Part:
    """Arrays that are made, saved and checked with those of the estimator."""

    def shapes(self) -> Shapes:
        """Return shape and type of every array, by name."""
        return shapes(self)

    def content_shapes(self, saved: dict[str, np.ndarray]) -> Shapes:
        """Return shape and type of what must have been saved."""
        return self.shapes()

    def allocate(self) -> None:
        """Make the arrays as they are before anything is learnt."""
        allocate(self)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all arrays, by name."""
        return {f.name: getattr(self, f.name) for f in state_fields(self)}

    def content(self) -> dict[str, np.ndarray]:
        """Return the arrays without room that is still unused: what is saved and compared."""
        return self.arrays()

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        """Refuse saved arrays with a number outside its range, or that do not go together."""
        require_ranges(saved, self)

    def make_room(self, saved: dict[str, np.ndarray]) -> None:
        """Use as much room as was in use when these arrays were saved."""

    def model(self) -> Any:
        """Return what kernels take."""
        raise NotImplementedError
