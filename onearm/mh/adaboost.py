"""AdaBoostMH: AdaBoost.MH as a scikit-learn classifier, where a bandit decides what is searched.

To find the best stump, AdaBoost.MH searches all columns in every round. Here a bandit points at
one (or a few) of them, is told how good the best stump there was, and learns which are worth it. A
round then costs as much as one column, and it takes only a few times as many rounds.

R. Busa-Fekete, B. Kégl. Fast boosting using adversarial bandits. ICML 2010.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress
from scipy.sparse import csr_array, vstack
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from onearm import saving
from onearm.mh import forms
from onearm.mh.arms import POLICIES, REWARDS, Arms
from onearm.mh.columns import columns
from onearm.mh.held import Held
from onearm.mh.search import threads
from onearm.mh.weights import Weights, initial
from onearm.rng import seeded

BASES = ("stump", "tree", "product")
AT_ONCE, FULL_AT_ONCE = 200, 10  # rounds between two looks at the progress and at Ctrl-C
SPARSE = ("csr", "csc")


class AdaBoostMH(ClassifierMixin, BaseEstimator):
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
        "exp3p" and "recent" learn from what was found there.
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
        How many threads share the search of all columns, -1 for as many as there are cores. The
        result is the same to the bit.
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
        arms: str = "exp3p", arms_per_round: int = 1, reward: str = "log", lam: float = 0.15,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "AdaBoostMH":
        """Boost for `n_rounds` rounds; y are labels, or a matrix with a column for each label."""
        self._check()
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
            held = None if back is None else Held(_dense(back[0]), back[1], back[2])
        self._boost(self.n_rounds - len(self.form_.alpha), held)
        return self

    @property
    def alpha_(self) -> np.ndarray:
        return self.form_.alpha

    @property
    def loss_(self) -> np.ndarray:
        return self.form_.loss

    @property
    def pulls_(self) -> np.ndarray:
        return self.pulls_by_stage_.sum(axis=0)

    @property
    def feature_importances_(self) -> np.ndarray:
        check_is_fitted(self)
        used = self.form_.column >= 0
        share = -np.log(self.loss_) / np.maximum(used.sum(axis=1), 1)
        each = np.broadcast_to(share[:, None], used.shape)[used]
        credit = np.bincount(self.form_.column[used], each, self.n_features_in_)
        return credit / credit.sum() if credit.sum() > 0 else credit

    def _names(self) -> list[str]:
        return list(getattr(self, "feature_names_in_", ()))

    def save(self, path: str | Path) -> None:
        """Write the classifier to a file for `onearm.load`; what training needs is left out."""
        check_is_fitted(self)
        said = self.get_params() | {"random_state": None}
        facts = {"classes": self.classes_.tolist(), "columns": self.n_features_in_}
        facts |= {"multilabel": self.multilabel_, "names": self._names()}
        pulled = self.pulls_by_stage_
        arrays = {"pulled": pulled.data, "pulled_at": pulled.indices, "stages": pulled.indptr}
        arrays |= self.form_.arrays()
        saving.save(self, path, {"parameters": said, **facts}, arrays)

    @classmethod
    def loaded(cls, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> "AdaBoostMH":
        """Return a classifier from what was saved of it."""
        model = cls(**facts["parameters"])
        model.classes_ = np.array(facts["classes"])
        model.n_features_in_, model.multilabel_ = facts["columns"], facts["multilabel"]
        if facts["names"]:
            model.feature_names_in_ = np.array(facts["names"], object)
        pulled = tuple(arrays.pop(name) for name in ("pulled", "pulled_at", "stages"))
        size = len(pulled[2]) - 1, model.n_features_in_
        model.pulls_by_stage_ = csr_array(pulled, shape=size)
        model.form_ = forms.form(model.base, model.n_leaves, model.n_terms, len(model.classes_))
        model.form_.fill(arrays)
        return model

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the votes f of each label; of two classes how far the second is ahead."""
        f = self._votes(X)
        return f[:, 1] - f[:, 0] if self._binary() else f

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Give the votes after each round."""
        X, f = self._rows(X), None
        for t in range(len(self.form_.alpha)):
            f = np.zeros((len(X), len(self.classes_))) if f is None else f.copy()
            self.form_.vote(X, f, t, t + 1)
            yield f[:, 1] - f[:, 0] if self._binary() else f

    def predict(self, X: Any) -> np.ndarray:
        """Return the label with most votes; of several labels a row of zeros and ones."""
        return self._said(self._votes(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Give the labels after each round."""
        X = self._rows(X)
        f = np.zeros((len(X), len(self.classes_)))
        for t in range(len(self.form_.alpha)):
            self.form_.vote(X, f, t, t + 1)
            yield self._said(f)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return P(label), from the votes as AdaBoost's loss takes them to be."""
        f = np.clip(2.0 * self._votes(X), -700, 700)
        others = len(self.classes_) - 1 if self.weights == "shared" and not self.multilabel_ else 1
        p = 1.0 / (1.0 + others * np.exp(-f))
        return p if self.multilabel_ else p / p.sum(axis=1, keepdims=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_label = True
        return tags

    def _check(self) -> None:
        options = {
            "base": BASES, "arms": POLICIES, "reward": REWARDS, "weights": ("shared", "even"),
        }  # fmt: skip
        for name, allowed in options.items():
            if getattr(self, name) not in allowed:
                said = f"{name} must be one of {', '.join(allowed)}"
                raise ValueError(f"{said}, got {getattr(self, name)!r}")
        ranges = {
            "n_leaves": (2, 2**15), "n_terms": (1, np.inf), "n_rounds": (1, np.inf),
            "arms_per_round": (1, np.inf), "lam": (0, 1), "eta": (0, np.inf), "max_bins": (2, 256),
            "validation": (0, 0.9), "patience": (1, np.inf),
        }  # fmt: skip
        if self.validation and self.warm_start:
            raise ValueError("validation must be 0 with warm_start: rounds are dropped after it")
        for name, (low, high) in ranges.items():
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name} must be in [{low}, {high}], got {getattr(self, name)!r}")

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
        labels = starts, np.nonzero(positive)[1]
        weights = Weights(initial(labels, K, sample_weight, self.weights == "shared"), labels)
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

    def _binary(self) -> bool:
        return len(self.classes_) == 2 and not self.multilabel_

    def _rows(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(
            self, X, accept_sparse=SPARSE, dtype=np.float64, reset=False,
            ensure_all_finite="allow-nan",
        )  # fmt: skip
        return _dense(X)

    def _votes(self, X: Any) -> np.ndarray:
        X = self._rows(X)
        f = np.zeros((len(X), len(self.classes_)))
        self.form_.vote(X, f)
        return f

    def _said(self, f: np.ndarray) -> np.ndarray:
        return (f > 0).astype(int) if self.multilabel_ else self.classes_[f.argmax(axis=1)]


def _dense(X: Any) -> np.ndarray:
    return np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X)
