"""The parameters of AdaBoostMH in the one type that kernels are compiled for.

The estimator stores what it was given, as scikit-learn asks. Each `fit` makes Settings of it, where
`lam=1`, `np.float32(1)` and `1.0` are the same, and a value that cannot be is refused.
"""

from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from onearm.core.parameters import checked, flag, option, parameters, real, whole
from onearm.mh.bandits import POLICIES, REWARDS

CHANGEABLE = ("n_rounds", "n_jobs", "verbose")  # between two fits of a warm start


@dataclass
class Settings:
    """The parameters of AdaBoostMH, checked."""

    base: str = option("stump", "stump", "tree", "product")
    n_leaves: int = whole(8, 2, 2**15)
    n_terms: int = whole(3, 1, 2**15)
    n_rounds: int = whole(1000, 1)
    arms: str = option("recent", *POLICIES)
    arms_per_round: int = whole(1, 1)
    reward: str = option("log", *REWARDS)
    lam: float = real(0.15, "[0, 1]")
    eta: float = real(0.3, "[0, inf)")
    scale_reward: bool = flag(False)
    weights: str = option("shared", "shared", "even")
    max_bins: int = whole(256, 2, 256)
    exact: bool = flag(False)
    validation: float = real(0.0, "[0, 0.9]")
    patience: float = real(2.0, "[1, inf]")
    warm_start: bool = flag(False)
    n_jobs: int | None = None
    verbose: int = False
    random_state: Any = None

    def __post_init__(self) -> None:
        for parameter in parameters(self):
            setattr(self, parameter.name, checked(parameter, getattr(self, parameter.name)))
        if self.n_jobs is not None and (not _integer(self.n_jobs) or self.n_jobs == 0):
            raise ValueError(f"n_jobs must be None or an integer other than 0, got {self.n_jobs!r}")
        if not isinstance(self.verbose, bool) and (not _integer(self.verbose) or self.verbose < 0):
            raise ValueError(f"verbose must be True, False or at least 0, got {self.verbose!r}")
        try:
            check_random_state(self.random_state)
        except ValueError as error:
            seeds = "None, an integer in [0, 2**32 - 1] or a numpy.random.RandomState"
            said = f"random_state must be {seeds}, got {self.random_state!r}"
            raise ValueError(said) from error
        if self.validation and self.warm_start:
            raise ValueError(
                f"validation must be 0 with warm_start, as rounds are dropped after it, "
                f"got {self.validation!r}"
            )

    @classmethod
    def of(cls, model: Any) -> "Settings":
        """Return the parameters of a model; ValueError names one that cannot be."""
        return cls(**{field.name: _plain(getattr(model, field.name)) for field in fields(cls)})

    def fixed(self) -> dict[str, Any]:
        """Return the parameters that must stay the same when a warm start goes on."""
        return {name: value for name, value in vars(self).items() if name not in CHANGEABLE}

    def form(self) -> list[Any]:
        """Return the kind of base classifiers and their size, as `ensemble.make` takes it."""
        if self.base == "tree":
            return ["trees", self.n_leaves]
        return ["products", self.n_terms if self.base == "product" else 1]

    def horizon(self) -> float:
        """Return how many columns will be searched; a float, as it may be above 2⁶³."""
        each = {"stump": 1, "tree": 2 * self.n_leaves - 3, "product": 2 * self.n_terms}
        return float(self.n_rounds * self.arms_per_round * each[self.base])


def _plain(value: Any) -> Any:
    """The Python value of a NumPy scalar."""
    return value.item() if isinstance(value, np.generic) else value


def _integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
