"""What the tests have in common: data with every special case, and equality of models."""

import numpy as np

from onearm.mh.classifier import AdaBoostMH
from onearm.mh.weights import UNIT

SEARCHING = ("stump", "product", "tree")  # for the best cut
BASES = (*SEARCHING, "random_tree")
SIZES = {"n_leaves": 4, "n_terms": 3}


def rows(several=False, n=60):
    """Rows with missing values, many zeros, a constant column and different weights."""
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(n, 5)), 1)
    X[rng.random(X.shape) < 0.3] = 0.0
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 3] = 2.0
    y = (rng.random((n, 3)) < 0.4).astype(int) if several else rng.integers(0, 3, n)
    return X, y, rng.uniform(0.5, 2.0, n)


def model(base, **settings):
    settings = {"warm_start": "validation" not in settings} | settings
    return AdaBoostMH(base, **SIZES, random_state=0, **settings)


def weight_values(weights):
    """The weights w, (n, K)."""
    w = weights.A * (weights.minus / UNIT)
    starts, labels = weights.positive
    rows = np.repeat(np.arange(len(weights.A)), np.diff(starts))
    w[rows, labels] = weights.A[rows, labels] * (weights.plus / UNIT)[labels]
    return w[:, : weights.K]


def same_ensemble(first, second):
    for name, array in first.ensemble_.arrays().items():
        assert np.array_equal(array, second.ensemble_.arrays()[name], equal_nan=True), name


def agree(first, second):
    """Assert that all that was learned, and the state a warm start would resume, is the same."""
    same_ensemble(first, second)
    assert np.array_equal(first.pulls_by_stage_.toarray(), second.pulls_by_stage_.toarray())
    if not first.warm_start:
        return
    ours, theirs = first._training, second._training
    assert np.array_equal(ours.rng, theirs.rng)
    for name in ("A", "plus", "minus", "sums"):
        assert np.array_equal(getattr(ours.weights, name), getattr(theirs.weights, name)), name
    for a, b in zip(ours.bandit.model()[:7], theirs.bandit.model()[:7], strict=True):
        assert np.array_equal(a, b)
