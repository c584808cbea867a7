"""AdaBoostMH: AdaBoost.MH as a scikit-learn classifier, where a bandit decides what is searched.

To find the best stump, AdaBoost.MH searches all columns in every round. Here a bandit points at
one (or a few) of them, is told how good the best stump there was, and learns which are worth it. A
round then costs as much as one column, and it takes only a few times as many rounds.

R. Busa-Fekete, B. Kégl. Fast boosting using adversarial bandits. ICML 2010.
"""

from typing import Any

import numpy as np
from rich.progress import Progress
from scipy.sparse import csr_array, vstack
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import (
    _check_sample_weight,
    column_or_1d,
    validate_data,
)

from onearm.mh import forms, on_ray
from onearm.mh.arms import Arms
from onearm.mh.columns import columns
from onearm.mh.held import Held
from onearm.mh.search import threads
from onearm.mh.settings import check
from onearm.mh.voting import SPARSE, Voting, dense
from onearm.mh.weights import Weights, initial, integers
from onearm.rng import seeded

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
        Whether `fit` goes on from where the last one ended, up to `n_rounds`.
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

        With `on` the rows are shared out among actors on Ray: "ray" for a Ray that is there or
        else one of this machine, or the address of a cluster. The result is the same to the bit.
        """
        check(self)
        if on is not None:
            on_ray.check(on)
        X, y = validate_data(
            self, X, y, accept_sparse=SPARSE, dtype=np.float64, multi_output=True,
            ensure_all_finite="allow-nan",
        )  # fmt: skip
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if (sample_weight < 0).any() or not sample_weight.sum() > 0:
            raise ValueError("sample_weight must be at least 0, and not 0 for all rows")
        heard = sample_weight > 0
        if not heard.all():
            X, y, sample_weight = X[heard], y[heard], sample_weight[heard]
        held = None
        if not (self.warm_start and hasattr(self, "_training")):
            positive = self._labels(y)
            (X, positive, sample_weight), back = self._held_back(X, positive, sample_weight)
            self._begin(X, positive, sample_weight)
            held = None if back is None else Held(dense(back[0]), back[1], back[2])
        rounds = self.n_rounds - len(self.form_.alpha)
        if on is None:
            self._boost(rounds, held)
        else:
            self._boost_on_ray(on, rounds, held)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_label = True
        return tags

    def _labels(self, y: np.ndarray) -> np.ndarray:
        """Return for each row and label whether the row has it."""
        check_classification_targets(y)
        self.multilabel_ = y.ndim == 2 and y.shape[1] > 1
        if self.multilabel_:
            self.classes_ = np.arange(y.shape[1])
            return y > 0
        y = column_or_1d(y, warn=True)
        self.classes_ = unique_labels(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y must have two classes at least, got one class: {y[0]!r}")
        return y[:, None] == self.classes_

    def _begin(self, X: Any, positive: np.ndarray, sample_weight: np.ndarray) -> None:
        K = len(self.classes_)
        starts = np.append(0, np.cumsum(positive.sum(axis=1)))
        labels = starts, np.nonzero(positive)[1].astype(np.uint32)
        w = initial(labels, K, sample_weight, self.weights == "shared")
        weights = Weights(integers(w), labels, K)
        table = columns(X, sample_weight, self.max_bins, self.exact)
        varying = np.flatnonzero(np.diff(table.places) - table.first > 1)
        seed = int(check_random_state(self.random_state).randint(2**31))
        arms = Arms(
            varying, self.arms, self.arms_per_round, self.reward, self.lam, self.eta,
            self._horizon(), self.scale_reward,
        )  # fmt: skip
        self.form_ = forms.form(self.base, self.n_leaves, self.n_terms, K)
        n_threads = threads(self.n_jobs) if self.arms == "full" else 1
        self._training = forms.Training(
            table, weights, arms, seeded(seed), 0.01 / sample_weight.sum(), n_threads
        )

    def _horizon(self) -> int:
        """How many pulls there will be."""
        each = {"stump": 1, "tree": 2 * self.n_leaves - 3, "product": 2 * self.n_terms}
        return self.n_rounds * self.arms_per_round * each[self.base]

    def _held_back(self, X: Any, y: np.ndarray, sample_weight: np.ndarray) -> tuple:
        """Return the rows to learn from, and the others."""
        if self.validation == 0:
            return (X, y, sample_weight), None
        rng = check_random_state(self.random_state)
        parts = train_test_split(X, y, sample_weight, test_size=self.validation, random_state=rng)
        return parts[::2], parts[1::2]

    def _boost_on_ray(self, on: str, rounds: int, held: Held | None) -> None:
        try:
            with on_ray.shared(self._training, on, self.n_jobs):
                self._boost(rounds, held)
        except BaseException:
            del self._training  # amid a round: there is nothing to go on from
            raise

    def _boost(self, rounds: int, held: Held | None) -> None:
        with Progress(disable=not self.verbose) as progress:
            task = progress.add_task("boosting", total=max(rounds, 0))
            arms = self._training.arms
            more = len(arms.columns) > 0
            while rounds > 0 and more:
                some = min(rounds, FULL_AT_ONCE if self.arms == "full" else AT_ONCE)
                more = self.form_.boost(some, self._training)
                rounds -= some
                arms.end_stage(self.n_features_in_)
                progress.advance(task, some)
                if held is not None:
                    held.see(self.form_, self.multilabel_)
                    more &= len(held.errors) <= self.patience * held.best()
        none = csr_array((0, self.n_features_in_), dtype=np.int64)
        self.pulls_by_stage_ = vstack([none, *arms.stages], "csr")
        if held is not None and held.errors:
            self.validation_error_ = np.array(held.errors)
            self.smoothed_error_ = held.smoothed()
            self.form_.shorten(held.best())
