"""What a boosted classifier says of new rows, and of itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from onearm import saving
from onearm.mh.forms import form


class Voting(ClassifierMixin, BaseEstimator):
    """A classifier that has a form: the vote of its rounds."""

    form_: Any
    classes_: np.ndarray
    multilabel_: bool
    pulls_by_stage_: csr_array
    weights: str

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
        saving.save(type(self), path, {"parameters": said, **facts}, arrays)

    @classmethod
    def loaded(cls, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Voting":
        """Return a classifier from what was saved of it."""
        model = cls(**facts["parameters"])
        model.classes_ = np.array(facts["classes"])
        model.n_features_in_, model.multilabel_ = facts["columns"], facts["multilabel"]
        if facts["names"]:
            model.feature_names_in_ = np.array(facts["names"], object)
        pulled = tuple(arrays.pop(name) for name in ("pulled", "pulled_at", "stages"))
        size = len(pulled[2]) - 1, model.n_features_in_
        model.pulls_by_stage_ = csr_array(pulled, shape=size)
        model.form_ = form(model.base, model.n_leaves, model.n_terms, len(model.classes_))
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

    def _binary(self) -> bool:
        return len(self.classes_) == 2 and not self.multilabel_

    def _rows(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return dense(checked(self, X, reset=False))

    def _votes(self, X: Any) -> np.ndarray:
        X = self._rows(X)
        f = np.zeros((len(X), len(self.classes_)))
        self.form_.vote(X, f)
        return f

    def _said(self, f: np.ndarray) -> np.ndarray:
        return (f > 0).astype(int) if self.multilabel_ else self.classes_[f.argmax(axis=1)]


def checked(model: Any, *rows: Any, **how: Any) -> Any:
    """Return rows, and labels if there are, as scikit-learn checks them; values may be missing."""
    how |= {"accept_sparse": ("csr", "csc"), "dtype": np.float64, "ensure_all_finite": "allow-nan"}
    with np.errstate(invalid="ignore"):  # it adds up what may be huge
        return validate_data(model, *rows, **how)


def dense(X: Any) -> np.ndarray:
    return np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X)
