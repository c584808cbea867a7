"""The parameters of AdaBoostMH, as they were given and as a fit takes them.

The estimator stores its parameters as given, as scikit-learn asks. Each `fit` makes Settings of
them, with the one type that kernels are compiled for: `lam=1`, `np.float32(1)` and `1.0` are the
same, and a value out of range is refused.
"""

import math
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from onearm.core.parameters import checked, flag, named, option, parameters, real, whole
from onearm.mh.bandits import POLICIES, REWARDS
from onearm.mh.binning import DENSE_FROM
from onearm.mh.categories import ALLOWED, FROM_DTYPE, listed

LEAST_ROWS, FEW_ROUNDS = 50, 100  # fewer rows than these have one run of so many
TREES = {"tree": "trees", "random_tree": "random_trees"}
LEAVES, RANDOM_LEAVES, ARMS = (4, 32), (4, 128), (3, 8)  # least and largest, where data decide
ROWS_OF_ARM = 25  # of fewer rows the best of many columns is the best by chance
SEEDS = "None, an integer in [0, 2**32 - 1] or a numpy.random.RandomState"


def _other(default: Any, allowed: str, doc: str) -> Any:
    """Return a field whose values are not converted, for Settings to check."""
    return field(default=default, metadata={"allowed": allowed, "doc": doc})


def _auto(known: Any, doc: str) -> Any:
    """Return a field for what a known one allows, or "auto"."""
    inside = known.metadata["inside"]

    def inside_or_auto(value: Any) -> Any:
        return value if isinstance(value, str) and value == "auto" else inside(value)

    allowed = f"'auto' or {known.metadata['allowed']}"
    return named("auto", inside_or_auto, allowed, doc=doc)


@dataclass(eq=False, repr=False)
class Parameters:
    """The parameters as they were given."""

    base: str = option(
        "random_tree", "stump", "tree", "product", "random_tree",
        doc="The base classifiers: stumps, trees of `n_leaves` leaves or products of `n_terms` "
        "stumps; or random trees, which try one random cut in each column that is searched, vote "
        "real numbers in each leaf, and are added in small steps.",
    )  # fmt: skip
    _: KW_ONLY
    n_leaves: int | str = _auto(
        whole(8, 2, 2**15),
        'Number of leaves of a tree. "auto": √(rows · labels)/2, at least 4 and at most 128, for '
        "random trees; for others a quarter of it, at least 4 and at most 32.",
    )
    n_terms: int = whole(3, 1, 2**15, doc="Number of stumps in a product.")
    n_rounds: int | str = _auto(
        whole(1000, 1),
        'Number of base classifiers that are added. "auto": at most `max_rounds`, in runs that '
        "each start from the initial weights and whose votes are averaged. How long a run is, "
        "cross-validation decides: one run of all rounds, or shorter ones where labels are noisy.",
    )
    max_rounds: int = whole(
        1000, 1, doc='Number of rounds of all runs together, where `n_rounds` is "auto".'
    )
    arms: str = option(
        "recent", *POLICIES,
        doc='How columns are chosen: "full" searches all of them, "uniform" random ones; "ucb", '
        '"ucbv", "exp3p" (all as published) and "recent" learn from the edges of past searches; '
        '"uct" from those of whole base classifiers, by sequences of columns.',
    )  # fmt: skip
    arms_per_round: int | str = _auto(
        whole(1, 1),
        'Number of columns in a search; the best stump among them is taken. "auto": √columns, '
        "at least 3 and at most 8, but no more than half of the columns or one for 25 rows. "
        'With "uct" it must be 1, and "auto" is 1.',
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
    categorical_features: Any = _other(
        FROM_DTYPE, ALLOWED,
        "Columns of categories, which are cut into subsets. \"from_dtype\": those of a frame of "
        "pandas or polars that have categories or texts. The 62 most frequent values of a column "
        "are told apart; others, and values that `fit` has not seen, are like missing ones.",
    )  # fmt: skip
    class_weight: Any = _other(
        None, "None, 'balanced' or a dict",
        "By how much rows of each label weigh more, times `sample_weight`. \"balanced\": so that "
        "all labels have the same weight in all. Not for several labels a row.",
    )  # fmt: skip
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
    calibrate: bool = flag(
        True,
        doc="Whether `predict_proba` is calibrated, by rows that a second, short fit has not seen, "
        "or by those for `validation`. It changes nothing else.",
    )
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
        if self.exact and self.base == "random_tree":
            raise ValueError(f"exact must be False with base='random_tree', got {self.exact!r}")
        self.categorical_features = listed(self.categorical_features)
        w = self.class_weight
        if w is not None and not (isinstance(w, str) and w == "balanced"):
            if not isinstance(w, dict) or not all(_is_weight(v) for v in w.values()):
                allowed = "None, 'balanced' or a dict of numbers of at least 0 by label"
                raise ValueError(f"class_weight must be {allowed}, got {w!r}")
        try:
            check_random_state(self.random_state)
        except ValueError as error:
            message = f"random_state must be {SEEDS}, got {self.random_state!r}"
            raise ValueError(message) from error
        if self.arms == "uct" and self.arms_per_round not in (1, "auto"):
            raise ValueError(
                f"arms_per_round must be 1 or 'auto' with 'uct', got {self.arms_per_round!r}"
            )
        if self.validation and self.warm_start:
            why = "with warm_start, as rounds are dropped after it"
            raise ValueError(f"validation must be 0 {why}, got {self.validation!r}")

    @classmethod
    def of(cls, model: Any) -> "Settings":
        """Return the parameters of a model; ValueError names one that is out of range."""
        return cls(**{field.name: plain(getattr(model, field.name)) for field in fields(cls)})

    def kind_and_size(self) -> list[Any]:
        """Return the kind of base classifiers and their size, as `ensemble.make` takes them."""
        if self.base in TREES:
            return [TREES[self.base], self.n_leaves]
        return ["products", self.n_terms if self.base == "product" else 1]

    def sized(self, n: int, weight: float, d: int, K: int) -> "Settings":
        """Return the settings on n rows of a total weight, d columns and K labels.

        The weight is relative to the lightest row, so that a repeated row counts twice.
        """
        arms = min(within(math.sqrt(d), ARMS), max(1, d // 2), max(1, int(weight) // ROWS_OF_ARM))
        arms = 1 if self.arms == "uct" else arms
        leaves = within(math.sqrt(weight * K) / 8, LEAVES)
        if self.base == "random_tree":
            leaves = within(math.sqrt(weight * K) / 2, RANDOM_LEAVES)
        sizes: dict[str, Any] = {
            "n_leaves": leaves, "arms_per_round": arms,
        }  # fmt: skip
        sizes |= {"n_rounds": FEW_ROUNDS} if n < LEAST_ROWS else {}
        return replace(self, **{k: v for k, v in sizes.items() if getattr(self, k) == "auto"})

    def most_rounds(self) -> int:
        return self.max_rounds if self.n_rounds == "auto" else int(self.n_rounds)

    def chooses_rounds(self) -> bool:
        """Whether cross-validation chooses the number of rounds in a run."""
        return self.n_rounds == "auto" and not self.validation and not self.warm_start

    def runs_differ(self) -> bool:
        """Whether two runs on the same rows are not the same."""
        return self.arms != "full" or self.base == "random_tree"

    def dense_from(self) -> float:
        """Return from which share of rows outside its most common bin a column is dense.

        Where only rows of a node are looked at, that is faster as soon as it takes less memory.
        """
        return 0.2 if self.base == "random_tree" else DENSE_FROM

    def horizon(self) -> float:
        """Return how many columns will be searched; a float, as it may be above 2⁶³."""
        searches = {"stump": 1, "product": 2 * self.n_terms}
        of_base = searches.get(self.base) or 2 * int(self.n_leaves) - 3
        return float(self.most_rounds() * int(self.arms_per_round) * of_base)


def within(size: float, least_and_most: tuple[int, int]) -> int:
    least, most = least_and_most
    return min(max(round(size), least), most)


def plain(value: Any) -> Any:
    """The Python value of a NumPy scalar."""
    return value.item() if isinstance(value, np.generic) else value


def _is_weight(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and bool(0 <= value < math.inf)


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
