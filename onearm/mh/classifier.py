"""AdaBoostMH: AdaBoost.MH as a scikit-learn classifier, where a bandit chooses what is searched.

To find the best stump, AdaBoost.MH searches all columns in every round. Here a bandit chooses one
(or a few) of them, is rewarded by the edge of the best stump there, and learns which are worth it.
A round then costs as much as one column, and it takes only a few times as many rounds.

R. Busa-Fekete, B. Kégl. Fast boosting using adversarial bandits. ICML 2010.
"""

from collections.abc import Iterator
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress
from scipy.sparse import csr_array, vstack
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from onearm.core.parameters import document
from onearm.core.saving import Saveable, save
from onearm.mh import ensemble, saved
from onearm.mh.binning import bin_columns
from onearm.mh.calibration import best_scale, probabilities, scaled_by, vote_scale
from onearm.mh.categories import Categories, checked_data
from onearm.mh.cross_validation import choose_rounds
from onearm.mh.distributed import ray_actors
from onearm.mh.early_stopping import ValidationCurve, split
from onearm.mh.inputs import fingerprint, floating, label_matrix, require_same, with_weight
from onearm.mh.rounds import Training
from onearm.mh.settings import Parameters, Settings

FITTED = (
    "ensemble_", "categories_", "classes_", "multilabel_", "n_features_in_", "feature_names_in_",
    "pulls_by_stage_", "validation_error_", "smoothed_error_", "vote_scale_", "_fingerprint",
    "_training",
)  # fmt: skip
STAGE, FULL_STAGE = 200, 10  # rounds between two updates of the progress and checks for Ctrl-C


class AdaBoostMH(Parameters, Saveable, ClassifierMixin, BaseEstimator):
    """AdaBoost.MH over stumps, trees or products, with a bandit over the columns.

    Any thread may call any method: `fit` replaces all that it sets at once, and what it has set
    never changes, so that each call sees one fit.

    Attributes
    ----------
    classes_
        The labels, in order.
    alpha_, loss_
        Of each round: its α over the number of runs, and the factor E of the exponential loss.
    feature_importances_
        The share of each column in the fall of the logarithm of the loss.
    pulls_, pulls_by_stage_
        How often each column was searched; and when: a sparse matrix, a row for each 200
        rounds of a run, with "full" for each 10.
    n_runs_
        How many times boosting started from the initial weights; the votes of all runs are
        averaged. More than one only where `n_rounds` is "auto".
    categories_
        The values of each column of categories that have codes 1, 2, …, by number of column.
    vote_scale_
        The factor β of the votes in `predict_proba`, None if it is not calibrated.
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

    ensemble_: Any
    categories_: Categories
    classes_: np.ndarray
    multilabel_: bool
    pulls_by_stage_: csr_array
    shared_: bool
    n_runs_: int
    vote_scale_: float | None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, on: str | None = None) -> "AdaBoostMH":
        """Boost for `n_rounds` rounds; y are labels, or a matrix with a column for each label.

        `sample_weight` is free of scale: c times as large, it gives the same model. With `on` the
        rows are distributed among actors on Ray: "ray" for a running Ray or else a new one on this
        machine, or the address of a cluster. The result is bit-identical.

        A fit that fails or is interrupted leaves the model as it was.
        """
        fitted = object.__new__(type(self))
        before = {name: value for name, value in vars(self).items() if name not in FITTED}
        fitted.__dict__ = dict(before)
        fitted._fit(X, y, sample_weight, on, self)
        after = {k: v for k, v in vars(fitted).items() if k.endswith("_") or k in FITTED}
        self.__dict__ = before | after  # at once: no thread sees half a model
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, on: str | None, last: "AdaBoostMH") -> None:
        settings, curve, sharpness = Settings.of(self), None, None
        ray_actors.check(on)
        X, y = checked_data(self, X, y, multi_output=True)
        if self.categories_ and settings.exact:
            raise ValueError(f"exact must be False with columns of categories, got {self.exact!r}")
        X, y, sample_weight = with_weight(X, y, sample_weight, settings.class_weight)
        positive, self.classes_, self.multilabel_ = labels = label_matrix(y)
        (n, d), w = X.shape, float(sample_weight.sum())
        given, settings = settings, settings.sized(n, w, d, len(self.classes_))
        rounds = per_run = settings.most_rounds()
        if settings.warm_start:
            self._fingerprint = fingerprint(
                X, [*self._names(), self.categories_], labels, sample_weight, given
            )
        if settings.warm_start and hasattr(last, "_training"):
            self._resume(last, rounds)
        else:
            rows, validation = split(X, positive, sample_weight, settings)
            if validation is not None:
                curve = ValidationCurve(*validation)
            n_codes = {j: len(values) + 1 for j, values in self.categories_.items()}
            binning = settings.max_bins, settings.exact, n_codes, settings.dense_from()
            columns = bin_columns(rows[0], rows[2], *binning)
            if settings.chooses_rounds():
                per_run, sharpness = choose_rounds(rows, self.multilabel_, columns, settings)
            self.ensemble_ = ensemble.make(settings.kind_and_size(), len(self.classes_))
            self.shared_ = settings.weights == "shared"
            self._training = Training(settings, columns, *rows[1:])
        self.n_runs_ = rounds // per_run if settings.runs_differ() else 1
        with Progress(disable=not self.verbose) as progress:
            total = self.n_runs_ * per_run - len(self.alpha_)
            advance = partial(progress.advance, progress.add_task("boosting", total=total))
            for run in range(self.n_runs_):
                if run > 0:
                    self._training.start_again(positive, sample_weight)
                with ray_actors.distributed(self._training, on, settings.n_jobs):
                    self._boost(per_run if run > 0 else per_run - len(self.alpha_), curve, advance)
        self.ensemble_.alpha = self.ensemble_.alpha / self.n_runs_
        self.vote_scale_ = None
        if settings.calibrate and curve is not None:
            held_out, truth, weight = validation
            votes = self.ensemble_.votes_on(held_out)
            self.vote_scale_ = best_scale(votes, truth, weight, self.multilabel_)
        elif settings.calibrate and sharpness:
            self.vote_scale_ = scaled_by(sharpness, self.ensemble_, X, sample_weight)
        elif settings.calibrate:
            self.vote_scale_ = vote_scale(self, X, positive, sample_weight, settings)
        if not settings.warm_start:
            del self._training  # the rows, which would be pickled too

    def _resume(self, last: "AdaBoostMH", n_rounds: int) -> None:
        """Start from a copy of the state of the last fit, if this one can resume it."""
        require_same(last._fingerprint, self._fingerprint)
        if n_rounds < len(last.alpha_):
            done = f"{len(last.alpha_)}, the rounds of the fit that warm_start continues"
            raise ValueError(f"n_rounds must be at least {done}, got {n_rounds}")
        self.ensemble_, self.shared_ = copy(last.ensemble_), last.shared_
        self._training = last._training.copy()

    def _boost(self, rounds: int, curve: ValidationCurve | None, advance: Any) -> None:
        bandit = self._training.bandit
        more = len(bandit.columns) > 0
        while rounds > 0 and more:
            stage = min(rounds, FULL_STAGE if self.arms == "full" else STAGE)
            more = self.ensemble_.boost(stage, self._training)
            rounds -= stage
            bandit.end_stage(self.n_features_in_)
            advance(stage)
            if curve is not None:
                curve.update(self.ensemble_, self.multilabel_)
                more &= len(curve.errors) <= self.patience * curve.best()
        none = csr_array((0, self.n_features_in_), dtype=np.int64)
        self.pulls_by_stage_ = vstack([none, *bandit.stages], "csr")
        if curve is not None and curve.errors:
            self.validation_error_ = np.array(curve.errors)
            self.smoothed_error_ = curve.smoothed()
            self.ensemble_ = self.ensemble_.first(curve.best())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_label = True
        return tags

    @property
    def alpha_(self) -> np.ndarray:
        return self.ensemble_.alpha

    @property
    def loss_(self) -> np.ndarray:
        return self.ensemble_.loss

    @property
    def pulls_(self) -> np.ndarray:
        return self.pulls_by_stage_.sum(axis=0)

    @property
    def feature_importances_(self) -> np.ndarray:
        check_is_fitted(self)
        used = self.ensemble_.column >= 0
        share = -np.log(self.loss_) / np.maximum(used.sum(axis=1), 1)
        shares = np.broadcast_to(share[:, None], used.shape)[used]
        credit = np.bincount(self.ensemble_.column[used], shares, self.n_features_in_)
        return credit / credit.sum() if credit.sum() > 0 else credit

    def save(self, path: str | Path) -> None:
        """Write the classifier to a file for `onearm.load`; training state is left out."""
        save(type(self), path, *saved.contents(self._snapshot()))

    @classmethod
    def loaded(cls, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> "AdaBoostMH":
        """Return a classifier from the contents of a file."""
        return saved.restored(cls, facts, arrays)

    def decision_function(self, X: Any, dtype: Any = np.float64) -> np.ndarray:
        """Return the votes f of each label; of two classes the difference of their votes."""
        model = self._snapshot()
        return model._decision(model._votes(X)).astype(floating(dtype), copy=False)

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the votes after each round."""
        model = self._snapshot()
        for f in model._staged_votes(X):
            yield model._decision(f.copy())

    def predict(self, X: Any) -> np.ndarray:
        """Return the label with most votes; of several labels a row of zeros and ones."""
        model = self._snapshot()
        return model._labels(model._votes(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the labels after each round."""
        model = self._snapshot()
        for f in model._staged_votes(X):
            yield model._labels(f)

    def predict_proba(self, X: Any, dtype: Any = np.float64) -> np.ndarray:
        """Return P(label): calibrated, or else by the model that AdaBoost's loss implies.

        `dtype` is the type of the result: np.float64 or np.float32.
        """
        return self._snapshot()._probabilities(X).astype(floating(dtype), copy=False)

    def _probabilities(self, X: Any) -> np.ndarray:
        model = self
        if model.vote_scale_ is not None:
            return probabilities(model._votes(X), model.vote_scale_, model.multilabel_)
        f = np.clip(2.0 * model._votes(X), -700, 700)
        others = len(model.classes_) - 1 if model.shared_ and not model.multilabel_ else 1
        p = 1.0 / (1.0 + others * np.exp(-f))
        return p if model.multilabel_ else p / p.sum(axis=1, keepdims=True)

    def _snapshot(self) -> Any:
        """Return the model as it is now, also if another thread fits it meanwhile."""
        check_is_fitted(self)
        model = object.__new__(type(self))
        model.__dict__ = dict(vars(self))
        model.ensemble_.require_fits(model.n_features_in_, len(model.classes_))
        return model

    def _names(self) -> list[str]:
        return list(getattr(self, "feature_names_in_", ()))

    def _decision(self, f: np.ndarray) -> np.ndarray:
        return f[:, 1] - f[:, 0] if len(self.classes_) == 2 and not self.multilabel_ else f

    def _labels(self, f: np.ndarray) -> np.ndarray:
        return (f > 0).astype(int) if self.multilabel_ else self.classes_[f.argmax(axis=1)]

    def _votes(self, X: Any) -> np.ndarray:
        return self.ensemble_.votes_on(checked_data(self, X, reset=False))

    def _staged_votes(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the votes after each round, in one array."""
        voters, X = self.ensemble_.with_dense(checked_data(self, X, reset=False))
        f = np.zeros((len(X), len(self.classes_)))
        for t in range(len(self.alpha_)):
            voters.vote(X, f, t, t + 1)
            yield f


document(AdaBoostMH)
