"""Views prepare the rows of a stream for a kind of learner."""

import numpy as np
from scipy.sparse import csr_array

from onearm.streams import views
from onearm.streams.stream import Stream
from onearm.streams.views import linear, unit, view


def test_linear_rows_have_norm_one_and_no_gaps():
    X = np.array([[3.0, np.nan, 0.0], [-6.0, 4.0, 2.0], [0.0, 2.0, 1.0]])
    rows, y = linear(Stream.of(X, [0, 1, 0], nominal=(0, 0, 3))).arrays()
    np.testing.assert_allclose((rows**2).sum(axis=1), 1.0)
    assert rows.shape == (3, 3 + 2 + 1)
    first = np.array([1, 0, 0, 0.5, 0, 1])
    np.testing.assert_allclose(rows[0], first / np.linalg.norm(first))
    np.testing.assert_array_equal(y, [0, 1, 0])


def test_wide_rows_are_the_same_but_sparse(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 30, 200), rng.normal(size=200), rng.integers(0, 5, 200)])
    X[3, 0] = X[4, 1] = np.nan
    X[5, 2] = 7.0  # no code
    stream = Stream.of(X, rng.integers(0, 3, 200), nominal=(30, 0, 5))
    dense = linear(stream).arrays()[0]
    monkeypatch.setattr(views, "WIDE", 34)
    sparse = linear(stream).arrays()[0]
    assert dense.shape == sparse.shape == (200, 37)
    assert sparse.nnz < 200 * 5
    assert sparse.has_sorted_indices
    np.testing.assert_allclose(sparse.toarray(), dense, 1e-12)


def test_missing_values_of_sparse_rows_are_zero():
    X = csr_array(np.array([[3.0, np.nan, 4.0]]))
    np.testing.assert_allclose(unit(X).toarray(), [[0.6, 0.0, 0.8]])
    stream = Stream.of(X, [1])
    np.testing.assert_array_equal(view("filled", stream)(stream).arrays()[0].toarray(), [[3, 0, 4]])


def test_sparse_rows_are_only_scaled():
    X = csr_array(np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]))
    rows = linear(Stream.of(X, [0, 1, 0])).arrays()[0]
    np.testing.assert_allclose(rows.toarray(), [[0.6, 0.8, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def test_empty_sparse_rows_at_the_end():
    X = csr_array(np.array([[0.0, 0.0], [0.0, 5.0], [0.0, 0.0]]))
    np.testing.assert_allclose(unit(X).toarray(), [[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]])


def test_a_view_fitted_on_another_stream():
    all_rows = Stream.of([[10.0], [5.0]], [0, 1])
    rows = view("linear", all_rows)(Stream.of([[5.0]], [1])).arrays()[0]
    np.testing.assert_allclose(rows, np.array([[0.5, 1.0]]) / np.hypot(0.5, 1.0))


def test_filled_rows_differ_in_missing_values_only():
    stream = Stream.of([[np.nan, 2.0]], [1])
    np.testing.assert_array_equal(view("filled", stream)(stream).arrays()[0], [[0.0, 2.0]])
