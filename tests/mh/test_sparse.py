"""Sparse rows of AdaBoostMH: binned and voted on as dense ones, without ever being dense."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csc_array, csr_array, random_array

pytest.importorskip("sklearn")

from onearm.mh import binning, ensemble
from onearm.mh.binning import bin_columns
from onearm.mh.classifier import AdaBoostMH
from tests.mh.shared_rows import BASES, SIZES, same_ensemble


def mixed(n=90, seed=0):
    """Columns of every kind: mostly zero or not, with many values, negative, missing, constant."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 9)), 1)
    X[rng.random(X.shape) < [0.0, 0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 0.6, 1.0]] = 0.0
    X[:, 3] = np.sign(X[:, 3]) * 1e308
    X[rng.random(n) < 0.2, 4] = np.nan
    X[rng.random(n) < 0.7, 5] = np.nan
    X[:, 7] *= rng.random(n)  # more values than bins
    return X, (np.nan_to_num(X[:, 0]) + X[:, 2] > 0).astype(int) + (X[:, 7] > 0)


@pytest.mark.parametrize("max_bins", [2, 7, 256])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", [csr_array, csc_array, coo_array])
@pytest.mark.parametrize("dense_from", [0.0, 0.2, 0.8])
def test_sparse_columns_have_the_bins_of_dense_ones(kind, exact, max_bins, dense_from):
    X, _ = mixed()
    w = np.random.default_rng(1).uniform(1.0, 2.0, len(X))
    given = w, max_bins, exact, None, dense_from
    dense, sparse = (bin_columns(rows, *given) for rows in (X, kind(X)))
    for name, array in dense._asdict().items():
        other = getattr(sparse, name)
        assert np.array_equal(array, other, equal_nan=name in ("low", "high")), name
        if name != "exact":
            assert array.dtype == other.dtype, name


def test_stored_zeros_and_duplicates_change_nothing():
    rows, columns = np.array([0, 0, 1, 2, 2, 3]), np.zeros(6, int)
    X = coo_array((np.array([1.0, 2.0, 0.0, -0.0, 5.0, -5.0]), (rows, columns)), (9, 1))
    same = bin_columns(X.toarray(), np.ones(9), 256, False)
    for name, array in bin_columns(X, np.ones(9), 256, False)._asdict().items():
        assert np.array_equal(array, getattr(same, name)), name


@pytest.mark.parametrize("base", BASES)
def test_votes_on_sparse_rows_are_those_on_dense_rows(base, monkeypatch):
    monkeypatch.setattr(ensemble, "DENSE", 40)  # several rows at a time
    X, y = mixed()
    settings = {"n_rounds": 30, "random_state": 0, **SIZES}
    dense = AdaBoostMH(base, **settings).fit(X, y)
    for kind in (csr_array, csc_array):
        sparse = AdaBoostMH(base, **settings).fit(kind(X), y)
        same_ensemble(dense, sparse)
        assert np.array_equal(sparse.decision_function(kind(X)), dense.decision_function(X))
        assert np.array_equal(sparse.predict_proba(kind(X)), dense.predict_proba(X))
        staged = zip(
            sparse.staged_predict(kind(X)), dense.staged_predict(X), strict=True
        )  # fmt: skip
        assert all(np.array_equal(first, second) for first, second in staged)


def test_validation_rows_may_be_sparse():
    X, y = mixed()
    settings = {"n_rounds": 30, "random_state": 0, "validation": 0.3}
    first, second = (AdaBoostMH("stump", **settings).fit(rows, y) for rows in (X, csr_array(X)))
    same_ensemble(first, second)
    assert first.smoothed_error_.tolist() == second.smoothed_error_.tolist()


@pytest.mark.compiled
def test_a_wide_sparse_matrix_is_never_made_dense(monkeypatch):
    """Neither in `fit` nor in `predict`, and no column is gone through by itself."""
    X = csr_array(random_array((600, 50_000), density=1e-3, rng=np.random.default_rng(0)))
    y = np.arange(600) % 2
    most = []
    for kind in (csr_array, csc_array):
        toarray = kind.toarray

        def watched(self, *given, toarray=toarray, **named):
            most.append(self.shape[0] * self.shape[1])
            return toarray(self, *given, **named)

        monkeypatch.setattr(kind, "toarray", watched)
    monkeypatch.setattr(binning, "_bin_column", None)
    AdaBoostMH("stump", n_rounds=100, random_state=0).fit(X, y).predict(X)
    assert 0 < max(most) <= 600 * 100
