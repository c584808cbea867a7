"""BanditClassifier: a learner as a scikit-learn classifier, fitted under simulated bandit feedback.

`fit` knows every label but the learner does not: it chooses a label for each row and is shown only
whether that was right. So `fit` shows what would have been learned from a stream of such answers,
and `error_` what it would have cost.
"""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from onearm.adapters.making import make_learner, takes_missing
from onearm.core.assembly import HIDDEN
from onearm.core.choice import Trace


class BanditClassifier(ClassifierMixin, BaseEstimator):
    """A learner that scikit-learn's tools can fit, search and score.

    Parameters
    ----------
    learner
        Name or class of a learner.
    params
        Parameters of the learner, as a dict; None for its defaults.
    n_passes
        How often `fit` goes through the rows; in one pass every label is asked for once.
    shuffle
        Whether `fit` takes the rows in a random order, another in each pass.
    random_state
        Seed of the learner and of the order; None for another in each fit.

    Attributes
    ----------
    classes_
        The labels, in order.
    learner_
        The fitted learner; `learner_.chances(X)` are the probabilities of its choices.
    error_
        The fraction of wrong choices while it was fitted, exploration included.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = BanditClassifier("Chorus").fit(X[:1000], y[:1000])
    >>> round(model.error_, 2), round(model.score(X[1000:], y[1000:]), 2)
    (0.12, 0.96)
    """

    learner_: Any
    classes_: np.ndarray
    error_: float

    def __init__(
        self, learner: Any = "Chorus", *, params: dict[str, Any] | None = None, n_passes: int = 1,
        shuffle: bool = True, random_state: Any = 0,
    ) -> None:  # fmt: skip
        self.learner, self.params, self.n_passes = learner, params, n_passes
        self.shuffle, self.random_state = shuffle, random_state

    def fit(self, X: Any, y: Any) -> "BanditClassifier":
        """Let a new learner choose for each row, with right or wrong as the only feedback."""
        if not (isinstance(self.n_passes, int | np.integer) and self.n_passes >= 1):
            raise ValueError(f"n_passes must be a whole number of at least 1, got {self.n_passes}")
        X, y = self._checked(X, y, reset=True)
        self._start(np.unique(y), issparse(X))
        rng, wrong = check_random_state(self.random_state), 0
        labels = np.searchsorted(self.classes_, y)
        for _ in range(self.n_passes):
            order = rng.permutation(len(y)) if self.shuffle else np.arange(len(y))
            wrong += int((~self.learner_.play(X[order], labels[order]).correct).sum())
        self.error_ = wrong / (self.n_passes * len(y))
        return self

    def partial_fit(
        self, X: Any, y: Any, rewards: Any = None, propensities: Any = None, classes: Any = None
    ) -> "BanditClassifier":
        """Learn from more rows: from a log of choices, or with simulated feedback as `fit` does.

        Of a log, y are the chosen labels, `rewards` what came of them (True or False; or numbers in
        [0, 1], which say nothing about other labels) and `propensities` the probabilities with
        which they were chosen. Without `rewards`, y are the true labels. `classes`, all labels
        that there are, must be given with the first rows.
        """
        is_new = not hasattr(self, "learner_")
        if is_new and classes is None:
            raise ValueError("classes must be given in the first call of partial_fit")
        if (
            not is_new
            and classes is not None
            and not np.array_equal(np.unique(classes), self.classes_)
        ):
            raise ValueError(f"classes must stay {self.classes_}, got {np.unique(classes)}")
        if rewards is None and propensities is not None:
            raise ValueError("rewards must be given with propensities: one for each chosen label")
        X, y = self._checked(X, y, reset=is_new)
        if is_new:
            self._start(np.unique(classes), issparse(X))
        labels = np.searchsorted(self.classes_, y)
        known = labels < len(self.classes_)
        if not known.all() or (self.classes_[labels] != y).any():
            unknown = sorted(set(np.unique(y)) - set(self.classes_))
            raise ValueError(f"y must be among the classes {self.classes_}, got {unknown[0]!r}")
        if rewards is None:
            self.learner_.play(X, labels, trace=False)
        else:
            self._learn(X, labels, np.asarray(rewards), propensities)
        return self

    def _learn(self, X: Any, labels: np.ndarray, rewards: np.ndarray, propensities: Any) -> None:
        if propensities is None:
            raise ValueError("propensities must be given with rewards: one for each chosen label")
        if not self.learner_.real_rewards and np.isin(rewards, (0, 1)).all():
            rewards = rewards.astype(bool)
        nobody = np.full(len(labels), HIDDEN)  # the greedy labels of another policy
        self.learner_.learn(X, Trace(labels, nobody, np.asarray(propensities, float), rewards))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the learner's scores; of two classes, the second's minus the first's."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the softmax of the scores: it orders labels and rows, but is not calibrated."""
        scores = self._scores(X)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """Return the greedy label of each row: no exploration."""
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self.learner_.scores(self._checked(X, reset=False))

    def _start(self, classes: np.ndarray, sparse: bool) -> None:
        if len(classes) < 2:
            raise ValueError(f"y must have two classes at least, got one class: {classes[0]!r}")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        sizes = len(classes), self.n_features_in_
        self.learner_ = make_learner(self.learner, *sizes, seed, self.params, sparse)
        self.classes_ = classes

    def _checked(self, X: Any, *y: Any, reset: bool) -> Any:
        missing = "allow-nan" if takes_missing(self.learner) else True
        options = {"accept_sparse": "csr", "dtype": np.float64, "ensure_all_finite": missing}
        with np.errstate(invalid="ignore"):  # it sums values that may be huge
            data = validate_data(self, X, *y, reset=reset, **options)
        if not y:
            return data
        check_classification_targets(data[1])
        return data[0], column_or_1d(data[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = takes_missing(self.learner)
        return tags
