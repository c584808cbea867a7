"""Valid models of every class that can be saved, and what users do with them."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import onearm
from onearm.core.assembly import LEAST
from tests.cases import ids, make

K, D = 4, 6
WEAK = ("linear", "stump", "tree")
REGRESSORS = [
    f"{name}-{weak}"
    for name in onearm.REGRESSORS
    for weak in (WEAK if "Booster" in name else ("",))
]
CLASSIFIERS = ["AdaBoostMH-stump", "AdaBoostMH-tree", "AdaBoostMH-product"]
CASES = [*ids(), *REGRESSORS, *CLASSIFIERS]


def valid_file(case: str) -> bytes:
    """Return the file of a model after some learning."""
    name, form = case.split("-")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, D))
    if case in CLASSIFIERS:
        y = (X[:, 0] > 0) + 2 * (X[:, 1] > 0)
        X[::17, 2] = np.nan
        model: Any = onearm.AdaBoostMH(form, n_rounds=30, n_leaves=4, random_state=0).fit(X, y)
    elif case in REGRESSORS:
        params = {"weak": form, "n_learners": 4} if form else {}
        model = getattr(onearm, name)(D, 2, lr=0.05, R=4.0, **params)
        model.play(X, np.clip(X[:, :2], -2, 2))
    else:
        model = make(case, K, D)
        model.play(X, (X[:, 0] > 0) + 2 * (X[:, 1] > 0))
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        return (Path(folder) / "model").read_bytes()


def rows(d: int, n: int = 12) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(n, d))


def use_learner(model: Any) -> None:
    k, X = model.n_classes, rows(model.n_features)
    y = np.arange(len(X)) % k
    assert set(model.predict(X)) <= set(range(k))
    assert model.chances(X[0]).shape == (k,)
    for x in (*X[:4], csr_array(X[[5]])):
        choice = model.choose(x)
        assert 0 <= choice.label < k
        assert 0 <= choice.greedy < k
        assert LEAST <= choice.propensity <= 1, choice
        model.update(x, choice, choice.label == 1, 1 if model.full_information else None)
    trace = model.play(X, y)
    assert ((trace.label >= 0) & (trace.label < k)).all()
    model.choose(X[0], among=[1])


def use_regressor(model: Any) -> None:
    X, m = rows(model.n_features), model.n_outputs
    assert model.predict(X).shape == ((len(X), m) if m > 1 else (len(X),))
    model.play(X, np.clip(X[:, :1], -1, 1).repeat(m, axis=1))
    if not model.full_information:
        query = model.choose(X[0])
        if (abs(query.points) < 1e40).all():
            model.update(X[0], query, query.points.sum(axis=1))


def use_classifier(model: Any) -> None:
    X = rows(model.n_features_in_)
    X[0, 0] = np.nan
    predicted = model.predict(X)
    assert set(predicted.ravel().tolist()) <= {0, 1, *model.classes_.tolist()}
    assert model.decision_function(X).shape[0] == model.predict_proba(X).shape[0] == len(X)
    assert model.feature_importances_.shape == (model.n_features_in_,)
    assert (model.pulls_ >= 0).all()
    list(model.staged_predict(X))
