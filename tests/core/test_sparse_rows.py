"""Sparse matrices that lie about themselves are refused before anything indexes with them."""

import numpy as np
import pytest
from scipy.sparse import (
    bsr_array,
    coo_array,
    csc_array,
    csr_array,
    csr_matrix,
    dok_array,
    lil_array,
)

import onearm
from onearm.checks.trial import bits
from onearm.core.sparse_check import csr_arrays


def broken(**changes):
    """A CSR of 3 rows and 6 columns whose arrays were replaced behind SciPy's back."""
    X = csr_array(np.eye(3, 6))
    for name, value in changes.items():
        if name == "shape":
            X._shape = value
        else:
            setattr(X, name, value)
    return X


HOSTILE = {
    "indptr too long": broken(indptr=np.arange(100, dtype=np.int32)),
    "indptr too short": broken(indptr=np.array([0, 1], np.int32)),
    "indptr beyond": broken(indptr=np.array([0, 1, 2, 10**6], np.int32)),
    "indptr falls": broken(indptr=np.array([0, 3, 1, 3], np.int32)),
    "indptr negative": broken(indptr=np.array([0, -5, 2, 3], np.int32)),
    "indptr begins late": broken(indptr=np.array([1, 1, 2, 3], np.int32)),
    "indptr of floats": broken(indptr=np.array([0, 1, 2, 3.0])),
    "indptr of two dimensions": broken(indptr=np.array([[0, 1, 2, 3]], np.int32)),
    "an index too large": broken(indices=np.array([0, 1, 10**6], np.int32)),
    "an index below 0": broken(indices=np.array([0, -1, 2], np.int32)),
    "fewer indices": broken(indices=np.array([0], np.int32)),
    "fewer values": broken(data=np.ones(1)),
    "values of text": broken(data=np.array(["a", "b", "c"])),
    "99 rows": broken(shape=(99, 6)),
    "no columns": csr_array((3, 0)),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("method", ["play", "learn", "predict", "scores", "chances"])
@pytest.mark.parametrize("learner", ["Banditron", "HoeffdingTree"])
def test_hostile_matrices_are_refused(name, method, learner):
    learner = getattr(onearm, learner)(3, 6)
    truth = np.zeros(3, np.int64)
    log = type(learner)(3, 6).play(np.eye(3, 6), truth)
    given = {"play": (truth,), "learn": (log, truth if learner.full_information else None)}
    before = bits(learner)
    with pytest.raises(
        ValueError, match=r"sound sparse matrix|features|rows, as the trace|for each of 99"
    ):
        getattr(learner, method)(HOSTILE[name], *given.get(method, ()))
    assert bits(learner) == before


@pytest.mark.parametrize("name", [n for n in HOSTILE if "99" not in n and "columns" not in n])
def test_hostile_rows_are_refused(name):
    X = HOSTILE[name]
    X = csr_array(np.eye(1, 6)) if X.shape != (3, 6) else X
    row = csr_array((1, 6))
    row.indptr, row.indices, row.data = X.indptr[:3], X.indices, X.data
    learner = onearm.Banditron(3, 6)
    for call in (
        lambda: learner.choose(row),
        lambda: learner.update(row, (0, 0, 0.9), True),
        lambda: learner.chances(row),
    ):
        with pytest.raises(ValueError, match=r"sound sparse matrix"):
            call()


def test_other_formats_are_checked_before_scipy_converts_them():
    columns = csc_array(np.eye(3, 6))
    columns.indices = np.array([0, 10**6, 2], np.int32)
    places = coo_array(np.eye(3, 6))
    places.coords[1][0] = 10**6
    blocks = bsr_array(np.eye(4, 6), blocksize=(2, 2))
    blocks.indptr = np.array([0, 10**6, 3], np.int32)
    for X in (columns, places, blocks):
        with pytest.raises(ValueError, match="sound sparse matrix"):
            onearm.Banditron(3, 6).predict(X)


@pytest.mark.parametrize(
    "form", [csr_array, csr_matrix, csc_array, coo_array, lil_array, dok_array, bsr_array]
)
def test_valid_matrices_of_every_format_are_accepted(form):
    X = np.arange(18.0).reshape(3, 6) * (np.arange(18).reshape(3, 6) % 3 > 0)
    indptr, indices, data = csr_arrays(form(X))
    assert np.array_equal(csr_array((data, indices, indptr), shape=(3, 6)).toarray(), X)
    learner = onearm.Banditron(3, 6)
    learner.weights[...] = np.arange(18).reshape(6, 3)
    assert np.array_equal(learner.scores(form(X)), learner.scores(X))


def test_checked_indices_are_copies():
    """Labels and indices are copies: a callback that writes into the originals changes nothing."""
    n = 5000
    y, X = np.zeros(n, np.int64), csr_array(np.eye(4, 6)[np.arange(n) % 4])
    learner = onearm.Banditron(3, 6)

    def spoil(*done):
        y[:] = 10**12
        X.indices[:], X.indptr[1:] = 2**30, 2**30

    trace = learner.play(X, y, progress=spoil)
    assert len(trace.label) == n
    assert np.isfinite(learner.weights).all()


def test_one_row_of_a_matrix_is_a_row():
    learner = onearm.Banditron(3, 6)
    X = np.arange(12.0).reshape(2, 6)
    learner.weights[...] = np.arange(18).reshape(6, 3)
    choice = learner.choose(X[[0]], rng=onearm.seeded(1))
    assert choice == learner.choose(X[0], rng=onearm.seeded(1))
    learner.update(X[[0]], choice, True)
    for x in (X[0], X[0].tolist(), (np.arange(6, dtype=np.int32), X[0])):
        assert np.array_equal(learner.chances(x), learner.chances(X)[0])
        assert np.array_equal(learner.scores(x), learner.scores(X)[0])
        assert learner.predict(x) == learner.predict(X)[0]
    assert learner.chances(X[0], among=[1, 2])[0] == 0.0
    mask = np.array([False, True, True])
    assert np.array_equal(learner.chances(X, among=mask), learner.chances(X, among=[2, 1]))


@pytest.mark.parametrize(
    "among", [np.array([2, 1], np.uint8), (2, 1), np.array([False, True, True])]
)
def test_allowed_labels_in_any_order_or_as_a_mask(among):
    learner = onearm.Banditron(3, 6)
    expected = learner.choose(np.ones(6), [1, 2], rng=onearm.seeded(3))
    assert learner.choose(np.ones(6), among, rng=onearm.seeded(3)) == expected


@pytest.mark.parametrize(
    "among", [np.array([1, 1], np.uint8), [True, False], [False] * 3, [[0]], 2]
)
def test_invalid_allowed_labels_are_refused(among):
    with pytest.raises(ValueError, match="among must"):
        onearm.Banditron(3, 6).choose(np.ones(6), among)
