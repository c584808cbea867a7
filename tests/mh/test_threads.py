"""AdaBoostMH in many threads: every call sees one complete fit."""

import numpy as np
import pytest

import onearm
from onearm.core.kernels import COMPILED
from tests.core.test_threads import together


def test_a_classifier_may_be_used_during_a_fit(tmp_path):
    """Other rows, columns and classes each time: every call sees one complete fit or another."""
    n = 200 if COMPILED else 30
    rng = np.random.default_rng(0)
    shapes = [(3, 2), (40, 6)]
    fits = [(rng.normal(size=(n, d)), rng.integers(0, k, n)) for d, k in shapes]
    model = onearm.AdaBoostMH("tree", n_rounds=5, n_leaves=3).fit(*fits[0])

    def refit():
        for X, y in fits:
            model.fit(X, y)

    def use():
        for X, _ in fits:
            try:
                assert set(model.predict(X)) <= set(range(6))
                assert model.predict_proba(X).shape in ((n, 2), (n, 6))
            except ValueError as error:  # fitted on the other columns meanwhile
                if "features" not in str(error):
                    raise
            model.save(tmp_path / "model")
            onearm.load(tmp_path / "model")

    together(refit, use, use, times=5)


def test_changed_sizes_of_a_fitted_classifier_are_refused():
    X = np.random.default_rng(0).normal(size=(60, 5))
    model = onearm.AdaBoostMH("stump", n_rounds=5).fit(X, (X[:, 4] > 0).astype(int))
    model.n_features_in_ = 2
    with pytest.raises(ValueError, match="n_features_in_ and classes_ must be those of the fit"):
        model.predict(X[:, :2])
    model.n_features_in_, model.classes_ = 5, np.arange(3)
    with pytest.raises(ValueError, match="those of the fit, got 5 and 3 labels"):
        model.predict(X)


@pytest.mark.compiled
def test_threaded_searches_of_two_fits_take_turns():
    X = np.random.default_rng(0).normal(size=(300, 5))
    y = (X[:, 0] > 0).astype(int)
    together(*[lambda: onearm.AdaBoostMH(arms="full", n_jobs=2, n_rounds=5).fit(X, y)] * 3, times=3)
