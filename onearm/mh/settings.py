"""The parameters of AdaBoostMH, and their values in the one type that kernels are compiled for.

The estimator stores what it was given, as scikit-learn asks. Each `fit` makes Settings of it, where
`lam=1`, `np.float32(1)` and `1.0` are the same, and a value out of range is refused.
"""

from dataclasses import KW_ONLY, dataclass, field, fields
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from onearm.core.parameters import checked, flag, option, parameters, real, whole
from onearm.mh.bandits import POLICIES, REWARDS

CHANGEABLE = ("n_rounds", "n_jobs", "verbose")  # between two fits of a warm start
SEEDS = "None, an integer in [0, 2**32 - 1] or a numpy.random.RandomState"


def _other(default: Any, allowed: str, doc: str) -> Any:
    """Return a field whose values are not converted, for Settings to check."""
    return field(default=default, metadata={"allowed": allowed, "doc": doc})


@dataclass(eq=False, repr=False)
class Parameters:
    """The parameters as they were given."""

    base: str = option(
        "stump", "stump", "tree", "product",
        doc="The base classifiers: stumps, trees of `n_leaves` leaves or products of `n_terms` "
        "stumps.",
    )  # fmt: skip
    _: KW_ONLY
    n_leaves: int = whole(8, 2, 2**15, doc="Number of leaves of a tree.")
    n_terms: int = whole(3, 1, 2**15, doc="Number of stumps in a product.")
    n_rounds: int = whole(1000, 1, doc="Number of base classifiers that are added.")
    arms: str = option(
        "recent", *POLICIES,
        doc='How columns are chosen: "full" searches all of them, "uniform" random ones; "ucb", '
        '"ucbv", "exp3p" (all as published) and "recent" learn from the edges of past searches.',
    )  # fmt: skip
    arms_per_round: int = whole(
        1, 1, doc="Number of columns in a search; the best stump among them is taken."
    )
    reward: str = option(
        "log", *REWARDS,
        doc='Reward of an edge γ: "log" min(1, -ln √(1-γ²)), "edge" 1-√(1-γ²) or "square" γ².',
    )  # fmt: skip
    lam: float = real(
        0.15, "[0, 1]", doc='λ of "exp3p" and "recent": the share of uniform exploration.'
    )
    eta: float = real(0.3, "[0, inf)", doc='η of "exp3p": the weight of its confidence bound.')
    scale_reward: bool = flag(False, doc="Whether rewards are divided by the largest so far.")
    weights: str = option(
        "shared", "shared", "even",
        doc='Initial weights of a row: "shared" half on its labels and half on the others, or '
        '"even" the same on each.',
    )  # fmt: skip
    max_bins: int = whole(
        256, 2, 256, doc="Columns with more distinct values are cut into about as many groups."
    )
    exact: bool = flag(
        False, doc="Whether every distinct value has its own bin, however many there are; slower."
    )
    validation: float = real(
        0.0, "[0, 0.9]",
        doc="Share of the rows used for early stopping, 0 for none. The error on them is smoothed: "
        "R̄(t) is its mean over the last fifth of t rounds. Rounds after the best are dropped.",
    )  # fmt: skip
    patience: float = real(
        2.0, "[1, inf]",
        doc="With `validation`, boosting stops after this many times the best number of rounds so "
        "far.",
    )  # fmt: skip
    warm_start: bool = flag(
        False,
        doc="Whether `fit` resumes the last fit, up to `n_rounds`. Rows and parameters must be the "
        "same, except for `n_rounds`, `n_jobs` and `verbose`. The fitted model then contains its "
        "binned training rows, also when pickled.",
    )
    n_jobs: int | None = _other(
        None, "None or an integer other than 0",
        "Number of threads that share a full search, -1 for all cores; on Ray, number of actors "
        "that share the rows. The result is bit-identical.",
    )  # fmt: skip
    verbose: int = _other(False, "True, False or at least 0", "Whether a progress bar is shown.")
    random_state: Any = _other(None, SEEDS, "Random seed of the bandit and of the validation rows.")


@dataclass
class Settings(Parameters):
    """The parameters, checked and converted."""

    def __post_init__(self) -> None:
        for parameter in parameters(self):
            setattr(self, parameter.name, checked(parameter, getattr(self, parameter.name)))
        if self.n_jobs is not None and (not _is_integer(self.n_jobs) or self.n_jobs == 0):
            raise ValueError(f"n_jobs must be None or an integer other than 0, got {self.n_jobs!r}")
        if not isinstance(self.verbose, bool):
            if not _is_integer(self.verbose) or self.verbose < 0:
                raise ValueError(f"verbose must be True, False or at least 0, got {self.verbose!r}")
        try:
            check_random_state(self.random_state)
        except ValueError as error:
            message = f"random_state must be {SEEDS}, got {self.random_state!r}"
            raise ValueError(message) from error
        if self.validation and self.warm_start:
            why = "with warm_start, as rounds are dropped after it"
            raise ValueError(f"validation must be 0 {why}, got {self.validation!r}")

    @classmethod
    def of(cls, model: Any) -> "Settings":
        """Return the parameters of a model; ValueError names one that is out of range."""
        return cls(**{field.name: _plain(getattr(model, field.name)) for field in fields(cls)})

    def kind_and_size(self) -> list[Any]:
        """Return the kind of base classifiers and their size, as `ensemble.make` takes them."""
        if self.base == "tree":
            return ["trees", self.n_leaves]
        return ["products", self.n_terms if self.base == "product" else 1]

    def horizon(self) -> float:
        """Return how many columns will be searched; a float, as it may be above 2⁶³."""
        searches = {"stump": 1, "tree": 2 * self.n_leaves - 3, "product": 2 * self.n_terms}
        return float(self.n_rounds * self.arms_per_round * searches[self.base])


def _plain(value: Any) -> Any:
    """The Python value of a NumPy scalar."""
    return value.item() if isinstance(value, np.generic) else value


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
