"""What a fit began with, so that a warm start goes on with the same rows and parameters only.

Rows are not stored: digests tell whether they are the same, be they dense or sparse.
"""

from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from onearm.mh.binning import each_column
from onearm.mh.settings import Settings


class Origin(NamedTuple):
    """Digests of the rows by the name of the argument, and the parameters that must not change."""

    digests: dict[str, str]
    parameters: dict[str, Any]

    @classmethod
    def of(
        cls, X: Any, names: list[str], positive: np.ndarray, classes: np.ndarray,
        several: bool, sample_weight: np.ndarray, settings: Settings,
    ) -> "Origin":  # fmt: skip
        """Return the origin of a fit; X, labels and weights as they are boosted on."""
        columns = (np.where(np.isnan(x), np.nan, x + 0.0) for x in each_column(X))  # no -0.0
        digests = {
            "X": digest([*names, X.shape], *columns),
            "y": digest([classes.tolist(), several], np.packbits(positive)),
            "sample_weight": digest([], sample_weight),
        }
        return cls(digests, settings.fixed())

    def check(self, other: "Origin") -> None:
        """Raise ValueError if a fit of another origin cannot go on from this one."""
        start_again = "set warm_start=False, or fit a clone, to start again"
        for name, value in other.parameters.items():
            if value != self.parameters[name]:
                raise ValueError(
                    f"{name} must be {self.parameters[name]!r}, as in the fit that warm_start "
                    f"continues, got {value!r}; {start_again}"
                )
        for name, one in other.digests.items():
            if one != self.digests[name]:
                raise ValueError(
                    f"{name} must be the same as in the fit that warm_start continues, got others; "
                    f"{start_again}"
                )


def digest(facts: list[Any], *arrays: np.ndarray) -> str:
    h = blake2b(repr(facts).encode(), digest_size=16)
    for array in arrays:
        h.update(np.ascontiguousarray(array).data)
    return h.hexdigest()
