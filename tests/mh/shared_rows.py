"""What the tests of rows in blocks have in common: data with everything in it, and equality."""

import numpy as np

from onearm.mh.classifier import AdaBoostMH

BASES = ("stump", "product", "tree")
SIZES = {"n_leaves": 4, "n_terms": 3}


def rows(several=False, n=60):
    """Rows with gaps, many zeros, a constant column and weights of their own."""
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


def agree(one, two):
    """Whether all that was learned, and all that learning would go on from, is the same."""
    for name, array in one.ensemble_.arrays().items():
        assert np.array_equal(array, two.ensemble_.arrays()[name], equal_nan=True), name
    assert np.array_equal(one.pulls_by_stage_.toarray(), two.pulls_by_stage_.toarray())
    if not one.warm_start:
        return
    ours, theirs = one._training, two._training
    assert np.array_equal(ours.rng, theirs.rng)
    for name in ("A", "plus", "minus", "sums"):
        assert np.array_equal(getattr(ours.weights, name), getattr(theirs.weights, name)), name
    for a, b in zip(ours.arms.model()[:6], theirs.arms.model()[:6], strict=True):
        assert np.array_equal(a, b)
