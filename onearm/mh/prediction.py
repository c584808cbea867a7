"""What a boosted classifier says of new rows, and of itself."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from onearm.core import saving
from onearm.mh.ensemble import make
from onearm.mh.settings import Settings
from onearm.mh.soundness import require_facts, require_pulls


class Voting(saving.Saveable, ClassifierMixin, BaseEstimator):
    """A classifier that has a form: the vote of its rounds.

    `fit` replaces all that it sets at once, and what it has set never changes: each call takes the
    model of one moment, so any thread may call anything.
    """

    ensemble_: Any
    classes_: np.ndarray
    multilabel_: bool
    pulls_by_stage_: csr_array
    shared_: bool

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
        each = np.broadcast_to(share[:, None], used.shape)[used]
        credit = np.bincount(self.ensemble_.column[used], each, self.n_features_in_)
        return credit / credit.sum() if credit.sum() > 0 else credit

    def _names(self) -> list[str]:
        return list(getattr(self, "feature_names_in_", ()))

    def save(self, path: str | Path) -> None:
        """Write the classifier to a file for `onearm.load`; what training needs is left out."""
        check_is_fitted(self)
        one = self._moment()
        facts = {
            "parameters": vars(Settings.of(one)) | {"random_state": None},
            "classes": one.classes_.tolist(), "columns": one.n_features_in_,
            "multilabel": one.multilabel_, "names": one._names(), "shared": one.shared_,
            "form": one.ensemble_.sizes(),
        }  # fmt: skip
        pulled = one.pulls_by_stage_
        arrays = {"pulled": pulled.data, "pulled_at": pulled.indices, "stages": pulled.indptr}
        saving.save(type(self), path, facts, arrays | one.ensemble_.arrays())

    @classmethod
    def loaded(cls, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Voting":
        """Return a classifier from what was saved of it."""
        require_facts(facts)
        names = [field.name for field in fields(Settings)]
        if not isinstance(facts["parameters"], dict) or sorted(facts["parameters"]) != sorted(
            names
        ):
            raise ValueError(f"the parameters of {cls.__name__} must be {', '.join(names)}")
        model = cls(**vars(Settings(**facts["parameters"])))
        model.classes_, model.shared_ = np.array(facts["classes"]), facts["shared"]
        d = model.n_features_in_ = facts["columns"]
        model.multilabel_ = facts["multilabel"]
        if facts["names"]:
            model.feature_names_in_ = np.array(facts["names"], object)
        if not arrays.keys() >= {"pulled", "pulled_at", "stages"}:
            raise ValueError("the saved arrays pulled, pulled_at and stages must be there")
        pulled, pulled_at, stages = (arrays.pop(n) for n in ("pulled", "pulled_at", "stages"))
        require_pulls(pulled, pulled_at, stages, d)
        model.pulls_by_stage_ = csr_array((pulled, pulled_at, stages), shape=(len(stages) - 1, d))
        model.ensemble_ = make(facts["form"], len(model.classes_))
        model.ensemble_.restore(arrays, d)
        return model

    def _moment(self) -> Any:
        """Return the model as it is now, also if another thread fits it meanwhile."""
        check_is_fitted(self)
        one = object.__new__(type(self))
        one.__dict__ = dict(vars(self))
        one.ensemble_.require_fits(one.n_features_in_, len(one.classes_))
        return one

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the votes f of each label; of two classes how far the second is ahead."""
        one = self._moment()
        return one._decision(one._votes(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Give the votes after each round."""
        one = self._moment()
        for f in one._staged(X):
            yield one._decision(f.copy())

    def predict(self, X: Any) -> np.ndarray:
        """Return the label with most votes; of several labels a row of zeros and ones."""
        one = self._moment()
        return one._labels(one._votes(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Give the labels after each round."""
        one = self._moment()
        for f in one._staged(X):
            yield one._labels(f)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return P(label), from the votes as AdaBoost's loss takes them to be."""
        one = self._moment()
        f = np.clip(2.0 * one._votes(X), -700, 700)
        others = len(one.classes_) - 1 if one.shared_ and not one.multilabel_ else 1
        p = 1.0 / (1.0 + others * np.exp(-f))
        return p if one.multilabel_ else p / p.sum(axis=1, keepdims=True)

    def _decision(self, f: np.ndarray) -> np.ndarray:
        return f[:, 1] - f[:, 0] if len(self.classes_) == 2 and not self.multilabel_ else f

    def _labels(self, f: np.ndarray) -> np.ndarray:
        return (f > 0).astype(int) if self.multilabel_ else self.classes_[f.argmax(axis=1)]

    def _votes(self, X: Any) -> np.ndarray:
        X = dense(checked(self, X, reset=False))
        f = np.zeros((len(X), len(self.classes_)))
        self.ensemble_.vote(X, f)
        return f

    def _staged(self, X: Any) -> Iterator[np.ndarray]:
        """Give the votes after each round, in one array."""
        X = dense(checked(self, X, reset=False))
        f = np.zeros((len(X), len(self.classes_)))
        for t in range(len(self.ensemble_.alpha)):
            self.ensemble_.vote(X, f, t, t + 1)
            yield f


def checked(model: Any, *rows: Any, **how: Any) -> Any:
    """Return rows, and labels if there are, as scikit-learn checks them; values may be missing."""
    how |= {"accept_sparse": ("csr", "csc"), "dtype": np.float64, "ensure_all_finite": "allow-nan"}
    with np.errstate(invalid="ignore"):  # it adds up what may be huge
        return validate_data(model, *rows, **how)


def dense(X: Any) -> np.ndarray:
    return np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X)
