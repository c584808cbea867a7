"""AdaBoostMH: AdaBoost.MH as a scikit-learn classifier, where a bandit decides what is searched.

To find the best stump, AdaBoost.MH searches all columns in every round. Here a bandit points at
one (or a few) of them, is told how good the best stump there was, and learns which are worth it. A
round then costs as much as one column, and it takes only a few times as many rounds.

R. Busa-Fekete, B. Kégl. Fast boosting using adversarial bandits. ICML 2010.
"""

from collections.abc import Mapping
from contextlib import nullcontext
from copy import copy
from typing import Any

import numpy as np
from rich.progress import Progress
from scipy.sparse import csr_array, vstack
from sklearn.utils import check_random_state

from onearm.core.rng import seeded
from onearm.mh import ensemble
from onearm.mh.bandits import Arms
from onearm.mh.binning import columns
from onearm.mh.distributed import ray_actors
from onearm.mh.early_stopping import ValidationCurve
from onearm.mh.examples import held_back, label_matrix, with_weight
from onearm.mh.origin import Origin
from onearm.mh.prediction import Voting, checked, dense
from onearm.mh.search import threads
from onearm.mh.settings import Settings
from onearm.mh.training import Training
from onearm.mh.weights import Weights, initial, integers

FITTED = (
    "ensemble_", "classes_", "multilabel_", "n_features_in_", "feature_names_in_",
    "pulls_by_stage_", "validation_error_", "smoothed_error_", "_origin", "_training",
)  # fmt: skip
AT_ONCE, FULL_AT_ONCE = 200, 10  # rounds between two looks at the progress and at Ctrl-C


class AdaBoostMH(Voting):
    """AdaBoost.MH over stumps, trees or products, with a bandit over the columns.

    Parameters
    ----------
    base
        What is boosted: "stump", "tree" (of `n_leaves` leaves) or "product" (of `n_terms` stumps).
    n_leaves, n_terms
        Size of a tree, and of a product.
    n_rounds
        How many base classifiers are added.
    arms
        How columns are chosen: "full" searches all of them, "uniform" any; "ucb", "ucbv",
        "exp3p" (all as published) and "recent" learn from what was found there.
    arms_per_round
        How many columns are searched each time, of which the best counts.
    reward
        What an edge γ is worth to the bandit: "log" min(1, -ln √(1-γ²)), "edge" 1-√(1-γ²), or
        "square" γ².
    lam, eta
        λ of "exp3p" and "recent": how much is drawn evenly; η of "exp3p": how sure it wants to be.
    scale_reward
        Whether rewards are divided by the largest so far.
    weights
        Where the weight of a row lies at the start: "shared" half on its label and half on all
        others, or "even" the same on each.
    max_bins
        Columns with more distinct values are cut into about as many groups, at most 256.
    exact
        Whether every distinct value counts, whatever their number; slower.
    validation
        Share of the rows that are held back to see when to stop, 0 for none. The error on them
        is smoothed: R̄(t) is its mean over the last fifth of t rounds. Rounds after the best are
        dropped.
    patience
        With `validation`, boosting stops after this many times the best number of rounds so far.
    warm_start
        Whether `fit` goes on from where the last one ended, up to `n_rounds`. Rows and parameters
        must be the same, except for `n_rounds`, `n_jobs` and `verbose`. The fitted model then keeps
        its training rows, coded, and pickles them.
    n_jobs
        How many threads share the search of all columns, -1 for as many as there are cores; on
        Ray, how many actors share the rows. The result is the same to the bit.
    verbose
        Whether progress is shown.
    random_state
        Seed of what the bandit draws and of what is held back.

    Attributes
    ----------
    classes_
        The labels, in order.
    alpha_, loss_
        Of each round: its α, and E, by which the exponential loss fell.
    feature_importances_
        How much of the fall of the logarithm of the loss each column has to its credit.
    pulls_, pulls_by_stage_
        How often each column was searched; and when: a sparse matrix, a row for each 200
        rounds, with "full" for each 10.
    validation_error_, smoothed_error_
        Of each round, with `validation`; also of rounds that were dropped.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = AdaBoostMH("product", n_rounds=500, random_state=0).fit(X[:1000], y[:1000])
    >>> bool(model.score(X[1000:], y[1000:]) > 0.9)
    True
    """

    def __init__(
        self, base: str = "stump", *, n_leaves: int = 8, n_terms: int = 3, n_rounds: int = 1000,
        arms: str = "recent", arms_per_round: int = 1, reward: str = "log", lam: float = 0.15,
        eta: float = 0.3, scale_reward: bool = False, weights: str = "shared", max_bins: int = 256,
        exact: bool = False, validation: float = 0.0, patience: float = 2.0,
        warm_start: bool = False, n_jobs: int | None = None, verbose: bool = False,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.base = base
        self.n_leaves = n_leaves
        self.n_terms = n_terms
        self.n_rounds = n_rounds
        self.arms = arms
        self.arms_per_round = arms_per_round
        self.reward = reward
        self.lam = lam
        self.eta = eta
        self.scale_reward = scale_reward
        self.weights = weights
        self.max_bins = max_bins
        self.exact = exact
        self.validation = validation
        self.patience = patience
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, on: str | None = None) -> "AdaBoostMH":
        """Boost for `n_rounds` rounds; y are labels, or a matrix with a column for each label.

        `sample_weight` is free of scale: c times as large, it gives the same model. With `on` the
        rows are shared out among actors on Ray: "ray" for a Ray that is there or else one of this
        machine, or the address of a cluster. The result is the same to the bit.

        A fit that fails or is interrupted leaves the model as it was.
        """
        fitted = object.__new__(type(self))
        fitted.__dict__ = _without(vars(self), FITTED)
        fitted._fit(X, y, sample_weight, on, self)
        made = {k: v for k, v in vars(fitted).items() if k.endswith("_") or k in FITTED}
        self.__dict__ = _without(vars(self), FITTED) | made  # at once: nobody sees half a model
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, on: str | None, last: "AdaBoostMH") -> None:
        settings = Settings.of(self)
        if on is not None:
            ray_actors.check(on)
        X, y = checked(self, X, y, multi_output=True)
        X, y, sample_weight = with_weight(X, y, sample_weight)
        positive, self.classes_, self.multilabel_ = label_matrix(y)
        if settings.warm_start:
            labels = positive, self.classes_, self.multilabel_
            self._origin = Origin.of(X, self._names(), *labels, sample_weight, settings)
        curve = None
        if settings.warm_start and hasattr(last, "_training"):
            self._resume(last, settings.n_rounds)
        else:
            (X, positive, sample_weight), back = held_back(X, positive, sample_weight, settings)
            self._begin(X, positive, sample_weight, settings)
            curve = None if back is None else ValidationCurve(dense(back[0]), back[1], back[2])
        rounds = settings.n_rounds - len(self.ensemble_.alpha)
        with (
            nullcontext() if on is None else ray_actors.shared(self._training, on, settings.n_jobs)
        ):
            self._boost(rounds, curve)
        if not settings.warm_start:
            del self._training  # the rows, which would be pickled too

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_label = True
        return tags

    def _begin(
        self, X: Any, positive: np.ndarray, sample_weight: np.ndarray, settings: Settings
    ) -> None:
        K = len(self.classes_)
        starts = np.append(0, np.cumsum(positive.sum(axis=1)))
        labels = starts, np.nonzero(positive)[1].astype(np.uint32)
        w = initial(labels, K, sample_weight, settings.weights == "shared")
        weights = Weights(integers(w), labels, K)
        table = columns(X, sample_weight, settings.max_bins, settings.exact)
        varying = np.flatnonzero(np.diff(table.places) - table.first > 1)
        seed = int(check_random_state(settings.random_state).randint(2**31))
        arms = Arms(
            varying, settings.arms, settings.arms_per_round, settings.reward, settings.lam,
            settings.eta, settings.horizon(), settings.scale_reward,
        )  # fmt: skip
        self.ensemble_, self.shared_ = (
            ensemble.make(settings.form(), K),
            settings.weights == "shared",
        )
        n_threads = threads(settings.n_jobs) if settings.arms == "full" else 1
        smoothing = 0.01 / sample_weight.sum()
        self._training = Training(table, weights, arms, seeded(seed), smoothing, n_threads)

    def _resume(self, last: "AdaBoostMH", n_rounds: int) -> None:
        """Begin with a copy of what the last fit ended with, if this one can go on from there."""
        last._origin.check(self._origin)
        if n_rounds < len(last.ensemble_.alpha):
            done = f"{len(last.ensemble_.alpha)}, the rounds of the fit that warm_start continues"
            raise ValueError(f"n_rounds must be at least {done}, got {n_rounds}")
        self.ensemble_, self.shared_ = copy(last.ensemble_), last.shared_
        self._training = last._training.copy()

    def _boost(self, rounds: int, curve: ValidationCurve | None) -> None:
        with Progress(disable=not self.verbose) as progress:
            task = progress.add_task("boosting", total=max(rounds, 0))
            arms = self._training.arms
            more = len(arms.columns) > 0
            while rounds > 0 and more:
                some = min(rounds, FULL_AT_ONCE if self.arms == "full" else AT_ONCE)
                more = self.ensemble_.boost(some, self._training)
                rounds -= some
                arms.end_stage(self.n_features_in_)
                progress.advance(task, some)
                if curve is not None:
                    curve.update(self.ensemble_, self.multilabel_)
                    more &= len(curve.errors) <= self.patience * curve.best()
        none = csr_array((0, self.n_features_in_), dtype=np.int64)
        self.pulls_by_stage_ = vstack([none, *arms.stages], "csr")
        if curve is not None and curve.errors:
            self.validation_error_ = np.array(curve.errors)
            self.smoothed_error_ = curve.smoothed()
            self.ensemble_.shorten(curve.best())


def _without(attributes: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name not in names}
